"""The best candidates of a group while candidates come one by one: a skyline (thesis 4.2.2.3).

A candidate that is dominated is dropped at once. That is exact because dominance is transitive: what it
dominates is dominated by its own dominator, too.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import ge, le
from typing import Any, TypeAlias

from slackwater.language.xquery import syntax as ast

Point: TypeAlias = tuple[Any, ...]
"""A number in each dimension of min or max, negated for max, and a set in each other one."""
Dominates: TypeAlias = Callable[[Point, Point], bool]


def dominance(orders: list[str]) -> Dominates:
    """Whether the first point is at least as good everywhere as the second, and not equal."""
    if all(order in ast.EXTREMES for order in orders):
        match len(orders):
            case 1:
                return lambda one, other: one[0] < other[0]
            case 2:
                return lambda one, other: one[0] <= other[0] and one[1] <= other[1] and one != other
        return lambda one, other: all(map(le, one, other)) and one != other
    # A larger set is better for subset (definition 4.2.2): one >= other is other ⊆ one.
    compare = [ge if order == "subset" else le for order in orders]
    return lambda one, other: (
        one != other
        and all(is_as_good(left, right) for is_as_good, left, right in zip(compare, one, other, strict=True))
    )


class Skyline:
    """The candidates of one group that no candidate so far dominates: their numbers, by point."""

    __slots__ = ("dominates", "points")

    def __init__(self, dominates: Dominates) -> None:
        self.dominates = dominates
        self.points: dict[Point, list[int]] = {}

    def add(self, point: Point, number: int) -> bool:
        """Adds a candidate, unless one of them dominates it."""
        dominates, points = self.dominates, self.points
        equal = points.get(point)
        if equal is not None:
            equal.append(number)
            return True
        beaten: list[Point] = []
        for other in points:
            if dominates(other, point):
                return False
            if dominates(point, other):
                beaten.append(other)
        for other in beaten:
            del points[other]
        points[point] = [number]
        return True
