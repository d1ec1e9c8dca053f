"""The starts of sessions, of rows in the order of their times: each key has one session that goes on.

time     1   3       7   9        gap 2
start    1   1       7   7
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from slackwater.kernels import closing
from slackwater.kernels.closing import ENDS, T
from slackwater.kernels.expressions.columns import dtype
from slackwater.kernels.frames import FROM, TIMES, columns_of, concatenated
from slackwater.kernels.keys import number_keys, walk
from slackwater.kernels.runs.tiers import rows_at
from slackwater.kernels.state import GONE, Retention, State
from slackwater.kernels.windows.by_time import moved
from slackwater.physical import steps

OPEN = "open"
_START, _LAST, _KEY = "@start", "@last", "@key"


def state_layout(keys: Sequence[str]) -> dict[str, Retention]:
    """Of each key the last session, and when it may be over."""
    return {OPEN: Retention(key=(*keys, _KEY)), **closing.LAYOUT}


def session_starts(state: State, frame: pl.DataFrame, step: steps.Sessions, lo: int, hi: int) -> pl.DataFrame:
    """The rows, each with the start of the session that it is in when it comes.

    State: the start and the last time of the session of each key, until it is over.
    """
    row, keys = columns_of(frame), [*step.keys, _KEY]
    frame = frame.with_columns(pl.lit(0, pl.Int8).alias(_KEY))  # one key where there are no columns
    former = state.matching(OPEN, frame) if frame.height else None
    before = frame.clear() if former is None else former.rows
    if former is None or not before.height:
        [numbers], count = number_keys([frame], keys), 0
    else:
        numbers, count = np.concatenate([former.numbers, former.sought]), before.height
    earlier = before[_LAST].to_numpy() if count else np.zeros(0, np.int64)
    order, numbers, times = walk(numbers, np.concatenate([earlier, frame[FROM].to_numpy()]))
    is_other = np.append(True, numbers[1:] != numbers[:-1])[: len(order)]
    begins = is_other | np.append(True, np.diff(times) > step.gap)[: len(order)]
    own = np.concatenate([before[_START].to_numpy() if count else earlier, frame[FROM].to_numpy()])[order]
    starts = own[np.maximum.accumulate(np.where(begins, np.arange(len(order)), 0))]
    placed = np.empty(len(order), np.int64)
    placed[order] = starts
    is_last = np.append(numbers[1:] != numbers[:-1], True)[: len(order)]
    both = concatenated([before.select(keys), frame.select(keys)])
    ends = [pl.Series(_START, starts[is_last]), pl.Series(_LAST, times[is_last])]
    _store(state, rows_at(both, order[is_last]).with_columns(ends), keys, step.gap, lo, hi)
    start = pl.Series(step.start, placed[count:]).cast(dtype(step.time.type))
    return frame.with_columns(start).select(*row, step.start, *TIMES)


def _store(state: State, sessions: pl.DataFrame, keys: list[str], gap: int, lo: int, hi: int) -> None:
    """Store the last sessions of the keys that have new rows; drop those that are over."""
    over_at = moved(pl.col(_LAST), gap + 1)
    sessions = sessions.with_columns((over_at < hi).alias(GONE))
    state.add(OPEN, sessions)
    state.add(ENDS, sessions.filter(~pl.col(GONE)).select(*keys, over_at.alias(T)))
    due = state.falling_due(ENDS, lo, hi)
    if due is None or not due.height:
        return
    matches = state.matching(OPEN, due.select(keys).unique())
    if matches is not None:
        over = matches.rows.filter(over_at < hi)
        state.add(OPEN, over.with_columns(pl.lit(True).alias(GONE)), over.height)
