"""Ranges of properties: whether one is in another, what is left to check of one, the least that has two.

The two ends of a range are conditions of their own. A path may have several nodes in a record, and XQuery
compares each of them: `a > 3 and a < 9` may hold for two different nodes. So `a > 3` follows from `a > 5`,
whatever is said of the other end, but two ends that meet do not make a value.
"""

from __future__ import annotations

from slackwater.globe.model import Range
from slackwater.optimize.sharing.conditions import End, Interval

EVERYTHING = Range()


def interval(bounds: Range) -> Interval:
    """The range as the optimizer has it."""
    low = None if bounds.low is None else End(bounds.low, bounds.includes_low)
    high = None if bounds.high is None else End(bounds.high, bounds.includes_high)
    return Interval(low, high)


def bounds(known: Interval) -> Range:
    """The range of an interval of numbers."""
    low, high = known.low, known.high
    return Range(
        None if low is None else float(low.value), None if high is None else float(high.value),
        low is not None and low.is_closed, high is not None and high.is_closed,
    )  # fmt: skip


def is_point(one: Range) -> bool:
    """Whether it is one value: the comparison `=`."""
    return interval(one).is_point


def is_within(one: Range, other: Range) -> bool:
    """Whether each value of the one is in the other."""
    return interval(one) <= interval(other)


def hull(one: Range, other: Range) -> Range:
    """The least range that has both."""
    return bounds(interval(one) | interval(other))


def narrowed(one: Range, other: Range) -> Range | None:
    """Both conditions as one range; None where nodes of one path could satisfy them apart."""
    if is_point(one) or is_point(other):
        return one if is_within(one, other) else other if is_within(other, one) else None
    both = bounds(interval(one) & interval(other))
    return None if is_point(both) else both


def unchecked(needed: Range, known: Range) -> Range:
    """The ends of a range that do not follow from a known one."""
    if is_point(needed):
        return EVERYTHING if needed == known else needed
    low, high = (needed.low, needed.includes_low), (needed.high, needed.includes_high)
    if is_within(known, Range(low=low[0], includes_low=low[1])):
        low = (None, False)
    if is_within(known, Range(high=high[0], includes_high=high[1])):
        high = (None, False)
    return Range(low[0], high[0], low[1], high[1])
