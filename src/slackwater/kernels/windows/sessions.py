"""Rows in sessions: a row that comes or goes changes the session it is in, merges two or splits one.

gap 2     1 . 3 . . . 7 . 9           [1, 5)  [7, 11)
     + 5  1 . 3 . 5 . 7 . 9           [1, 11)                  all rows have another start or end
     - 3  1 . . . 5 . 7 . 9           [1, 3)  [5, 11)

Sessions depend only on the times of a key's rows. The rows of a session are looked up by its start, and the
sessions beside a time by sections as long as the gap, so that the cost of an epoch depends on the sessions
that it changes. In the epoch they are followed change by change (`following`): a change of a session is one
of all its rows, so that the rows of the result outnumber the changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from slackwater.kernels import closing
from slackwater.kernels.closing import ENDS
from slackwater.kernels.expressions.columns import dtype
from slackwater.kernels.frames import TIMES, N, columns_of, concatenated
from slackwater.kernels.keys import Ints, number_keys
from slackwater.kernels.state import GONE, Retention, State
from slackwater.kernels.sweep import AHEAD, COPIES, K, T, due, edges_of, pieces
from slackwater.kernels.windows.assigned import TIME, check, with_times
from slackwater.kernels.windows.by_time import moved
from slackwater.kernels.windows.following import Change, Following, Record
from slackwater.physical import steps

ROWS, POINTS = "rows", "points"
_SECTION, _SESSION = "@section", "@session"


def state_layout(keys: Sequence[str], row: Sequence[str]) -> dict[str, Retention]:
    session, section = (*keys, _SESSION), (*keys, _SECTION)
    rest = tuple(name for name in row if name not in keys)
    return {
        AHEAD: Retention(due=T),
        ROWS: Retention(key=(*session, *rest), by=session),
        POINTS: Retention(key=(*section, TIME), by=section),
        **closing.LAYOUT,
    }


def in_sessions(
    state: State, frame: pl.DataFrame, step: steps.Sessions, time: pl.Expr, lo: int, hi: int
) -> pl.DataFrame:
    """Each row with the start and end of its session, while these stay the same.

    State: future ends of elements, the current rows with the starts of their sessions, and their times;
    without sessions that are over, where rows come at their time and stay.
    """
    row, keys = columns_of(frame), list(step.keys)
    frame = with_times(frame, time)
    if isinstance(last := frame[TIME].max(), int):
        check(last + step.gap, step.time.type)
    edges = due(state, edges_of(frame, [*row, TIME], [N]), lo, hi)
    edges = edges.group_by(*row, TIME, T).agg(pl.col(N).sum()).filter(pl.col(N) != 0)
    held = _held(state, edges, keys, step.gap)
    held = edges.clear() if held is None else held.with_columns(pl.lit(lo - 1, pl.Int64).alias(T))
    rows = _Rows(pl.concat([held.select(edges.columns), edges]), row, keys)
    following = Following(step.gap)
    following.hold(rows.changes(0, held.height))
    before, points = _placed(following, lo - 1), _points(following, lo - 1)
    following.follow(sorted(rows.changes(held.height, rows.count)))
    changed = _changed(before, _placed(following, lo - 1), rows)
    state.add(ROWS, changed.select(*row, TIME, pl.col(COPIES).alias(N), _SESSION, GONE))
    new_points = _changed(points, _points(following, lo - 1), rows)
    section = (pl.col(TIME) // step.gap).alias(_SECTION)
    # A time that is in another session now is not gone: the key of its row stays the same.
    new_points = new_points.sort(GONE).unique([*keys, TIME], keep="first", maintain_order=True)
    state.add(POINTS, new_points.select(*keys, section, TIME, _SESSION, GONE))
    if step.delay is not None:
        _forget(state, _recorded([*_placed(following, lo).values()], rows), step, lo, hi)
    return _elements([*before.values(), *following.records], rows, step, lo)


class _Rows:
    """The rows of an epoch, those in the state and those that change, with numbers for rows and keys."""

    def __init__(self, frame: pl.DataFrame, row: list[str], keys: list[str]) -> None:
        self.frame, self.row, self.keys, self.count = frame, row, keys, frame.height
        [numbers] = number_keys([frame], row)
        [self._groups] = number_keys([frame], keys)
        # Numbers of keys may be far apart; these are places in an array.
        _, self._first, inverse = np.unique(numbers, return_index=True, return_inverse=True)
        self._numbers: Ints = inverse.reshape(-1)

    def changes(self, begin: int, end: int) -> list[Change]:
        """The changes at these places of the frame."""
        part = self.frame[begin:end]
        columns = [part[name].to_list() for name in (T, TIME, N)]
        groups, numbers = (array[begin:end].tolist() for array in (self._groups, self._numbers))
        return [*map(Change, groups, columns[0], numbers, columns[1], columns[2])]

    def of(self, numbers: Sequence[int]) -> pl.DataFrame:
        """The rows with these numbers, with their times."""
        return self.frame.select(*self.row, TIME)[self._first[np.asarray(numbers, np.int64)]]


def _held(state: State, edges: pl.DataFrame, keys: list[str], gap: int) -> pl.DataFrame | None:
    """The rows of the sessions that a change may join, merge or split; None if there are none."""
    times = edges.select(*keys, pl.col(TIME) // gap).unique()
    sections = [times.with_columns((pl.col(TIME) + near).alias(_SECTION)) for near in (-1, 0, 1)]
    points = state.matching(POINTS, pl.concat(sections).select(*keys, _SECTION).unique())
    if points is None or not points.rows.height:
        return None
    rows = state.matching(ROWS, points.rows.select(*keys, _SESSION).unique())
    return None if rows is None else rows.rows


def _forget(state: State, rows: pl.DataFrame, step: steps.Sessions, lo: int, hi: int) -> None:
    """Drop the sessions that are over: no row can come that is at most the gap later than their last.

    `rows` are those of all sessions that changed.
    """
    assert step.delay is not None
    session = [*step.keys, _SESSION]
    changed = rows.rename({"@start": _SESSION}).select(*session, pl.col("@end").alias(T)).unique()
    ends = changed.with_columns(moved(pl.col(T), step.delay).alias(T))
    state.add(ENDS, ends.filter(pl.col(T) >= hi))
    due = state.falling_due(ENDS, lo, hi)
    over = ends.filter(pl.col(T) < hi).select(session)
    sought = over if due is None else concatenated([over, due.select(session)]).unique()
    matches = state.matching(ROWS, sought) if sought.height and state.has(ROWS) else None
    if matches is None or not matches.rows.height:
        return
    last = pl.col(TIME).max().over(session) if session else pl.col(TIME).max()
    held = matches.rows.filter(moved(last, step.gap + step.delay) < hi)
    state.add(ROWS, held.with_columns(pl.lit(True).alias(GONE)), held.height)
    section = (pl.col(TIME) // step.gap).alias(_SECTION)
    points = held.select(*step.keys, section, TIME, _SESSION).unique([*step.keys, _SECTION, TIME])
    state.add(POINTS, points.with_columns(pl.lit(True).alias(GONE)), points.height)


def _placed(following: Following, at: int) -> dict[int, Record]:
    """The rows there are, with their sessions."""
    return {
        row: Record(row, at, *times.sessions[time], copies)
        for times in following.keys.values()
        for time, rows in times.rows.items()
        for row, copies in rows.items()
    }


def _points(following: Following, at: int) -> dict[tuple[int, int], Record]:
    """The times there are, by key, each with a row that has it."""
    return {
        (key, time): Record(next(iter(rows)), at, *times.sessions[time], 1)
        for key, times in following.keys.items()
        for time, rows in times.rows.items()
    }


def _changed(before: dict[Any, Record], now: dict[Any, Record], rows: _Rows) -> pl.DataFrame:
    """What is another one now, and what is gone or was in another session."""
    removed = [old for one, old in before.items() if one not in now or now[one].start != old.start]
    new = [record for one, record in now.items() if before.get(one) != record]
    is_gone = pl.Series(GONE, [True] * len(removed) + [False] * len(new), pl.Boolean)
    return _recorded([*removed, *new], rows).with_columns(is_gone, pl.col("@start").alias(_SESSION))


def _recorded(records: Sequence[Record], rows: _Rows) -> pl.DataFrame:
    columns: list[Any] = list(zip(*records, strict=True)) or [()] * len(Record._fields)
    names = (K, T, "@start", "@end", COPIES)
    series = [pl.Series(name, column, pl.Int64) for name, column in zip(names, columns, strict=True)]
    return rows.of(columns[0]).with_columns(series)


def _elements(records: Sequence[Record], rows: _Rows, step: steps.Sessions, lo: int) -> pl.DataFrame:
    kind = dtype(step.time.type)
    bounds = (pl.col("@start").cast(kind).alias(step.start), pl.col("@end").cast(kind).alias(step.end))
    values = _recorded(records, rows).sort(K, T).select(*rows.row, *bounds, T, K, COPIES)
    return pieces(values, rows.row, lo).select(*rows.row, step.start, step.end, *TIMES)
