"""Relations as they are given: records of changes become elements.

    time | op | row                  (a, 1, ∞, +1)
    1    | +  | a            ─►      (a, 4, ∞, -1) (b, 4, ∞, +1)
    4    | u  | b   same key

Records of one instant count by their sequence and, where that is equal or there is none, in the order of the
rows that they come from. Between pieces there is no such order: two files, or two rows of a DataFrame. Then
deletions count first, and two different rows that take the place of one key are refused: which of them is
there afterwards would depend on how the rows were cut.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from slackwater.algebra.changes import (
    Record,
    absent_row,
    ambiguous_update,
    bad_op,
    duplicate_key,
    update_without_key,
)
from slackwater.base.time import INFINITY
from slackwater.kernels.frames import FROM, TO, N
from slackwater.kernels.keys import joinable, member, numbered
from slackwater.kernels.state import GONE, Kept, State

OP, SEQUENCE = "@op", "@sequence"
RANK, PIECE = "@rank", "@piece"
"""What the user's sequence says, and the piece inside which the order of rows is given."""
CURRENT = "current"
_BEFORE = "@before"
MOST_MISTAKES = 20


class Misfit(Exception):
    """Records that do not fit the relation they find."""

    def __init__(self, diagnostics: list[object]) -> None:
        super().__init__(f"{len(diagnostics)} records do not fit")
        self.diagnostics = diagnostics


def state_layout(row: Sequence[str], key: Sequence[str]) -> dict[str, Kept]:
    """The relation as it stands, by key or, without one, by row."""
    return {CURRENT: Kept(key=tuple(key or row))}


def applied(state: State, records: pl.DataFrame, row: Sequence[str], key: Sequence[str]) -> pl.DataFrame:
    """The elements that the records of an epoch spell; raises Misfit.

    Kept: the relation as it stands, to know what an update replaces and whether a deletion is one.
    """
    times = [pl.col(FROM), pl.lit(INFINITY, pl.Int64).alias(TO)]
    known = records.filter(~pl.col(OP).is_in(["+", "-", "u"] if key else ["+", "-"]) | pl.col(OP).is_null())
    if known.height:
        make = update_without_key if known[OP][0] == "u" else bad_op
        raise Misfit([make(each) for each in _records(known, row)])
    records = _in_order(records, row, key)
    if not key:
        signed = records.with_columns(
            pl.when(pl.col(OP) == "-").then(-1).otherwise(1).cast(pl.Int64).alias(N)
        )
        _count(state, signed, row)
        return signed.select(*row, *times, N)
    return _replaced(state, records, row, key).select(*row, *times, N)


def _in_order(records: pl.DataFrame, row: Sequence[str], key: Sequence[str]) -> pl.DataFrame:
    """The records with a sequence that no cut into pieces can change; raises Misfit where there is none."""
    if PIECE not in records.columns:
        return records
    group = [FROM, RANK, *(key or row)]
    is_loose = pl.col(PIECE).n_unique().over(group) > 1
    if key:
        _refuse_ambiguous(records.filter(is_loose), row, group)
    # Without a key a deletion fits if any order of the records lets it: after what is inserted.
    is_second = pl.col(OP) != "-" if key else pl.col(OP) == "-"
    ordered = records.sort(FROM, RANK, is_loose & is_second, SEQUENCE)
    return ordered.with_columns(pl.int_range(pl.len(), dtype=pl.Int64).alias(SEQUENCE))


def _refuse_ambiguous(loose: pl.DataFrame, row: Sequence[str], group: Sequence[str]) -> None:
    puts = loose.filter(pl.col(OP) != "-").unique([*group, *row], maintain_order=True)
    rivals = puts.filter(pl.len().over(group) > 1).sort(group, maintain_order=True)
    if rivals.height:
        raise Misfit([ambiguous_update(*_records(rivals, row)[:2])])


def _count(state: State, signed: pl.DataFrame, row: Sequence[str]) -> None:
    """Keep each row's copies, and refuse a deletion of what is not there."""
    before = state.get(CURRENT)
    parts = [signed.select(*row, FROM, SEQUENCE, N)]
    if before is not None and before.height:
        old, new = numbered([before, signed], row)
        mine = before.filter(pl.Series(member(old, new)))
        first = pl.lit(-INFINITY, pl.Int64)
        start = mine.with_columns(first.alias(FROM), first.alias(SEQUENCE))
        parts.insert(0, start.select(*row, FROM, SEQUENCE, N))
    ordered = pl.concat(parts).sort(FROM, SEQUENCE)
    running = ordered.with_columns(pl.col(N).cum_sum().over(row).alias("@left"))
    missing = running.filter(pl.col("@left") < 0)
    if missing.height:
        raise Misfit([absent_row(each, None) for each in _records(missing, row)])
    totals = running.group_by(row).agg(pl.col(N).sum())
    state.add(CURRENT, totals.with_columns((pl.col(N) == 0).alias(GONE)))


def _replaced(state: State, records: pl.DataFrame, row: Sequence[str], key: Sequence[str]) -> pl.DataFrame:
    """Each record as what it takes away and what it puts there."""
    whole = pl.struct(row).alias("@row")
    ordered = records.sort(FROM, SEQUENCE).with_columns(whole)
    after = pl.when(pl.col(OP) != "-").then(pl.col("@row"))
    earlier = after.shift(1).over(key)
    first = pl.int_range(pl.len()).over(key) == 0
    ordered = ordered.with_columns(earlier.alias(_BEFORE), first.alias("@first"))
    before = state.get(CURRENT)
    if before is not None and before.height:
        current, names = joinable(before.select(*key, pl.struct(row).alias("@current")), key)
        ordered, _ = joinable(ordered, key)
        current = current.select(*names, "@current")
        ordered = ordered.join(current, on=names, how="left", nulls_equal=True, maintain_order="left")
        choice = pl.when(pl.col("@first")).then(pl.col("@current")).otherwise(pl.col(_BEFORE))
        ordered = ordered.with_columns(choice.alias(_BEFORE))
    _refuse(ordered, row)
    left = ordered.filter(pl.col(_BEFORE).is_not_null())
    gone = left.select(pl.col(_BEFORE).struct.unnest(), FROM, pl.lit(-1, pl.Int64).alias(N))
    come = ordered.filter(pl.col(OP) != "-").select(*row, FROM, pl.lit(1, pl.Int64).alias(N))
    last = ordered.group_by(key, maintain_order=True).last()
    state.add(CURRENT, last.select(*row, (pl.col(OP) == "-").alias(GONE)))
    return pl.concat([gone.select(come.columns), come])


def _refuse(ordered: pl.DataFrame, row: Sequence[str]) -> None:
    twice = ordered.filter((pl.col(OP) == "+") & pl.col(_BEFORE).is_not_null())
    differs = pl.col(_BEFORE).is_null() | pl.col(_BEFORE).ne_missing(pl.col("@row"))
    absent = ordered.filter((pl.col(OP) == "-") & differs)
    mistakes: list[object] = []
    for record, old in zip(_records(twice, row), _olds(twice), strict=False):
        mistakes.append(duplicate_key(record, old or ()))
    mistakes += [
        absent_row(record, old) for record, old in zip(_records(absent, row), _olds(absent), strict=False)
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


def _olds(frame: pl.DataFrame) -> list[tuple[object, ...] | None]:
    return [
        None if each is None else tuple(each.values())
        for each in frame[_BEFORE].head(MOST_MISTAKES).to_list()
    ]
