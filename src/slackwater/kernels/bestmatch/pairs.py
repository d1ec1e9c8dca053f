"""The best partners of each point: candidates within distances, and those that no other one dominates.

One dimension: the nearest neighbours in a sorted list. Two: in bands of growing width (`bands`), or, if there
are few candidates, all candidates and their skyline. More: also by a tree (`tree`), in the leaves of which
most candidates that are not best are dropped before they are made (`leaves`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from slackwater.kernels.bestmatch.bands import Bands
from slackwater.kernels.bestmatch.leaves import survivors
from slackwater.kernels.bestmatch.nearest import nearest
from slackwater.kernels.bestmatch.rounds import Ints
from slackwater.kernels.bestmatch.skyline import Dimension, skyline
from slackwater.kernels.bestmatch.strips import Points, Strips
from slackwater.kernels.bestmatch.tree import can_be_cut, leaves

_SAMPLE = 1024
_PER_CANDIDATE, _PER_SEARCH = 125.0, 750.0
"""Nanoseconds for a candidate and for a range that is searched, as measured, with distances and skylines."""
_IN_LEAF, _PER_POINT = 15.0, 500.0
"""Nanoseconds for a candidate that is in a leaf, and for a left point."""
_AT_A_TIME = 1 << 19
"""About how many pairs of leaves are compared at a time."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """Places of points of the left and of the right side, and their distances."""

    lefts: Ints
    rights: Ints
    distances: tuple[Dimension, ...]

    def __getitem__(self, places: Ints) -> Pairs:
        distances = tuple(distance[places] for distance in self.distances)
        return Pairs(self.lefts[places], self.rights[places], distances)


def candidates(left: Points, right: Points, bounds: Sequence[float]) -> Iterator[Pairs]:
    """All pairs with equal keys that are in no dimension further apart than its bound.

    In shares that fit in memory; the pairs of a left point are adjacent, and in one share.
    """
    if not len(left) or not len(right):
        return
    # The last dimension is searched exactly, the others by strips: a bounded one last, and no unbounded ones.
    used = [at for at, bound in enumerate(bounds) if bound < np.inf] or [0]
    mine, theirs = _only(left, used), _only(right, used)
    reach = [bounds[at] for at in used]
    strips = Strips(theirs, mine, reach[:-1])
    order = np.lexsort((mine.values[-1], mine.values[0], mine.keys))  # neighbours search the same places
    for lefts, places in strips.around(mine[order], reach[:-1], np.full(len(left), reach[-1])):
        yield _within(left, right, order[lefts], strips.order[places], bounds)


def _only(points: Points, dimensions: Sequence[int]) -> Points:
    return Points(points.keys, tuple(points.values[at] for at in dimensions))


def _within(left: Points, right: Points, lefts: Ints, rights: Ints, bounds: Sequence[float]) -> Pairs:
    distances: list[Dimension] = []
    for at, bound in enumerate(bounds):
        distance = left.distance(right, at, lefts, rights)
        inside = np.flatnonzero(distance <= bound)
        if len(inside) < len(distance):
            lefts, rights, distance = lefts[inside], rights[inside], distance[inside]
            distances = [earlier[inside] for earlier in distances]
        distances.append(distance)
    return Pairs(lefts, rights, tuple(distances))


def best_partners(left: Points, right: Points, bounds: Sequence[float]) -> Iterator[Pairs]:
    """The candidates that no other candidate of the same left point dominates, in shares, in any order."""
    if not len(left) or not len(right):
        return
    if len(bounds) == 1:
        lefts, rights = nearest(left, right)
        yield _within(left, right, lefts, rights, bounds)
        return
    many = _candidates_of_one(left, right, bounds)
    bands = Bands(left, right, bounds, many)
    by_all, by_bands = many * _PER_CANDIDATE, bands.searches * _PER_SEARCH
    by_tree = _PER_POINT + many * _IN_LEAF
    if len(bounds) > 2 and by_tree < min(by_all, by_bands) and can_be_cut(left, right):
        yield from best_in_leaves(left, right, bounds)
        return
    if by_bands < by_all:
        for lefts, rights, distances in bands.pairs():
            yield Pairs(lefts, rights, distances)
        return
    for pairs in candidates(left, right, bounds):
        yield pairs[skyline(pairs.lefts, pairs.distances)]


def best_in_leaves(left: Points, right: Points, bounds: Sequence[float]) -> Iterator[Pairs]:
    """The best partners from the leaves of a tree; of sides for which `can_be_cut` is true."""
    some: list[tuple[Ints, Ints]] = []
    for leaf in leaves(left, right, bounds):
        rows, columns = survivors(leaf.mine[1:], leaf.theirs[1:], bounds, leaf.same_keys)
        some.append((leaf.lefts[rows], leaf.rights[columns]))
        if sum(len(lefts) for lefts, _ in some) > _AT_A_TIME:
            yield _best_of(left, right, some, bounds)
            some = []
    if some:
        yield _best_of(left, right, some, bounds)


def _best_of(
    left: Points, right: Points, some: Sequence[tuple[Ints, Ints]], bounds: Sequence[float]
) -> Pairs:
    lefts, rights = (np.concatenate(parts) for parts in zip(*some, strict=True))
    pairs = _within(left, right, lefts, rights, bounds)
    return pairs[skyline(pairs.lefts, pairs.distances)]


def _candidates_of_one(left: Points, right: Points, bounds: Sequence[float]) -> float:
    """About how many candidates a left point has, on average: from a sample, so that crowded places count."""
    rng = np.random.default_rng(0)
    mine = left[rng.integers(len(left), size=min(len(left), _SAMPLE // 4))]
    theirs = right[rng.integers(len(right), size=min(len(right), _SAMPLE))]
    near = mine.keys[:, None] == theirs.keys[None, :]
    for one, other, bound in zip(mine.values, theirs.values, bounds, strict=True):
        near &= np.abs(one[:, None] - other[None, :]) <= bound
    return float(near.mean()) * len(right)
