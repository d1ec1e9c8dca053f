"""The nearest points in one dimension: the neighbours in a sorted list, with all that are as near.

points   2   4  4      9
x = 5           └x             the two at 4
x = 3    └ x └─┘               as near on both sides: all three
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from slackwater.kernels.bestmatch.rounds import Ints
from slackwater.kernels.bestmatch.skyline import Dimension
from slackwater.kernels.bestmatch.strips import Points
from slackwater.kernels.overlaps import ranges


def nearest(left: Points, right: Points) -> tuple[Ints, Ints]:
    """The places of each left point and of the right points of its key that are nearest to it."""
    mine, order = np.argsort(left.values[0]), np.argsort(right.values[0])
    points = left[mine]
    if left.keys.any() or right.keys.any():
        above, order = _positions_by_key(points, right)
        line = _Line(right.keys[order], right.values[0][order])
    else:
        line = _Line(None, right.values[0][order])
        above = np.searchsorted(line.values, points.values[0])
    low, high, has_any = line.nearest(points, above)
    lefts, places = ranges(low[has_any], high[has_any] + 1)
    return mine[has_any[lefts]], order[places]


def _positions_by_key(points: Points, right: Points) -> tuple[Ints, Ints]:
    """The order of the right points by (key, value), and where in it each point would be."""
    ranks = np.unique(np.concatenate([points.values[0], right.values[0]]), return_inverse=True)[1]
    many = int(ranks.max()) + 1
    mine, theirs = points.keys * many + ranks[: len(points)], right.keys * many + ranks[len(points) :]
    order = np.argsort(theirs, kind="stable")
    return np.searchsorted(theirs[order], mine), order


@dataclass(frozen=True, slots=True)
class _Line:
    """Values in order, of one key or by key."""

    keys: Ints | None
    values: Dimension

    def nearest(self, points: Points, above: Ints) -> tuple[Ints, Ints, Ints]:
        """The first and the last place of the nearest values of each point, and which points have any.

        `above` is the first place whose value is not below the point's.
        """
        low, high = above - 1, above
        distances = self._distance(points, low), self._distance(points, high)
        least = np.minimum(*distances)
        has_any = np.flatnonzero(least < _none(self.values))
        low = np.where(distances[0] == least, low, high)
        high = np.where(distances[1] == least, high, above - 1)
        # Further ones are as near if they are equal, or if the difference is rounded.
        for at, step in ((low, -1), (high, 1)):
            more = has_any
            while len(more):
                as_near = self._distance(points[more], at[more] + step) == least[more]
                more = more[as_near]
                at[more] += step
        return low, high, has_any

    def _distance(self, points: Points, places: Ints) -> Dimension:
        """|a - b| of points and of the values at places; the largest number where the key has none."""
        outside = (places < 0) | (places >= len(self.values))
        places = np.where(outside, 0, places)
        distance: Dimension = np.abs(points.values[0] - self.values[places])
        if self.keys is not None:
            outside |= self.keys[places] != points.keys
        distance[outside] = _none(self.values)
        return distance


def _none(values: Dimension) -> float | int:
    return np.inf if values.dtype.kind == "f" else int(np.iinfo(np.int64).max)
