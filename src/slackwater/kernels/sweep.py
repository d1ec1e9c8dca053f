"""The sweep: walk each key's edges in time order and say where a function of their sums changes.

    edges    t=2 +1   t=5 +1   t=7 -1      one key, a count
    sums        1        2        1
    δ           1        1        1        ── open from 2, nothing changes at 5 and 7

Written as one sort by (key, time), running sums over everything, and the base at each key's first row
taken off. What the sums were before the epoch enters as an edge of its own, just before the epoch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from slackwater.base.time import INFINITY
from slackwater.kernels.frames import FROM, TO, elements
from slackwater.kernels.keys import member, numbered, walk
from slackwater.kernels.state import GONE, Kept, State

T, K, COPIES = "@t", "@k", "@copies"
AHEAD, SUMS = "ahead", "sums"

Function = Callable[[pl.DataFrame], pl.DataFrame]
"""From the running sums at each (key, instant) to the columns of the answer and `@copies` of it."""


def state_layout(key: Sequence[str]) -> dict[str, Kept]:
    """What a sweep keeps: edges that lie ahead, and each key's sums."""
    return {AHEAD: Kept(due=T), SUMS: Kept(key=tuple(key))}


def edges_of(frame: pl.DataFrame, key: Sequence[str], weights: Sequence[str]) -> pl.DataFrame:
    """Each element as two edges: its weights where it starts, taken back where it ends."""
    start = frame.select(*key, pl.col(FROM).alias(T), *weights)
    ends = frame.filter(pl.col(TO) < INFINITY)
    end = ends.select(*key, pl.col(TO).alias(T), *(-pl.col(each) for each in weights))
    return pl.concat([start, end])


def swept(
    state: State, edges: pl.DataFrame, key: Sequence[str], function: Function, lo: int, hi: int
) -> pl.DataFrame:
    """The changes of `function` over each key's sums in the epoch [lo, hi), as elements."""
    found = positions(state, due(state, edges, lo, hi), key, lo)
    remember(state, found, key)
    return pieces(found.hstack(function(found)), key, lo)


def due(state: State, edges: pl.DataFrame, lo: int, hi: int, name: str = AHEAD) -> pl.DataFrame:
    """The edges that fall into the epoch, old and new; the rest is kept for later."""
    ahead = state.get(name)
    state.add(name, edges.filter(pl.col(T) >= hi))
    now = edges.filter(pl.col(T) < hi)
    if ahead is None:
        return now
    old = ahead.filter(pl.col(T).is_between(lo, hi, closed="left"))
    return pl.concat([now, old], how="diagonal") if old.height else now


def positions(state: State, now: pl.DataFrame, key: Sequence[str], lo: int) -> pl.DataFrame:
    """The sums at each (key, instant) at which they may change, ordered, each key's former sums first."""
    rows, numbers = now, None
    former = state.get(SUMS)
    if former is not None and former.height:
        old, new = numbered([former, now], key)
        touched = member(old, new) if key else np.ones(len(old), np.bool_)
        mine = former.filter(pl.Series(touched)).with_columns(pl.lit(lo - 1, pl.Int64).alias(T))
        rows = pl.concat([mine, now], how="diagonal")
        numbers = np.concatenate([old[touched], new])
    if numbers is None:
        [numbers] = numbered([now], key)
    return running(rows, numbers, key)


def running(rows: pl.DataFrame, numbers: NDArray[np.int64], key: Sequence[str]) -> pl.DataFrame:
    """The running sums of each key's rows, in order of time, once for each instant."""
    order, numbers, times = walk(numbers, rows[T].to_numpy())
    first = _differs(numbers)
    last = np.concatenate([(first | _differs(times))[1:], np.ones(min(1, len(order)), np.bool_)])
    kept = order[last]
    sums = [name for name in rows.columns if name not in key and name != T]
    totals = [
        pl.Series(name, _since(rows[name].fill_null(0).to_numpy()[order], first)[last]) for name in sums
    ]
    columns = [pl.Series(T, times[last]), *totals, pl.Series(K, numbers[last])]
    return rows.select(key)[kept].with_columns(*columns) if key else pl.DataFrame(columns)


def _differs(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Where a value is not the one before it."""
    return np.concatenate([np.ones(min(1, len(values)), np.bool_), values[1:] != values[:-1]])


def _since(values: NDArray[np.int64], first: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Running sums, each counted from its key's first row."""
    total = np.cumsum(values)
    starts = np.flatnonzero(first)
    before = np.where(starts > 0, total[starts - 1], 0) if len(starts) else total[:0]
    lengths = np.diff(np.append(starts, len(values)))
    found: NDArray[np.int64] = total - np.repeat(before, lengths)
    return found


def remember(state: State, found: pl.DataFrame, key: Sequence[str]) -> None:
    """Keep each touched key's last sums; a key whose sums are all zero is forgotten."""
    sums = [name for name in found.columns if name not in (*key, T, K)]
    last = (pl.col(K) != pl.col(K).shift(-1)).fill_null(True)
    gone = pl.all_horizontal(pl.col(name) == 0 for name in sums) if key else pl.lit(False)
    state.add(SUMS, found.filter(last).select(*key, *sums, gone.alias(GONE)))


def pieces(found: pl.DataFrame, key: Sequence[str], lo: int) -> pl.DataFrame:
    """Elements for every stretch of time in which the answer stays the same.

    before  |  epoch [lo, hi)
       a    |  b      b   c              a is taken back where b begins,
    ────────┼──[b)────────[c)── ∞        b is one closed element, c stays open
    """
    names = [*key, *(name for name in found.columns if name not in key and not name.startswith("@"))]
    same_key = pl.col(K) == pl.col(K).shift(1)
    before = pl.when(same_key).then(pl.col(COPIES).shift(1)).otherwise(0).fill_null(0)
    others = [name for name in names if name not in key]
    differs = [pl.col(name).ne_missing(pl.col(name).shift(1)) for name in others]
    changed = (before != pl.col(COPIES)) | (
        (pl.col(COPIES) != 0) & pl.any_horizontal(pl.lit(False), *differs)
    )
    is_former = pl.col(T) < lo
    stretches = found.filter(is_former | changed)
    next_starts = pl.col(K) == pl.col(K).shift(-1)
    following = pl.when(next_starts).then(pl.col(T).shift(-1))
    stretches = stretches.with_columns(following.alias("@next"))
    within = stretches.filter((pl.col(T) >= lo) & (pl.col(COPIES) != 0))
    ended = stretches.filter((pl.col(T) < lo) & (pl.col(COPIES) != 0) & pl.col("@next").is_not_null())
    inside = elements(within, names, pl.col(T), pl.col("@next").fill_null(INFINITY), pl.col(COPIES))
    return pl.concat([inside, elements(ended, names, pl.col("@next"), None, -pl.col(COPIES))])
