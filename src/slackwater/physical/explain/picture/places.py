"""Coordinates: the x of each item and bend of a layered layout, near its neighbours, without overlaps.

For one row, given where each item would like to be, the places that keep order and distances with the least
sum of squares are a regression on a monotonic function, found by pooling adjacent violators.
"""

from __future__ import annotations

from itertools import pairwise

from slackwater.physical.explain.picture.layers import Layers

_SWEEPS = 24


def placed(layers: Layers, items: int, gap: float) -> list[float]:
    """The x of the middle of each item and bend; the leftmost edge of all is at 0.

    Numbers from `items` on are bends: lines are straight rather than items in the middle.
    """
    xs = [0.0] * len(layers.widths)
    for row in layers.rows:
        _put(row, [0.0] * len(row), layers, gap, xs)
    for sweep in range(_SWEEPS):
        down = sweep % 2 == 0
        for row in layers.rows if down else reversed(layers.rows):
            near = layers.above if down else layers.below
            other = layers.below if down else layers.above
            _put(row, [_wish(n, near[n] or other[n], items, xs) for n in row], layers, gap, xs)
    left = min((xs[n] - layers.widths[n] / 2 for row in layers.rows for n in row), default=0.0)
    return [x - left for x in xs]


def _wish(number: int, near: list[int], items: int, xs: list[float]) -> float:
    """The weighted mean of the neighbours: bends want to be above each other."""
    if not near:
        return xs[number]
    weights = [4.0 if number >= items and other >= items else 1.0 for other in near]
    return sum(w * xs[other] for w, other in zip(weights, near, strict=True)) / sum(weights)


def _put(row: list[int], wishes: list[float], layers: Layers, gap: float, xs: list[float]) -> None:
    """Place a row as near to the wishes as order and distances allow."""
    offsets = [0.0]
    for one, other in pairwise(row):
        offsets.append(offsets[-1] + (layers.widths[one] + layers.widths[other]) / 2 + gap)
    for number, offset, x in zip(row, offsets, monotonic(_less(wishes, offsets)), strict=False):
        xs[number] = x + offset


def _less(wishes: list[float], offsets: list[float]) -> list[float]:
    return [wish - offset for wish, offset in zip(wishes, offsets, strict=False)]


def monotonic(values: list[float]) -> list[float]:
    """The non-decreasing sequence with the least squared distance to the values.

    >>> monotonic([1.0, 3.0, 2.0, 4.0])
    [1.0, 2.5, 2.5, 4.0]
    """
    pools: list[tuple[float, int]] = []
    for value in values:
        pools.append((value, 1))
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            (b, m), (a, n) = pools.pop(), pools.pop()
            pools.append(((a * n + b * m) / (n + m), n + m))
    return [mean for mean, count in pools for _ in range(count)]
