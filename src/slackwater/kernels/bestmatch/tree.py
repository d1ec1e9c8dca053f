"""Both sides cut into leaves: few left points, and the right points within the bounds of their box.

      ┌───────────────┐
      │   ┌───────┐   │       Left points are halved in the dimension in which their box is largest,
      │   │· ·  · │ ← ε →     in bounds; right points go along with each half that they are near to.
      │   │  ·  · │   │
      │   └───────┘   │
      └───────────────┘

A box that is small compared with the bounds gains little by being halved: its right points are those of both
halves. So halving stops where it costs more than it spares.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from slackwater.kernels.bestmatch.rounds import Flags, Ints
from slackwater.kernels.bestmatch.strips import Points

Floats = NDArray[np.float64]
_ROUNDING = 2.0**-48
_PER_PAIR, _PER_LEAF, _PER_POINT = 3.5, 100_000.0, 20.0
"""Nanoseconds for a pair of a leaf, for a leaf, and for a right point that goes along with a half."""
_MOST = 1 << 12
"""Left points of a leaf."""
_EXACT, _LARGEST = 2.0**52, 2.0**1000
"""Differences of whole numbers, and of doubles, that are below it are exact, and finite in any unit."""


class Leaf(NamedTuple):
    """Places of both sides, and their values: a row for each dimension, before them one of the keys."""

    lefts: Ints
    rights: Ints
    mine: Floats
    theirs: Floats

    @property
    def same_keys(self) -> Flags | None:
        """Which pairs have the same key, unless all have."""
        mine, theirs = self.mine[0], self.theirs[0]
        is_one = min(mine.min(), theirs.min()) == max(mine.max(), theirs.max())
        return None if is_one else mine[:, None] == theirs


def can_be_cut(left: Points, right: Points) -> bool:
    """Whether doubles represent all differences of values: others are cut in a wrong place."""
    return all(
        max(float(one.max()), float(other.max())) - min(float(one.min()), float(other.min()))
        < (_LARGEST if one.dtype.kind == "f" else _EXACT)
        for one, other in zip(left.values, right.values, strict=True)
    )


def leaves(left: Points, right: Points, bounds: Sequence[float]) -> Iterator[Leaf]:
    """Leaves that have all pairs with equal keys within the bounds; each left point is in one of them."""
    mine, theirs = (_values(points, left) for points in (left, right))
    reach = np.array([0.0, *bounds])
    largest = np.maximum(np.abs(mine).max(axis=1), np.abs(theirs).max(axis=1))
    reach[1:] += _ROUNDING * largest[1:]
    todo = [_near(Leaf(np.arange(len(left)), np.arange(len(right)), mine, theirs), reach, range(len(reach)))]
    while todo:
        node = todo.pop()
        if not len(node.rights):
            continue
        at = _where_to_cut(node, reach)
        if at is None:
            yield node
            continue
        order = np.argpartition(node.mine[at], len(node.lefts) // 2)
        for half in (order[len(order) // 2 :], order[: len(order) // 2]):
            part = Leaf(node.lefts[half], node.rights, node.mine.take(half, axis=1), node.theirs)
            todo.append(_near(part, reach, (at,)))


def _values(points: Points, origin: Points) -> Floats:
    """Keys and values as doubles; whole numbers from the first one of the left side on."""
    columns = [points.keys.astype(np.float64)]
    for value, other in zip(points.values, origin.values, strict=True):
        columns.append((value if value.dtype.kind == "f" else value - other[0]).astype(np.float64))
    return np.stack(columns)


def _near(node: Leaf, reach: Floats, dimensions: Sequence[int]) -> Leaf:
    """The node with the right points within reach of its box in these dimensions."""
    stays = np.ones(len(node.rights), np.bool_)
    for at in dimensions:
        value = node.theirs[at]
        stays &= value >= node.mine[at].min() - reach[at]
        stays &= value <= node.mine[at].max() + reach[at]
    places = np.flatnonzero(stays)
    if len(places) == len(stays):
        return node
    return Leaf(node.lefts, node.rights.take(places), node.mine, node.theirs.take(places, axis=1))


def _where_to_cut(node: Leaf, reach: Floats) -> int | None:
    """The dimension in which to halve the left points, if that is worth it."""
    height, width = len(node.lefts), len(node.rights)
    if height < 2:
        return None
    extent = node.mine.max(axis=1) - node.mine.min(axis=1)
    if not extent.any():
        return None if height <= _MOST else 0
    spans = node.theirs.max(axis=1) - node.theirs.min(axis=1)
    near = np.maximum(np.minimum(2 * reach, spans), 1e-9 * extent + 1e-300)
    at = int(np.argmax(extent / near))
    spared = 1 - (extent[at] / 2 + near[at]) / (extent[at] + near[at])
    gain = height * width * spared * _PER_PAIR
    return at if gain > _PER_LEAF + 2 * width * _PER_POINT or height > _MOST else None
