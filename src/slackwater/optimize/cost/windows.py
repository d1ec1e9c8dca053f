"""The estimates of windows: by Little's law, as many rows are alive as begin during the life of one."""

from __future__ import annotations

import math
from dataclasses import replace

from slackwater.algebra import Assign, NestedRows, Rows, Session, Sessions
from slackwater.base.time import INFINITY
from slackwater.optimize.cost.estimates import LOOK, Estimate, combinations
from slackwater.optimize.cost.statistics import Statistics, width_of


def windowed(source: Estimate, lifetime: float, statistics: Statistics, waiting: float = 0.0) -> Estimate:
    """The elements of a stream, each alive for a time; some wait for it to begin."""
    is_bounded = lifetime < statistics.horizon
    return replace(
        source,
        ends=source.rate if is_bounded else 0.0,
        alive=source.rate * min(lifetime, statistics.horizon),
        work=source.rate,
        weight=LOOK,
        state=waiting,
        state_bytes=waiting * source.width,
        moved=source.flow if waiting else 0.0,
        end_period=source.period,
    )


def newest(plan: Rows, source: Estimate, statistics: Statistics) -> Estimate:
    """As many rows as the partitions have room for, and no more than came; a row ends by its successor.

    The number of the last row of each partition is kept, too.
    """
    longest = min(plan.within + 1.0 if plan.within < INFINITY else math.inf, statistics.horizon)
    came = source.rate * longest
    partitions = combinations((source.distinct_of(name) for name in plan.partition), max(came, 1.0))
    alive = min(float(plan.count) * partitions, came)
    ends = source.rate if alive < source.rate * statistics.horizon else 0.0
    state = alive + partitions
    return replace(
        source, ends=ends, retracted=ends, alive=alive, work=source.rate + ends, weight=1.0,
        state=state, state_bytes=state * source.width, moved=source.flow,
    )  # fmt: skip


def nested(plan: NestedRows, source: Estimate, statistics: Statistics) -> Estimate:
    """The rows of all windows; they are ordered once, and the longest keeps them."""
    parts = [newest(window, source, statistics) for window in plan.rows]
    longest = max(parts, key=lambda one: one.state)
    ends = sum(one.ends for one in parts)
    return replace(
        longest, rate=sum(one.rate for one in parts), ends=ends, retracted=ends,
        alive=sum(one.alive for one in parts), work=2 * source.rate + ends / 2,
        distinct={**source.distinct, plan.column: float(len(parts))},
    )  # fmt: skip


_ROWS_OF_SESSION = 10.0
"""A session is taken to have so many rows."""


def in_session(plan: Session, source: Estimate, statistics: Statistics) -> Estimate:
    """A row stays for about half of a session of rows that come with half the gap between them."""
    shown = windowed(source, _ROWS_OF_SESSION * (plan.gap + 1) / 4, statistics)
    return replace(
        shown, retracted=shown.ends, work=2 * source.rate, weight=1.0, state=shown.alive,
        state_bytes=shown.alive * source.width, moved=source.flow,
    )  # fmt: skip


def assigned(plan: Assign, source: Estimate) -> Estimate:
    """Each row in as many windows as its time is in: size by step, or half of the steps."""
    times = (plan.most + 1) / 2 if plan.cumulates else plan.size / plan.step
    distinct = {**source.distinct, plan.start: source.alive, plan.end: source.alive}
    return source.passing(
        source.elements * times, rate=source.rate * times, ends=source.ends * times,
        retracted=source.retracted * times, alive=source.alive * times, distinct=distinct,
        width=width_of(plan.schema),
    )  # fmt: skip


def in_sessions(plan: Sessions, source: Estimate) -> Estimate:
    """A row that comes or goes changes all rows of its session."""
    changed = source.elements * _ROWS_OF_SESSION / 2
    distinct = {**source.distinct, plan.start: source.alive, plan.end: source.alive}
    return replace(
        source, rate=source.rate + changed, retracted=source.retracted + changed, distinct=distinct,
        width=width_of(plan.schema), work=source.elements + 2 * changed, weight=1.0, state=2 * source.alive,
        state_bytes=2 * source.alive * source.width, moved=source.flow,
    )  # fmt: skip
