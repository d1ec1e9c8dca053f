"""Session windows: the rows of a stream that have come since nothing came for more than the gap.

gap 2     a1  b3      c6  d7           a and b end at 6, where nothing has come for more than 2;
          ├───────┤   ├──────┤         c and d stay open until that is known of them

An element of a session that goes on has no end; when the session is over, it is taken back.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from slackwater.base.time import INFINITY
from slackwater.kernels.frames import FROM, N, columns_of, elements
from slackwater.kernels.keys import number_keys
from slackwater.kernels.state import GONE, Retention, State
from slackwater.kernels.sweep import T
from slackwater.kernels.windows.by_time import after, moved

OPEN, LAST, CLOSING = "open", "last", "closing"
_ALL, _K, _SESSION, _FORMER = "@all", "@k", "@session", "@former"
_LAST, _END, _IS_OVER = "@last", "@end", "@over"


def state_layout(partition: Sequence[str], row: Sequence[str]) -> dict[str, Retention]:
    part = tuple(partition) or (_ALL,)
    key = tuple(dict.fromkeys((*part, *row, FROM)))
    return {OPEN: Retention(key=key, by=part), LAST: Retention(key=part), CLOSING: Retention(due=T)}


def session_window(
    state: State, stream: pl.DataFrame, gap: int, partition: Sequence[str], lo: int, hi: int
) -> pl.DataFrame:
    """The rows of each partition's session, from their instants until the session is over.

    State: the rows of sessions that go on, their last instants, and when they are over if nothing comes.
    """
    row, part = columns_of(stream), list(partition) or [_ALL]
    columns = list(dict.fromkeys((*part, *row, FROM)))
    new = stream.with_columns(pl.lit(0, pl.Int8).alias(_ALL)).group_by(columns).agg(pl.col(N).sum())
    due = state.falling_due(CLOSING, lo, hi)
    touched = new.select(part) if due is None else pl.concat([new.select(part), due.select(part)])
    if not touched.height:
        return stream.clear()
    former = state.matching(LAST, touched.unique())
    instants = new.select(*part, FROM).unique().with_columns(pl.lit(False).alias(_FORMER))
    if former is not None:
        old = former.rows.select(*part, pl.col(_LAST).alias(FROM), pl.lit(True).alias(_FORMER))
        instants = pl.concat([old, instants])
    numbers, of_rows = number_keys([instants, new], part)
    instants = _with_sessions(instants.with_columns(pl.Series(_K, numbers)), gap, hi)
    ends = instants.filter(~pl.col(_FORMER)).select(_K, FROM, _END, _IS_OVER)
    shown = new.with_columns(pl.Series(_K, of_rows)).join(ends, on=[_K, FROM], how="left")
    leaving = _leaving(state, instants.filter(pl.col(_FORMER) & pl.col(_IS_OVER)), row)
    _store(state, shown.filter(~pl.col(_IS_OVER)).select(*columns, N), instants, part)
    end = pl.when(_IS_OVER).then(_END).otherwise(INFINITY)
    return pl.concat([elements(shown, row, pl.col(FROM), end, pl.col(N)), *leaving])


def _with_sessions(instants: pl.DataFrame, gap: int, hi: int) -> pl.DataFrame:
    """The instants at which rows come, each with the last one of its session, its end, whether it is over."""
    ordered = instants.sort(_K, FROM)
    is_same = (pl.col(_K) == pl.col(_K).shift(1)).fill_null(False)
    begins = ~is_same | (pl.col(FROM) > after(pl.col(FROM).shift(1), gap))
    ordered = ordered.with_columns(begins.cum_sum().alias(_SESSION))
    ordered = ordered.with_columns(pl.col(FROM).max().over(_SESSION).alias(_LAST))
    ordered = ordered.with_columns(moved(after(pl.col(_LAST), gap), 1).alias(_END))
    is_followed = pl.col(_SESSION) < pl.col(_SESSION).max().over(_K)
    return ordered.with_columns((is_followed | (pl.col(_END) < hi)).alias(_IS_OVER))


def _leaving(state: State, ending: pl.DataFrame, row: list[str]) -> list[pl.DataFrame]:
    """The rows of sessions that went on before this epoch and end in it, taken back there."""
    held = state.matching(OPEN, ending) if ending.height else None
    if held is None or not held.rows.height:
        return []
    ends = np.zeros(max(held.sought.max(), held.numbers.max()) + 1, np.int64)
    ends[held.sought] = ending[_END].to_numpy()
    rows = held.rows.with_columns(pl.Series(_END, ends[held.numbers]))
    state.add(OPEN, held.rows.with_columns(pl.lit(True).alias(GONE)), held.rows.height)
    return [elements(rows, row, pl.col(_END), None, -pl.col(N))]


def _store(state: State, rows: pl.DataFrame, instants: pl.DataFrame, part: list[str]) -> None:
    """Keep the rows of sessions that go on, and of each partition when its last session is over."""
    state.add(OPEN, rows.with_columns(pl.lit(False).alias(GONE)), 0)
    last = instants.filter((pl.col(_K) != pl.col(_K).shift(-1)).fill_null(True))
    former = int(instants[_FORMER].sum())
    state.add(LAST, last.select(*part, _LAST, pl.col(_IS_OVER).alias(GONE)), former)
    closing = last.filter(~pl.col(_IS_OVER) & (pl.col(_END) < INFINITY))
    state.add(CLOSING, closing.select(*part, pl.col(_END).alias(T)))
