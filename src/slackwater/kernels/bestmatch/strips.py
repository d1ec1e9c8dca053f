"""Points in eps-grid order: by key, by strip in all dimensions but the last, and by the last one.

     strip 0 │ strip 1 │ strip 2         A box around a point touches few strips of each dimension. In a
             │  ┌──────┼──┐              strip, what is in the box is a range of the last dimension, which two
       ·     │  │·   p │ ·│   ·          binary searches find.
             │  └──────┼──┘
         ·   │    ·    │    ·

The order is that of Böhm and Kriegel [SIGMOD 2001], with a width per dimension (thesis 4.3.4.1), and inside a
cell by the last dimension's values. Searches are in doubles and find too much rather than too little: callers
compare the exact values.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from slackwater.kernels.bestmatch.rounds import Ints
from slackwater.kernels.bestmatch.skyline import Dimension
from slackwater.kernels.overlaps import ranges

Floats = NDArray[np.float64]
_MOST_STRIPS = 1 << 38
"""Strips and keys are packed with the last dimension into a double, which must still separate its values."""
_ROUNDING = 2.0**-48
_MOST_PAIRS = 1 << 20
"""About how many pairs are made at a time."""
_MANY = 100_000
"""So many searches are worth threads."""


@dataclass(frozen=True, slots=True)
class Points:
    """Rows as points: the numbers of their keys, and a value in each dimension, int64 or finite float64."""

    keys: Ints
    values: tuple[Dimension, ...]

    def __len__(self) -> int:
        return len(self.keys)

    def __getitem__(self, places: Any) -> Points:
        return Points(self.keys[places], tuple(value[places] for value in self.values))

    def distance(self, other: Points, dimension: int, mine: Ints, theirs: Ints) -> Dimension:
        """|a - b| of the points at these places."""
        distance: Dimension = np.abs(self.values[dimension][mine] - other.values[dimension][theirs])
        return distance


class Strips:
    """The points of one side in eps-grid order: strips of these widths in all dimensions but the last."""

    def __init__(self, points: Points, others: Points, widths: Sequence[float]) -> None:
        """For searches around `others`."""
        both = [np.concatenate(pair) for pair in zip(points.values, others.values, strict=True)]
        self._low = [float(values.min()) if len(values) else 0.0 for values in both]
        extents = [
            float(values.max()) - low if len(values) else 0.0
            for values, low in zip(both, self._low, strict=True)
        ]
        self._slack = [
            _ROUNDING * max(abs(low), abs(low + extent), extent)
            for low, extent in zip(self._low, extents, strict=True)
        ]
        keys = 1 + max((int(side.keys.max()) for side in (points, others) if len(side)), default=0)
        most = max(_MOST_STRIPS / keys, 1.0) ** (1 / max(len(widths), 1))
        self._widths = [
            max(width, extent / most, slack) or 1.0
            for width, extent, slack in zip(widths, extents[:-1], self._slack[:-1], strict=True)
        ]
        self._counts = [
            int(extent / width) + 1 for extent, width in zip(extents[:-1], self._widths, strict=True)
        ]
        self._span = 2 * extents[-1] + 1e-300 if extents[-1] else 1.0
        cells = points.keys
        for at, count in enumerate(self._counts):
            cells = cells * count + self._strip(at, points.values[at].astype(np.float64))
        packed = cells * self._span + (points.values[-1].astype(np.float64) - self._low[-1])
        self.order: Ints = np.argsort(packed)
        self._packed = packed[self.order]
        self._extent = extents[-1]

    def _strip(self, dimension: int, values: Floats) -> Ints:
        strips = (values - self._low[dimension]) / self._widths[dimension]
        return np.clip(strips, 0, self._counts[dimension] - 1).astype(np.int64)

    def around(self, centres: Points, reach: Sequence[float], last: Floats) -> Iterator[tuple[Ints, Ints]]:
        """The places of (centre, point) of one key, at most `reach` apart, in the last dimension `last`.

        And some that are further apart. In shares that fit in memory, all points of a centre in one share.
        """
        begins, ends = self._ranges(centres, reach, last)
        total = np.cumsum((ends - begins).sum(axis=1))
        cuts = np.searchsorted(total, np.arange(_MOST_PAIRS, total[-1] if len(total) else 0, _MOST_PAIRS))
        bounds = [0, *np.unique(cuts + 1).tolist(), len(centres)]
        for low, high in itertools.pairwise(bounds):
            number, places = ranges(begins[low:high].ravel(), ends[low:high].ravel())
            yield number // begins.shape[1] + low, places

    def _ranges(self, centres: Points, reach: Sequence[float], last: Floats) -> tuple[Ints, Ints]:
        """For each centre and each strip that its box touches, where the points of the box begin and end."""
        low, high = self._in_last(centres.values[-1].astype(np.float64), last)
        firsts, touched = [], []
        for at, distance in enumerate(reach):
            middle = centres.values[at].astype(np.float64)
            distance = distance + self._slack[at]
            firsts.append(self._strip(at, middle - distance))
            touched.append(self._strip(at, middle + distance) - firsts[-1])
        most = [int(more.max()) + 1 if len(more) else 1 for more in touched]
        bounds: list[tuple[Floats, Literal["left", "right"]]] = []
        outside = []
        for steps in itertools.product(*(range(many) for many in most)):
            cells, is_touched = centres.keys, np.ones(len(centres), np.bool_)
            for at, step in enumerate(steps):
                cells = cells * self._counts[at] + (firsts[at] + step)
                is_touched &= step <= touched[at]
            base = cells * self._span
            bounds += [(base + low, "left"), (base + high, "right")]
            outside.append(~is_touched)
        places = self._searched(bounds)
        begins, ends = np.stack(places[::2], axis=1), np.stack(places[1::2], axis=1)
        return begins, np.where(np.stack(outside, axis=1), begins, ends)

    def _searched(self, bounds: Sequence[tuple[Floats, Literal["left", "right"]]]) -> list[Ints]:
        """The places of the bounds among the points; of many in threads, since numpy searches unlocked."""
        if len(bounds[0][0]) < _MANY:
            return [np.searchsorted(self._packed, values, side=side) for values, side in bounds]
        with ThreadPoolExecutor() as threads:
            return list(threads.map(lambda one: np.searchsorted(self._packed, one[0], side=one[1]), bounds))

    def _in_last(self, middle: Floats, reach: Floats) -> tuple[Floats, Floats]:
        reach = reach + self._slack[-1]
        low = np.clip(middle - reach - self._low[-1], 0.0, self._extent)
        high = np.clip(middle + reach - self._low[-1], 0.0, self._extent)
        return low, high
