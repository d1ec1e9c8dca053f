"""A grid of points: those within given distances of a point are in its cell and the cells around it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product
from typing import Any

from slackwater.flux.values.atomic import Number
from slackwater.flux.values.casts import to_double

_MOST_AXES = 3
_FARTHEST = 2.0**40
_SLACK = 2.0**-10
"""Quotients up to _FARTHEST are exact to less than _SLACK, so that no partner is missed by rounding."""


class Grid:
    """Positions of points by cell: as wide as the bound, or one value wide where the bound is 0.

    `limits` are axes with their bounds, `keys` the points by axis. A point that has no finite number on an
    axis is within no bound.
    """

    def __init__(self, limits: Sequence[tuple[int, float]], keys: Sequence[Sequence[Number | None]]) -> None:
        self.limits = limits[:_MOST_AXES]
        self.cells: dict[tuple[float, ...], list[int]] = {}
        self.far: list[int] = []
        """Points that are too far from 0 for their cell to be exact."""
        self.size = len(keys[0])
        for place, point in enumerate(zip(*(keys[axis] for axis, _ in self.limits), strict=True)):
            self._add(point, place)

    def _add(self, point: Sequence[Number | None], place: int) -> None:
        cell: list[float] = []
        for value, (_, bound) in zip(point, self.limits, strict=True):
            number = math.nan if value is None else to_double(value)
            if not math.isfinite(number):
                return
            if bound and abs(number) > _FARTHEST * bound:
                self.far.append(place)
                return
            cell.append(math.floor(number / bound) if bound else number)
        self.cells.setdefault(tuple(cell), []).append(place)

    def near(self, point: Sequence[Number]) -> Sequence[int]:
        """The positions of all points within the bounds of a point, and perhaps more, in their order."""
        ranges: list[Any] = []
        for axis, bound in self.limits:
            number = to_double(point[axis])
            if not math.isfinite(number):
                return ()
            if bound and abs(number) > _FARTHEST * bound:
                return range(self.size)
            at = number / bound if bound else number
            ranges.append(
                range(math.floor(at - 1 - _SLACK), math.floor(at + 1 + _SLACK) + 1) if bound else (at,)
            )
        places = [*self.far]
        for cell in product(*ranges):
            places += self.cells.get(cell, ())
        places.sort()
        return places
