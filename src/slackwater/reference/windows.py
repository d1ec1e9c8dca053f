"""Windows at one instant: which rows of a stream are alive, as the papers define them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import singledispatch
from itertools import pairwise

from slackwater import algebra
from slackwater.algebra.operator import Operator
from slackwater.base.time import BEGIN, INFINITY
from slackwater.reference.bags import Bag, Changes, Row, add
from slackwater.reference.values import row_key

MOST_REPEATS = 1_000_000
"""The most instants of an Rstream, or of a clock."""


@singledispatch
def window(plan: Operator, stream: Changes, t: int, begin: int = BEGIN) -> Bag:
    """⟦plan⟧(t), given the stream up to t, where time starts at `begin`."""
    raise NotImplementedError(type(plan).__name__)


@window.register
def _(plan: algebra.Range, stream: Changes, t: int, begin: int = BEGIN) -> Bag:
    if t < begin + plan.slide - 1:
        return {}
    start = t // plan.slide * plan.slide
    return _stamped(stream, lambda u: u <= start <= after(u, plan.duration))


@window.register
def _(plan: algebra.Sliding, stream: Changes, t: int, begin: int = BEGIN) -> Bag:
    return _stamped(stream, lambda u: u <= t < after(u, plan.size))


@window.register
def _(plan: algebra.Fixed, stream: Changes, t: int, begin: int = BEGIN) -> Bag:
    return _stamped(stream, lambda u: t // plan.size * plan.size <= u <= t)


@window.register
def _(plan: algebra.Rows, stream: Changes, t: int, begin: int = BEGIN) -> Bag:
    alive: Bag = {}
    for rows in _partitions(plan, stream, t):
        moved = len(rows) // plan.slide * plan.slide
        for u, row in rows[max(moved - plan.count, 0) : moved]:
            if t <= after(u, plan.within):
                add(alive, row, 1)
    return alive


@window.register
def _(plan: algebra.Session, stream: Changes, t: int, begin: int = BEGIN) -> Bag:
    alive: Bag = {}
    for rows in _partitions(plan, stream, t):
        instants = [u for u, _ in rows] + [t]
        breaks = [v for u, v in pairwise(instants) if v > after(u, plan.gap)]
        for u, row in rows:
            if all(u >= v for v in breaks):
                add(alive, row, 1)
    return alive


@window.register
def _(plan: algebra.NestedRows, stream: Changes, t: int, begin: int = BEGIN) -> Bag:
    alive: Bag = {}
    for number, rows in enumerate(plan.rows):
        for row, copies in window(rows, stream, t, begin).items():
            add(alive, (*row, number), copies)
    return alive


def _partitions(
    plan: algebra.Rows | algebra.Session, stream: Changes, t: int
) -> Iterable[list[tuple[int, Row]]]:
    """The rows up to t of each partition, in order."""
    partitions: dict[Row, list[tuple[int, Row]]] = {}
    key = partition_of(plan)
    for u, row in in_order(stream):
        if u <= t:
            partitions.setdefault(key(row), []).append((u, row))
    return partitions.values()


def _stamped(stream: Changes, accepts: Callable[[int], bool]) -> Bag:
    alive: Bag = {}
    for u, bag in stream.items():
        if accepts(u):
            for row, copies in bag.items():
                add(alive, row, copies)
    return alive


def in_order(stream: Changes) -> Iterator[tuple[int, Row]]:
    """The elements from oldest to newest: by time and, at one instant, by row."""
    for u in sorted(stream):
        for row in sorted(stream[u], key=row_key):
            for _ in range(stream[u][row]):
                yield u, row


def partition_of(plan: algebra.Rows | algebra.Session) -> Callable[[Row], Row]:
    indexes = [plan.source.schema.index(name) for name in plan.partition]
    return lambda row: tuple(row[index] for index in indexes)


def after(instant: int, duration: int) -> int:
    """instant + duration, at most ∞."""
    return INFINITY if duration >= INFINITY or instant >= INFINITY - duration else instant + duration


def life(plan: Operator, u: int, begin: int = BEGIN) -> tuple[int, int] | None:
    """The instants [a, b) at which an element stamped u is in a time window; None for never.

    slide 4     0 . . . 4 . . . 8 . . . 12
    range 3           u─┼───────┤            u = 3: in the window in [4, 8)
    """
    match plan:
        case algebra.Range(duration=duration, slide=slide):
            first = -(-u // slide) * slide
            until = after(u, duration)
            last = until if until == INFINITY else until // slide * slide
            start = max(first, begin + slide - 1)
            end = INFINITY if last >= INFINITY else last + slide
            return (start, end) if last >= first and start < end else None
        case algebra.Sliding(size=size):
            return u, after(u, size)
        case algebra.Fixed(size=size):
            return u, (u // size + 1) * size
        case _:
            raise NotImplementedError(type(plan).__name__)
