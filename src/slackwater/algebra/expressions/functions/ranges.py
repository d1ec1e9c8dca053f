"""The least and the greatest integer that a function may give, by those of its arguments."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence

from slackwater.algebra.types import GREATEST

Range = tuple[int, int]
Rule = Callable[[Sequence[Range]], Range]
"""The range of the exact result, which may leave 64 bits: then the function may fail."""


def within(least: int, greatest: int) -> Rule:
    return lambda ranges: (least, greatest)


def _corners(compute: Callable[[int, int], int]) -> Rule:
    """For a function whose extremes lie at those of its two arguments."""

    def rule(ranges: Sequence[Range]) -> Range:
        one, other = ranges
        results = [compute(a, b) for a in one for b in other]
        return min(results), max(results)

    return rule


of_sum = _corners(operator.add)
of_difference = _corners(operator.sub)
of_product = _corners(operator.mul)


def as_first(ranges: Sequence[Range]) -> Range:
    return ranges[0]


def toward_zero(ranges: Sequence[Range]) -> Range:
    """No larger than the first, and of its sign."""
    least, greatest = ranges[0]
    return min(least, 0), max(greatest, 0)


def of_quotient(ranges: Sequence[Range]) -> Range:
    """A negative divisor turns the sign: the least integer by -1 is too large."""
    least, greatest = toward_zero(ranges)
    return (min(least, -greatest), max(greatest, -least)) if ranges[1][0] < 0 else (least, greatest)


def of_negative(ranges: Sequence[Range]) -> Range:
    least, greatest = ranges[0]
    return -greatest, -least


def of_size(ranges: Sequence[Range]) -> Range:
    least, greatest = ranges[0]
    return max(least, -greatest, 0), max(greatest, -least)


def of_rounded(ranges: Sequence[Range]) -> Range:
    """To digits before the point a number may be rounded up to twice its size, and beyond."""
    least, greatest = ranges[0]
    if len(ranges) == 1 or ranges[1][0] >= 0:
        return least, greatest
    return -2 * GREATEST, 2 * GREATEST
