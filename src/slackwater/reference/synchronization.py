"""Time points: the clock, stamps, and the last point up to an instant.      SyncSQL 2.1, 3.2"""

from __future__ import annotations

from itertools import islice

from slackwater import algebra
from slackwater.algebra.errors import endless_stream
from slackwater.algebra.instants import value_at
from slackwater.algebra.points import Points
from slackwater.base.diagnostic import EngineError
from slackwater.reference.bags import Changes
from slackwater.reference.windows import MOST_REPEATS


def ticks(plan: algebra.Ticks, begin: int, t: int) -> Changes:
    """The points from the beginning of time up to t, each as an element at its own instant."""
    points = list(islice(plan.points.within(begin, t + 1), MOST_REPEATS + 1))
    if len(points) > MOST_REPEATS:
        raise EngineError(endless_stream(plan.origin))
    return {point: {(value_at(point, plan.type),): 1} for point in points}


def stamped(plan: algebra.Stamp, stream: Changes) -> Changes:
    """Each row with the instant of its element."""
    return {
        u: {(*row, value_at(u, plan.type)): copies for row, copies in bag.items()}
        for u, bag in stream.items()
    }


def last_point(points: Points, t: int, begin: int) -> int | None:
    """The last point up to t, since the beginning of time."""
    last = points.floor(t)
    return last if last is not None and last >= begin else None
