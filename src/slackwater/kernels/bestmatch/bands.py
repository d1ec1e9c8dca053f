"""Best partners in two and more dimensions, without making all candidates: in bands of growing width.

     y │     │        │               Of the points with x ≤ w, let m be the least y. Of those with
     m ├──·──┼────────┤               w < x ≤ 4w, only points with y < m can be best: the others are
       │     │ search │               dominated. So a band four times as wide is searched to about a
       │     │  here  │ and here      quarter of the height, and every band costs a few points, whatever
       └─────┴────────┴──────── x     their number within the bounds.
         w       4w        16w

With more dimensions, all but the last have bands, and m is the least value of the last one among the points
of bands that are smaller in each of the others. The points of one band are compared with each other.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

import numpy as np

from slackwater.kernels.bestmatch.rounds import Ints
from slackwater.kernels.bestmatch.skyline import Dimension, skyline, starts
from slackwater.kernels.bestmatch.strips import Points, Strips

_GROWTH = 4
"""How much wider each band is. With 2 there are more searches, with 8 more points that do not matter."""
_STRIP = 2
"""The width of a strip, in widths of the band: a box then touches two strips, or one."""
_FIRST = 3
"""About how many points the first band has."""
_CELLS = 1 << 22
"""The most cells of the table of least values, which limits the left points at a time, and so the pairs of
all their bands, which are in memory together."""

Share = tuple[Ints, Ints, tuple[Dimension, ...]]


class Bands:
    """The bands for two sides whose left points have about so many candidates each."""

    def __init__(self, left: Points, right: Points, bounds: Sequence[float], candidates: float) -> None:
        self._left, self._right, self._bounds = left, right, bounds
        many = math.ceil(math.log(max(candidates / _FIRST, 1), _GROWTH)) + 1
        self._reach = [_finite(bound, left, right, at) for at, bound in enumerate(bounds)]
        self._widths = [
            [reach / _GROWTH**number for number in reversed(range(many))] for reach in self._reach[:-1]
        ]
        self._shape = (many,) * (len(bounds) - 1)
        self._strips: dict[tuple[int, ...], Strips] = {}
        """The right points in the order of each band, sorted once for all left points."""

    @property
    def searches(self) -> float:
        """About how many ranges are searched for a left point."""
        return math.prod(1.5 * many for many in self._shape)

    def pairs(self) -> Iterator[Share]:
        """The best partners of all left points, with the distances."""
        order = self._order()
        size = _CELLS // math.prod(self._shape)
        for low in range(0, len(order), size):
            places = order[low : low + size]
            shares = self._of(self._left[places])
            if len(self._shape) > 1:
                shares = _skylines(list(shares))
            for lefts, rights, distances in shares:
                yield places[lefts], rights, distances

    def _order(self) -> Ints:
        """An order of the left points in which neighbours search the same places."""
        first, second = self._left.values[:2]
        size = max(2 * self._reach[0], float(np.abs(first).max()) * 1e-9) or 1.0
        return np.lexsort((second, np.floor(first / size), self._left.keys))

    def _of(self, left: Points) -> Iterator[Share]:
        """The best partners band by band; with several dimensions in bands also some that are not best."""
        largest = np.inf if left.values[-1].dtype.kind == "f" else np.iinfo(np.int64).max
        least = np.full((*self._shape, len(left)), largest, left.values[-1].dtype)
        for band in itertools.product(*(range(many) for many in self._shape)):
            below = tuple(number - 1 for number in band)
            limit = least[below] if min(band) > 0 else np.full(len(left), largest, least.dtype)
            for at, number in enumerate(band):
                if number:
                    before = (*band[:at], number - 1, *band[at + 1 :])
                    np.minimum(least[band], least[before], out=least[band])
            for lefts, rights, distances in self._search(left, band, limit):
                first = starts(lefts)
                mine = lefts[first]
                lowest = np.minimum.reduceat(distances[-1], first)
                least[band][mine] = np.minimum(least[band][mine], lowest)
                best = skyline(lefts, distances)
                yield lefts[best], rights[best], tuple(distance[best] for distance in distances)

    def _search(self, left: Points, band: tuple[int, ...], limit: Dimension) -> Iterator[Share]:
        """The points of a band that are nearer in the last dimension than the limit of each left point."""
        widths = [of[number] for of, number in zip(self._widths, band, strict=True)]
        inner = [of[number - 1] if number else -1.0 for of, number in zip(self._widths, band, strict=True)]
        if band not in self._strips:
            self._strips[band] = Strips(self._right, self._left, [_STRIP * width for width in widths])
        strips = self._strips[band]
        reach = np.minimum(limit.astype(np.float64), self._reach[-1])
        for lefts, places in strips.around(left, widths, reach):
            rights = strips.order[places]
            distances: list[Dimension] = []
            for at in reversed(range(len(self._bounds))):
                distance = left.distance(self._right, at, lefts, rights)
                is_in = distance <= self._bounds[at]
                if at == len(widths):
                    is_in &= distance < limit[lefts]
                else:
                    as_double = distance.astype(np.float64, copy=False)
                    is_in &= (as_double > inner[at]) & (as_double <= widths[at])
                inside = np.flatnonzero(is_in)
                lefts, rights, distance = lefts[inside], rights[inside], distance[inside]
                distances = [distance, *(earlier[inside] for earlier in distances)]
            if len(lefts):
                yield lefts, rights, tuple(distances)


def _finite(bound: float, left: Points, right: Points, dimension: int) -> float:
    """The bound, or, if it is larger, the largest distance that there is."""
    values = [side.values[dimension] for side in (left, right)]
    extent = float(max(v.max() for v in values)) - float(min(v.min() for v in values))
    return min(float(bound), math.nextafter(extent, math.inf))


def _skylines(shares: list[Share]) -> Iterator[Share]:
    """The best ones of all bands together."""
    if not shares:
        return
    lefts, rights = (np.concatenate([part[at] for part in shares]) for at in (0, 1))
    distances = [np.concatenate(parts) for parts in zip(*(part[2] for part in shares), strict=True)]
    order = np.argsort(lefts, kind="stable")
    best = order[skyline(lefts[order], [distance[order] for distance in distances])]
    yield lefts[best], rights[best], tuple(distance[best] for distance in distances)
