"""Relations from changelogs: records of changes become elements.

    time | op | row                  (a, 1, ∞, +1)
    1    | +  | a            ─►      (a, 4, ∞, -1) (b, 4, ∞, +1)
    4    | u  | b   same key

Records of one instant are applied by their sequence and, where that is equal or missing, in the order of
their rows. Between pieces (two files, or two rows of a DataFrame) there is no such order. Then deletions are
applied first, and two different rows for one key are an error: which of them remains would depend on how the
rows were split.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from slackwater.algebra.changes import (
    Record,
    absent_row,
    ambiguous_update,
    bad_op,
    duplicate_key,
    update_without_key,
)
from slackwater.algebra.schema import Schema
from slackwater.base.time import INFINITY
from slackwater.kernels.frames import FROM, TO, N, columns_of, concatenated, empty
from slackwater.kernels.keys import with_join_columns
from slackwater.kernels.state import GONE, Retention, State

OP, SEQUENCE = "@op", "@sequence"
RANK, PIECE = "@rank", "@piece"
"""The user's sequence, and the piece inside which rows are ordered; NULL where a row is one by itself."""
RECORD = {OP: pl.String(), RANK: pl.Int64(), PIECE: pl.Int64()}
"""The columns that a record has besides its row and its times."""
CURRENT = "current"
EARLIER = "earlier"
_BEGIN = "@begin"
SINCE_LAYOUT = {EARLIER: Retention(due=_BEGIN)}
_BEFORE = "@before"
MOST_MISTAKES = 20


class Misfit(Exception):
    """Records that do not fit the relation they are applied to."""

    def __init__(self, diagnostics: list[object]) -> None:
        super().__init__(f"{len(diagnostics)} records do not fit")
        self.diagnostics = diagnostics


def state_layout(row: Sequence[str], key: Sequence[str]) -> dict[str, Retention]:
    """The current relation, by key or, without one, by row."""
    return {CURRENT: Retention(key=tuple(key or row))}


def numbered(records: pl.DataFrame, epoch: int) -> pl.DataFrame:
    """Records that arrived in an epoch, with a sequence: the order of their rows, after earlier epochs."""
    place = pl.int_range(pl.len(), dtype=pl.Int64) + (epoch << 32)
    ordered = records.with_columns(place.alias(SEQUENCE))
    return ordered.with_columns(pl.coalesce(PIECE, SEQUENCE).alias(PIECE))


def apply_records(
    state: State, records: pl.DataFrame, row: Sequence[str], key: Sequence[str]
) -> pl.DataFrame:
    """The elements of an epoch's records; raises Misfit.

    State: the current relation, to know the row that an update replaces and whether a deleted row exists.
    """
    if not records.height:
        return records.select(*row, FROM, TO, N)
    times = [pl.col(FROM), pl.lit(INFINITY, pl.Int64).alias(TO)]
    unknown = records.filter(~pl.col(OP).is_in(["+", "-", "u"] if key else ["+", "-"]) | pl.col(OP).is_null())
    if unknown.height:
        make = update_without_key if unknown[OP][0] == "u" else bad_op
        raise Misfit([make(record) for record in _records(unknown, row)])
    records = _in_order(records, row, key)
    if not key:
        signed = records.with_columns(
            pl.when(pl.col(OP) == "-").then(-1).otherwise(1).cast(pl.Int64).alias(N)
        )
        _count_rows(state, signed, row)
        return signed.select(*row, *times, N)
    return _replace_rows(state, records, row, key).select(*row, *times, N)


def current_rows(frames: Mapping[str, pl.DataFrame], schema: Schema) -> pl.DataFrame:
    """The rows of a relation, from its state, as elements without an end."""
    current = frames.get(CURRENT)
    if current is None:
        return empty(schema)
    copies = pl.col(N) if N in current.columns else pl.lit(1, pl.Int64).alias(N)
    return current.select(*schema.names, pl.lit(INFINITY, pl.Int64).alias(TO), copies)


def until(elements: pl.DataFrame, begin: int) -> pl.DataFrame:
    """Elements that are alive before an instant, for the state of `alive_since`."""
    return elements.with_columns(pl.lit(begin, pl.Int64).alias(_BEGIN))


def alive_since(state: State, frame: pl.DataFrame, begin: int, lo: int, hi: int) -> pl.DataFrame:
    """The elements from an instant on; those that are alive then start then.

    State: the elements before that instant, until an epoch reaches it.
    """
    if lo > begin:
        return frame
    if hi <= begin:
        state.add(EARLIER, until(frame, begin))
        return frame.clear()
    before, is_earlier = state.falling_due(EARLIER, lo, hi), pl.col(FROM) < begin
    stored = [] if before is None else [before.select(frame.columns)]
    alive = concatenated([*stored, frame.filter(is_earlier)]).filter(pl.col(TO) > begin)
    net = alive.group_by(*columns_of(frame), TO, maintain_order=True).agg(pl.col(N).sum())
    started = net.filter(pl.col(N) != 0).with_columns(pl.lit(begin, pl.Int64).alias(FROM))
    return concatenated([started.select(frame.columns), frame.filter(~is_earlier)])


def _in_order(records: pl.DataFrame, row: Sequence[str], key: Sequence[str]) -> pl.DataFrame:
    """The records with a sequence that does not depend on the split into pieces; raises Misfit."""
    if PIECE not in records.columns:
        return records
    group = [FROM, RANK, *(key or row)]
    is_loose = pl.col(PIECE).n_unique().over(group) > 1
    if key:
        _check_updates(records.filter(is_loose), row, group)
    # Without a key a deletion fits if it does in any order of the records: after the insertions.
    is_second = pl.col(OP) != "-" if key else pl.col(OP) == "-"
    ordered = records.sort(FROM, RANK, is_loose & is_second, SEQUENCE)
    return ordered.with_columns(pl.int_range(pl.len(), dtype=pl.Int64).alias(SEQUENCE))


def _check_updates(loose: pl.DataFrame, row: Sequence[str], group: Sequence[str]) -> None:
    puts = loose.filter(pl.col(OP) != "-").unique([*group, *row], maintain_order=True)
    rivals = puts.filter(pl.len().over(group) > 1).sort(group, maintain_order=True)
    if rivals.height:
        raise Misfit([ambiguous_update(*_records(rivals, row)[:2])])


def _count_rows(state: State, signed: pl.DataFrame, row: Sequence[str]) -> None:
    """Update the number of copies of each row; raises Misfit for a deletion of an absent row."""
    before = state.matching(CURRENT, signed)
    former = 0 if before is None else before.rows.height
    parts = [signed.select(*row, FROM, SEQUENCE, N)]
    if before is not None and former:
        first = pl.lit(-INFINITY, pl.Int64)
        start = before.rows.with_columns(first.alias(FROM), first.alias(SEQUENCE))
        parts.insert(0, start.select(*row, FROM, SEQUENCE, N))
    ordered = pl.concat(parts).sort(FROM, SEQUENCE)
    running = ordered.with_columns(pl.col(N).cum_sum().over(row).alias("@left"))
    missing = running.filter(pl.col("@left") < 0)
    if missing.height:
        raise Misfit([absent_row(record, None) for record in _records(missing, row)])
    totals = running.group_by(row).agg(pl.col(N).sum())
    state.add(CURRENT, totals.with_columns((pl.col(N) == 0).alias(GONE)), former)


def _replace_rows(
    state: State, records: pl.DataFrame, row: Sequence[str], key: Sequence[str]
) -> pl.DataFrame:
    """Each record as the row it deletes and the row it inserts."""
    whole = pl.struct(row).alias("@row")
    ordered = records.sort(FROM, SEQUENCE).with_columns(whole)
    after = pl.when(pl.col(OP) != "-").then(pl.col("@row"))
    earlier = after.shift(1).over(key)
    first = pl.int_range(pl.len()).over(key) == 0
    ordered = ordered.with_columns(earlier.alias(_BEFORE), first.alias("@first"))
    before = state.matching(CURRENT, ordered)
    former = 0 if before is None else before.rows.height
    if before is not None and former:
        current, names = with_join_columns(before.rows.select(*key, pl.struct(row).alias("@current")), key)
        ordered, _ = with_join_columns(ordered, key)
        current = current.select(*names, "@current")
        ordered = ordered.join(current, on=names, how="left", nulls_equal=True, maintain_order="left")
        choice = pl.when(pl.col("@first")).then(pl.col("@current")).otherwise(pl.col(_BEFORE))
        ordered = ordered.with_columns(choice.alias(_BEFORE))
    _check_rows(ordered, row)
    replacing = ordered.filter(pl.col(_BEFORE).is_not_null())
    deleted = replacing.select(pl.col(_BEFORE).struct.unnest(), FROM, pl.lit(-1, pl.Int64).alias(N))
    inserted = ordered.filter(pl.col(OP) != "-").select(*row, FROM, pl.lit(1, pl.Int64).alias(N))
    last = ordered.group_by(key, maintain_order=True).last()
    state.add(CURRENT, last.select(*row, (pl.col(OP) == "-").alias(GONE)), former)
    return pl.concat([deleted.select(inserted.columns), inserted])


def _check_rows(ordered: pl.DataFrame, row: Sequence[str]) -> None:
    twice = ordered.filter((pl.col(OP) == "+") & pl.col(_BEFORE).is_not_null())
    differs = pl.col(_BEFORE).is_null() | pl.col(_BEFORE).ne_missing(pl.col("@row"))
    absent = ordered.filter((pl.col(OP) == "-") & differs)
    mistakes: list[object] = []
    for record, old in zip(_records(twice, row), _replaced_rows(twice), strict=False):
        mistakes.append(duplicate_key(record, old or ()))
    mistakes += [
        absent_row(record, old)
        for record, old in zip(_records(absent, row), _replaced_rows(absent), strict=False)
    ]
    if mistakes:
        raise Misfit(mistakes)


def _records(frame: pl.DataFrame, row: Sequence[str]) -> list[Record]:
    some = frame.head(MOST_MISTAKES)
    ops = some[OP].to_list() if OP in some.columns else ["-"] * some.height
    return [
        Record(time, str(op), values)
        for time, op, values in zip(some[FROM].to_list(), ops, some.select(row).rows(), strict=True)
    ]


def _replaced_rows(frame: pl.DataFrame) -> list[tuple[object, ...] | None]:
    return [
        None if old is None else tuple(old.values()) for old in frame[_BEFORE].head(MOST_MISTAKES).to_list()
    ]
