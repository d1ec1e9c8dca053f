"""The sweep: walk each key's edges in order of time, to find where a function of their sums changes.

    edges    t=2 +1   t=5 +1   t=7 -1      one key, a count
    sums        1        2        1
    δ           1        1        1        ── open from 2, nothing changes at 5 and 7

One sort by (key, time), running sums over all rows, minus the sum before each key's first row. The sums from
before the epoch enter as an edge of their own, just before the epoch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from slackwater.base.time import INFINITY
from slackwater.kernels import closing
from slackwater.kernels.frames import FROM, TO, N, concatenated, elements, until
from slackwater.kernels.keys import number_keys, walk
from slackwater.kernels.runs.tiers import rows_at
from slackwater.kernels.state import GONE, Retention, State
from slackwater.physical.steps import Closing

T, K, COPIES = "@t", "@k", "@copies"
AHEAD, SUMS = "ahead", "sums"
_NO_KEYS = pl.DataFrame()
_COPIES = pl.col(N)

Function = Callable[[pl.DataFrame], pl.DataFrame]
"""From the running sums at each (key, instant) to the columns of the result and `@copies`."""


def state_layout(key: Sequence[str]) -> dict[str, Retention]:
    """The state of a sweep: future edges, the sums of each key, and when keys are over, if that is known."""
    return {AHEAD: Retention(due=T), SUMS: Retention(key=tuple(key)), **closing.LAYOUT}


def edges_of(frame: pl.DataFrame, key: Sequence[str], weights: Sequence[str]) -> pl.DataFrame:
    """Each element as two edges: its weights where it starts, minus its weights where it ends."""
    start = frame.select(*key, pl.col(FROM).alias(T), *weights)
    ends = until(frame, TO, INFINITY)
    if not ends.height:
        return start
    end = ends.select(*key, pl.col(TO).alias(T), *(-pl.col(weight) for weight in weights))
    return pl.concat([start, end])


def sweep_edges(
    state: State,
    edges: pl.DataFrame,
    key: Sequence[str],
    function: Function,
    lo: int,
    hi: int,
    ends: Closing | None = None,
) -> pl.DataFrame:
    """The changes of `function` over each key's sums in the epoch [lo, hi), as elements."""
    sums = positions(state, due(state, edges, lo, hi), key, lo)
    store_sums(state, sums, key, lo, hi, ends)
    return pieces(sums.hstack(function(sums)), key, lo)


def due(state: State, edges: pl.DataFrame, lo: int, hi: int, name: str = AHEAD) -> pl.DataFrame:
    """The edges of this epoch, old and new; later ones are added to the state."""
    old = state.falling_due(name, lo, hi)
    now = until(edges, T, hi)
    if now.height < edges.height:
        state.add(name, edges.filter(pl.col(T) >= hi))
    return now if old is None or not old.height else pl.concat([now, old], how="diagonal")


def is_before(times: pl.Series, end: int) -> bool:
    """Whether all times are before the end: finding out costs less than filters that drop nothing."""
    latest = times.max()
    return latest is None or (isinstance(latest, int) and latest < end)


def positions(state: State, now: pl.DataFrame, key: Sequence[str], lo: int) -> pl.DataFrame:
    """The sums at each (key, instant) where they may change, in order, the former sums of a key first."""
    rows, numbers = now, None
    former = state.matching(SUMS, now)
    if former is not None and former.rows.height:
        mine = former.rows.with_columns(pl.lit(lo - 1, pl.Int64).alias(T))
        rows = pl.concat([mine, now], how="diagonal")
        numbers = np.concatenate([former.numbers, former.sought])
    if numbers is None:
        [numbers] = number_keys([now], key)
    return running(rows, numbers, key)


def running(rows: pl.DataFrame, numbers: NDArray[np.int64], key: Sequence[str]) -> pl.DataFrame:
    """The running sums of each key's rows, in order of time, one row per instant."""
    order, numbers, times = walk(numbers, rows[T].to_numpy())
    first = _differs(numbers)
    last = np.concatenate([(first | _differs(times))[1:], np.ones(min(1, len(order)), np.bool_)])
    places = order[last]
    sums = [name for name in rows.columns if name not in key and name != T]
    totals = [pl.Series(name, _since(_known(rows[name])[order], first)[last]) for name in sums]
    columns = [pl.Series(T, times[last]), *totals, pl.Series(K, numbers[last])]
    return rows_at(rows[list(key)], places).hstack(columns) if key else pl.DataFrame(columns)


def stretches(
    frame: pl.DataFrame, row: Sequence[str], value: pl.Expr = _COPIES, weights: Sequence[str] = (N,)
) -> pl.DataFrame:
    """Elements for every stretch of time in which a `value` of the sums of each row's elements is the same.

    Those in which it is 0 are left out; by default it is the number of copies.
    """
    edges = edges_of(frame, row, weights)
    [numbers] = number_keys([edges], row)
    sums = running(edges, numbers, row).with_columns(value.alias(COPIES))
    is_next = pl.col(K) == pl.col(K).shift(1)
    differs = ~is_next | (pl.col(COPIES) != pl.col(COPIES).shift(1))
    sums = sums.filter(differs.fill_null(True))
    end = pl.when(pl.col(K) == pl.col(K).shift(-1)).then(pl.col(T).shift(-1)).otherwise(INFINITY)
    shown = sums.select(
        *row, pl.col(T).alias(FROM), end.fill_null(INFINITY).alias(TO), pl.col(COPIES).alias(N)
    )
    return shown.filter(pl.col(N) != 0)


def _known(weights: pl.Series) -> NDArray[np.int64]:
    """The weights, 0 where there is none."""
    known: NDArray[np.int64] = (weights.fill_null(0) if weights.null_count() else weights).to_numpy()
    return known


def _differs(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Where a value is not the one before it."""
    return np.concatenate([np.ones(min(1, len(values)), np.bool_), values[1:] != values[:-1]])


def _since(values: NDArray[np.int64], first: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Running sums, starting anew at the first row of each key."""
    total = np.cumsum(values)
    starts = np.flatnonzero(first)
    before = np.where(starts > 0, total[starts - 1], 0) if len(starts) else total[:0]
    lengths = np.diff(np.append(starts, len(values)))
    sums: NDArray[np.int64] = total - np.repeat(before, lengths)
    return sums


def store_sums(
    state: State, sums: pl.DataFrame, key: Sequence[str], lo: int, hi: int, ends: Closing | None = None
) -> pl.DataFrame:
    """Store the last sums of each key; a key whose sums are all zero, or that is over, is removed.

    Returns the keys that are over.
    """
    names = [name for name in sums.columns if name not in (*key, T, K)]
    last = (pl.col(K) != pl.col(K).shift(-1)).fill_null(True)
    is_zero = pl.all_horizontal(pl.col(name) == 0 for name in names) if key else pl.lit(False)
    former = int((sums[T] < lo).sum())
    if ends is None:
        state.add(SUMS, sums.filter(last).select(*key, *names, is_zero.alias(GONE)), former)
        return _NO_KEYS
    is_gone = is_zero | closing.is_over(ends, hi)
    state.add(SUMS, sums.filter(last).select(*key, *names, is_gone.alias(GONE)), former)
    firsts = sums.filter((pl.col(K) != pl.col(K).shift(1)).fill_null(True))
    now, before = closing.keys_over(state, firsts.filter(pl.col(T) >= lo), firsts, key, ends, lo, hi)
    closing.forget(state, SUMS, before)
    return concatenated([now, before]).unique()


def pieces(values: pl.DataFrame, key: Sequence[str], lo: int) -> pl.DataFrame:
    """Elements for every stretch of time in which the values stay the same.

    before  |  epoch [lo, hi)
       a    |  b      b   c              a is deleted where b begins,
    ────────┼──[b)────────[c)── ∞        b is one closed element, c stays open
    """
    names = [*key, *(name for name in values.columns if name not in key and not name.startswith("@"))]
    same_key = pl.col(K) == pl.col(K).shift(1)
    before = pl.when(same_key).then(pl.col(COPIES).shift(1)).otherwise(0).fill_null(0)
    others = [name for name in names if name not in key]
    differs = [pl.col(name).ne_missing(pl.col(name).shift(1)) for name in others]
    changed = (before != pl.col(COPIES)) | (
        (pl.col(COPIES) != 0) & pl.any_horizontal(pl.lit(False), *differs)
    )
    is_former = pl.col(T) < lo
    stretches = values.filter(is_former | changed)
    next_starts = pl.col(K) == pl.col(K).shift(-1)
    following = pl.when(next_starts).then(pl.col(T).shift(-1)).otherwise(INFINITY)
    # What was there before is deleted where something else begins, if anything does.
    start = pl.when(is_former).then(following).otherwise(pl.col(T))
    end = pl.when(is_former).then(INFINITY).otherwise(following)
    copies = pl.when(is_former).then(-pl.col(COPIES)).otherwise(pl.col(COPIES))
    shown = elements(stretches, names, start, end, copies)
    return shown.filter((pl.col(N) != 0) & (pl.col(FROM) < INFINITY))
