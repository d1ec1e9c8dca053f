"""Estimates of what changes at time points.

ticks P       λ = the share of instants that are points
ℜ P R         waits 1 / (2 λ P) chronons on average; rows that end before the next point are never seen
"""

from __future__ import annotations

from dataclasses import replace

from slackwater.algebra.points import Points
from slackwater.optimize.cost.estimates import LOOK, Estimate

IN_WINDOW = 0.5
"""The share of rows of which a condition on the current time is true, if nothing says otherwise."""


def density(points: Points) -> float:
    """Points per chronon, at most one."""
    return min(1.0, sum(1.0 / one.period for one in points.classes))


def held_back(source: Estimate, density: float) -> Estimate:
    """A relation that changes only at so many points per chronon."""
    if not density:
        return replace(
            source, rate=0.0, ends=0.0, retracted=0.0, alive=0.0, work=source.elements, weight=LOOK
        )
    lifetime = source.alive / source.ends if source.ends else float("inf")
    share = min(1.0, lifetime * density)
    waiting = source.elements / (2 * density) if density < 1.0 else 0.0
    return replace(
        source, rate=source.rate * share, ends=source.ends * share, retracted=source.retracted * share,
        work=2 * source.elements, weight=LOOK, state=waiting, state_bytes=waiting * source.width, moved=0.0,
        period=max(source.period, 1 / density), end_period=max(source.end_period, 1 / density),
    )  # fmt: skip


def in_window(source: Estimate) -> Estimate:
    """A relation, less the rows of which a condition on the current time is not true."""
    return replace(
        source, alive=source.alive * IN_WINDOW, ends=max(source.ends, source.rate), work=2 * source.elements,
        weight=LOOK, state=0.0, state_bytes=0.0, moved=0.0,
    )  # fmt: skip
