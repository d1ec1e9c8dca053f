"""Rows in windows at one instant: the windows of a time, and the sessions of a bag, by their definitions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from slackwater import algebra
from slackwater.algebra.errors import overflow
from slackwater.algebra.instants import instant_at, value_at
from slackwater.algebra.windowing import is_moment
from slackwater.base.diagnostic import EngineError
from slackwater.reference.bags import Bag, Row, add

Value = Callable[[Row], Any]


def windows_of(plan: algebra.Assign, time: Any) -> Iterator[tuple[Any, Any]]:
    """The windows that a time is in, each with its start and end."""
    if time is None:
        return
    moment = instant_at(time)
    period = plan.size if plan.cumulates else plan.step
    start = (moment - plan.offset) // period * period + plan.offset
    while start + plan.size > moment:
        lengths = range(plan.step, plan.size + 1, plan.step) if plan.cumulates else [plan.size]
        for length in lengths:
            if moment < start + length:
                yield _window(plan, start, start + length)
        start -= period


def assigned(plan: algebra.Assign, time: Value, source: Bag) -> Bag:
    """Each row with each window that its time is in."""
    result: Bag = {}
    for row, copies in source.items():
        for window in windows_of(plan, time(row)):
            add(result, row + window, copies)
    return result


def in_sessions(plan: algebra.Sessions, time: Value, key_of: Callable[[Row], Row], source: Bag) -> Bag:
    """Each row with the session of its key that its time is in."""
    moments: dict[Row, set[int]] = {}
    for row in source:
        if time(row) is not None:
            moments.setdefault(key_of(row), set()).add(instant_at(time(row)))
    ends = {key: dict(sessions(times, plan.gap)) for key, times in moments.items()}
    result: Bag = {}
    for row, copies in source.items():
        if time(row) is not None:
            moment, of_key = instant_at(time(row)), ends[key_of(row)]
            start = max(start for start in of_key if start <= moment)
            add(result, row + _window(plan, start, of_key[start] + plan.gap), copies)
    return result


def sessions(moments: set[int], gap: int) -> Iterator[tuple[int, int]]:
    """The first and the last time of each session."""
    times = sorted(moments)
    starts = [time for place, time in enumerate(times) if not place or time - times[place - 1] > gap]
    for start, following in zip(starts, [*starts[1:], None], strict=True):
        yield start, max(time for time in times if following is None or time < following)


def _window(plan: algebra.Assign | algebra.Sessions, start: int, end: int) -> tuple[Any, Any]:
    type_ = plan.time.type
    if not is_moment(start, type_) or not is_moment(end, type_):
        raise EngineError(overflow("a window", type_, plan.origin))
    return value_at(start, type_), value_at(end, type_)
