"""OVER: for each partition that changes in an epoch, its answer at each instant at which it does.

    edges      t=2 +a   t=5 +b   t=7 -a        one partition, a before b
    in order   a        a b      b             the rows of each instant
    answer     a1       a1 b2    b1            e.g. the row number
    changes    +a1      +b2      -a1 -b2 +b1

An epoch takes time for the rows of the partitions that change, at each instant at which they do; with a
limit, for those within the limit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from slackwater.algebra.expressions.over import SortKey
from slackwater.algebra.schema import Schema
from slackwater.kernels import closing
from slackwater.kernels.aggregates import VALUES
from slackwater.kernels.frames import TIMES, N, columns_of, concatenated, empty
from slackwater.kernels.keys import Ints, member, number_keys, walk
from slackwater.kernels.over.calls import Computed, values
from slackwater.kernels.over.history import History, Limit
from slackwater.kernels.over.places import Places, Rows
from slackwater.kernels.state import GONE, Retention, State
from slackwater.kernels.sweep import AHEAD, COPIES, T, due, edges_of, pieces, running
from slackwater.physical.steps import Closing

ROW = "@row"
_CHUNK = 1_000_000
"""About so many rows are computed at once."""


@dataclass(frozen=True, slots=True)
class Over:
    """The step: partition, order, calls; the function of the limit and how many rows it admits."""

    partition: tuple[str, ...]
    order: tuple[SortKey, ...]
    calls: tuple[Computed, ...]
    limit: tuple[str, int] | None = None
    closing: Closing | None = None
    """Of one of the columns of the partition."""


def state_layout(row: Sequence[str], partition: Sequence[str]) -> dict[str, Retention]:
    """Future ends, the number of copies of each row, by partition, and when partitions are over."""
    return {AHEAD: Retention(due=T), VALUES: Retention(key=tuple(row), by=tuple(partition)), **closing.LAYOUT}


def over(
    state: State,
    frame: pl.DataFrame,
    step: Over,
    schema: Schema,
    lo: int,
    hi: int,
    *,
    is_final: bool = False,
) -> pl.DataFrame:
    """The rows with the values of the calls, of all partitions that change in the epoch [lo, hi).

    State: the rows that are alive, and the future ends of elements. `is_final` is whether no element is ever
    taken back: if none has an end either, the state has only the rows within a limit.
    """
    row = columns_of(frame)
    now = due(state, edges_of(frame, row, [N]), lo, hi)
    if not now.height:
        _forget(state, now, now, step, lo, hi)
        return empty(schema)
    former = state.matching(VALUES, now)
    old = now.clear() if former is None else former.rows.with_columns(pl.lit(lo - 1, pl.Int64).alias(T))
    old = old.select(now.columns)
    rows, ranks, history = _ordered(pl.concat([old, now]), row, step)
    limit = _limit(step)
    stays = None
    if limit is not None:
        if is_final and row and not state.has(AHEAD):
            stays = np.ones(rows.frame.height, np.bool_)
            stays[history.beyond(rows, limit)] = False
        history = history.changing(rows, limit)
    copies = np.concatenate([old[N].to_numpy(), now[N].to_numpy()])
    _remember(state, rows.frame.select(row), ranks, copies, old.height, stays)
    _forget(state, now, old, step, lo, hi)
    return _changes(rows, history, row, step, schema, lo)


def _remember(
    state: State,
    rows: pl.DataFrame,
    ranks: Ints,
    copies: Ints,
    former: int,
    stays: NDArray[np.bool_] | None,
) -> None:
    """Store how many copies of each row there are, without rows that do not stay.

    Edges have the ranks of their rows; the first ones, as many as `former`, are the rows of the state.
    """
    count = max(rows.height, int(ranks.max(initial=-1)) + 1)
    before = np.bincount(ranks[:former], copies[:former], count).astype(np.int64)
    total = np.bincount(ranks, copies, count).astype(np.int64)
    if stays is not None:
        total = np.where(stays, total, 0)
    changed = np.flatnonzero(total != before)
    columns = [pl.Series(N, total[changed]), pl.Series(GONE, total[changed] == 0)]
    stored = rows[changed].with_columns(columns) if rows.width else pl.DataFrame(columns)
    state.add(VALUES, stored, int((before[changed] != 0).sum()))


def _forget(state: State, now: pl.DataFrame, old: pl.DataFrame, step: Over, lo: int, hi: int) -> None:
    """Drop the partitions that are over, in which nothing changes any more."""
    if step.closing is None:
        return
    touched, known = (frame.select(step.partition).unique() for frame in (now, old))
    numbers, others = number_keys([touched, known], step.partition)
    new = touched.filter(pl.Series(~member(numbers, others)))
    over = closing.keys_over(state, new, touched, step.partition, step.closing, lo, hi)
    closing.forget(state, VALUES, concatenated(over).unique())


def current_rows(
    frames: Mapping[str, pl.DataFrame], step: Over, row: Sequence[str], schema: Schema, now: int
) -> pl.DataFrame:
    """The rows of all partitions, from the state, as elements that start now and have no end."""
    if VALUES not in frames or not frames[VALUES].height:
        return empty(schema)
    alive = frames[VALUES].select(*row, pl.lit(now, pl.Int64).alias(T), N)
    rows, _, history = _ordered(alive, list(row), step)
    return _changes(rows, history, list(row), step, schema, now)


def _ordered(edges: pl.DataFrame, row: list[str], step: Over) -> tuple[Rows, Ints, History]:
    """The different rows in order, the ranks of the edges' rows among them, and the edges, which are all of
    some partitions, by partition and time."""
    rows, ranks = _ranked(edges, row, step.order)
    [numbers] = number_keys([edges], step.partition)
    order, numbers, times = walk(numbers, edges[T].to_numpy())
    return rows, ranks, History.of(numbers, times, ranks[order], edges[N].to_numpy()[order])


def _changes(
    rows: Rows, history: History, row: list[str], step: Over, schema: Schema, lo: int
) -> pl.DataFrame:
    """The changes of the answer."""
    names = [call.name for call in step.calls]
    parts = [_answered(rows, history, places, step) for places in _chunks(history, rows, step)]
    if not parts:
        return empty(schema)
    changes = pl.concat(parts)
    key = [ROW, *names]
    [numbers] = number_keys([changes], key)
    sums = running(changes, numbers, key)
    changed = pieces(sums.with_columns(pl.col(N).alias(COPIES)), key, lo)
    held = rows.frame.select(row)[changed[ROW].to_numpy()] if row else pl.DataFrame()
    return held.hstack(changed.select(*names, *TIMES)).select(empty(schema).columns)


def _ranked(edges: pl.DataFrame, row: list[str], order: tuple[SortKey, ...]) -> tuple[Rows, Ints]:
    """The different rows in order, and the rank of each edge's row among them."""
    [numbers] = number_keys([edges], row)
    _, first, inverse = np.unique(numbers, return_index=True, return_inverse=True)
    distinct = edges[first].select(*row, pl.int_range(pl.len()).alias("@place"))
    if row:
        keys = [*order, *(SortKey(name) for name in row)]
        distinct = distinct.sort(
            [pl.col(key.column) for key in keys],
            descending=[key.descending for key in keys],
            nulls_last=[not key.nulls_first for key in keys],
        )
    ranks = np.empty(distinct.height, np.int64)
    ranks[distinct["@place"].to_numpy()] = np.arange(distinct.height)
    [groups] = number_keys([distinct], [key.column for key in order])
    differs = groups[1:] != groups[:-1]
    peers = np.concatenate([np.zeros(min(1, distinct.height), np.int64), np.cumsum(differs)])
    return Rows(distinct.drop("@place"), peers, order), ranks[inverse.reshape(-1)]


def _chunks(history: History, rows: Rows, step: Over) -> Iterator[Places]:
    """The rows of all positions, in order, some positions at a time."""
    limit = _limit(step)
    counts = history.total if limit is None else history.admitted(rows, limit)
    total = np.cumsum(counts)
    start = 0
    while start < len(counts):
        before = total[start - 1] if start else 0
        end = max(int(np.searchsorted(total, before + _CHUNK, "right")), start + 1)
        if total[end - 1] > before:
            yield Places.of(rows, start, counts[start:end], history, is_whole=limit is None)
        start = end


def _limit(step: Over) -> Limit | None:
    if step.limit is None:
        return None
    name, most = step.limit
    return Limit(most, next(call.function for call in step.calls if call.name == name) == "rank")


def _answered(rows: Rows, history: History, places: Places, step: Over) -> pl.DataFrame:
    """The changes that the answers at some positions make: they begin there and end at the next position.

    A row with the same values at the next position goes on; of the first of these positions all rows begin,
    and of the last one all end, so that sums over all positions are right.
    """
    columns = {call.name: values(call, places, rows).alias(call.name) for call in step.calls}
    answer = pl.DataFrame({ROW: places.ranks}).with_columns(*columns.values())
    before = _unchanged(places, history, list(columns.values()))
    goes_on = history.is_last[places.positions]
    goes_on[before[before >= 0]] = True
    begins, ends = np.flatnonzero(before < 0), np.flatnonzero(~goes_on)
    begin = answer[begins].with_columns(
        pl.Series(T, history.times[places.positions[begins]]), pl.lit(1, pl.Int64).alias(N)
    )
    end = answer[ends].with_columns(
        pl.Series(T, history.next_times[places.positions[ends]]), pl.lit(-1, pl.Int64).alias(N)
    )
    return pl.concat([begin, end])


def _unchanged(places: Places, history: History, columns: list[pl.Series]) -> Ints:
    """For each row its place at the position before, if it has the same values there; else -1."""
    positions, width = places.positions, int(places.ranks.max()) + 1
    codes = positions * width + places.ranks
    first = np.append(True, codes[1:] != codes[:-1])
    copy = places.here - np.maximum.accumulate(np.where(first, places.here, 0))
    before = np.minimum(np.searchsorted(codes, codes - width, "left") + copy, len(codes) - 1)
    has_before = (codes[before] == codes - width) & (history.begin[positions] == history.begin[positions - 1])
    here = np.flatnonzero(has_before)
    there = before[here]
    same = np.ones(len(here), bool)
    for column in columns:
        same &= column.gather(here).eq_missing(column.gather(there)).to_numpy()
    unchanged = np.full(len(codes), -1, np.int64)
    unchanged[here[same]] = there[same]
    return unchanged
