"""Skylines of groups with many members, which are all compared with each other: in small integers.

                 b0 b1 b2          Values are rounded down to 16 bits, which keeps their order. Where no other
             a0  ·  ≤  ·           member is at most b in all dimensions, b is in the skyline: that is one
             a1  ·  ·  ·           pass of short integers over a matrix, many comparisons per instruction. The
             a2  ·  ·  ·           others are compared exactly with one such member, and few with more.

Before, members are dropped that a good member of their group beats in all dimensions: what is left is not
many times as large as the skyline. So a group of m members of which k are best takes m rounds of few
instructions, and k² comparisons.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slackwater.kernels.bestmatch.rounds import OUTSIDE, Flags, Ints, Shorts, beaten

_LARGEST = 65_000
_SMALLEST = 1e-300
"""Of extents that are divided by; in smaller ones, and in infinite ones, all values are equal in 16 bits."""
_COMPARISONS, _MEMBERS = 1 << 19, 1 << 16
"""About how many are in a matrix, so that what is used together stays in the cache of a core."""
_ROUNDS = 16
_SMALL = 48
"""Groups that are smaller are compared at once."""
_ENOUGH = 0.85
"""Rounds go on while they leave less than this share."""


class Undecided(NamedTuple):
    """Members that are in the skyline, and members of groups in which too many are equal in 16 bits."""

    members: Ints
    rest: Ints


def dense_skyline(lengths: Ints, values: Sequence[NDArray[Any]]) -> Undecided:
    """The members that none of their group dominates: places of finite values, groups one after the other."""
    shorts = [_shortened(value) for value in values]
    places = np.arange(len(values[0]))
    was_tried = np.zeros(len(shorts[0]), np.bool_)
    was_tried[-1] = True
    while True:
        left, counts = _thinned(places, lengths, shorts, was_tried)
        is_enough = len(left) > _ENOUGH * len(places)
        places, lengths = left, counts
        if is_enough:
            break
    members, rest = [places[:0]], [places[:0]]
    for batch in _batches(places, lengths, squared=True):
        best, others = _compared(batch, [short.take(batch) for short in shorts], values)
        members.append(best)
        rest.append(others)
    return Undecided(np.concatenate(members), np.concatenate(rest))


def _shortened(value: NDArray[Any]) -> Shorts:
    """The values in 16 bits, in the same order or equal; the last one is that of no member."""
    short = np.zeros(len(value) + 1, np.uint16)
    doubles = value.astype(np.float64)
    with np.errstate(over="ignore"):
        doubles -= doubles.min()
    extent = float(doubles.max())
    if value.dtype.kind == "i" and extent <= _LARGEST:
        short[:-1] = doubles
    elif _SMALLEST < extent < np.inf:
        doubles *= _LARGEST / extent
        short[:-1] = doubles
    short[-1] = OUTSIDE
    return short


def _batches(places: Ints, lengths: Ints, squared: bool) -> Iterator[Ints]:
    """Groups of similar sizes as matrices of places: a row for each group, filled up with -1."""
    first = np.cumsum(lengths) - lengths
    order = np.argsort(lengths, kind="stable")
    sizes = lengths[order]
    low = int(np.searchsorted(sizes, 0, side="right"))
    while low < len(order):
        # Not more rows than fit with the size of the first, and none that is much larger than that.
        size = int(sizes[low])
        rows = _COMPARISONS // size**2 if squared else _MEMBERS // size
        high = min(len(order), low + max(1, rows))
        high = max(low + 1, min(high, int(np.searchsorted(sizes, size * 1.15 + 2, side="right"))))
        width = int(sizes[high - 1])
        groups = order[low:high]
        at = np.arange(width)
        batch = places[np.minimum(first[groups][:, None] + at, len(places) - 1)]
        batch[at >= lengths[groups][:, None]] = -1
        yield batch
        low = high


def _thinned(places: Ints, lengths: Ints, shorts: Sequence[Shorts], was_tried: Flags) -> tuple[Ints, Ints]:
    """The places without some that are beaten in all dimensions, and how many are left in each group.

    Those that others are compared with are marked as tried, and not taken again.
    """
    is_large = np.repeat(lengths > _SMALL, lengths)
    if not is_large.any():
        return places, lengths
    stays = np.ones(len(was_tried), np.bool_)
    for batch in _batches(places[is_large], np.where(lengths > _SMALL, lengths, 0), squared=False):
        values = [short.take(batch) for short in shorts]
        is_beaten, tried = beaten(values, [0] * len(values), was_tried.take(batch), _ROUNDS)
        stays[batch.ravel().take(np.flatnonzero(is_beaten))] = False
        was_tried[np.take_along_axis(batch, tried, axis=1)] = True
    stays[-1] = True
    stays = stays.take(places)
    before = np.concatenate([[0], np.cumsum(stays)])
    ends = np.cumsum(lengths)
    return places.take(np.flatnonzero(stays)), before[ends] - before[ends - lengths]


def _compared(batch: Ints, values: Sequence[Shorts], exact: Sequence[NDArray[Any]]) -> tuple[Ints, Ints]:
    """The members of the groups that none dominates; and members of groups that are not decided."""
    height, width = batch.shape
    members: list[Ints] = []
    not_decided = np.zeros(height, np.bool_)
    step = max(1, _COMPARISONS // (height * width))
    for low in range(0, width, step):
        mine = batch[:, low : low + step]
        at_most = _at_most(values, low, mine.shape[1])
        other = at_most.argmax(axis=2)
        has_any = np.take_along_axis(at_most, other[:, :, None], axis=2)[:, :, 0]
        is_member = mine >= 0
        members.append(mine[is_member & ~has_any])
        rows, columns = np.nonzero(is_member & has_any)
        there = mine[rows, columns]
        stays = ~_dominates(exact, batch[rows, other[rows, columns]], there)
        rows, columns, there = rows[stays], columns[stays], there[stays]
        if not len(rows):
            continue
        counts = at_most[rows, columns].sum(axis=1)
        if counts.sum() > 8 * batch.size:
            not_decided[rows] = True
            continue
        number, others = np.nonzero(at_most[rows, columns])
        dominated = _dominates(exact, batch[rows[number], others], there[number])
        is_dominated = np.zeros(len(rows), np.bool_)
        is_dominated[number[dominated]] = True
        members.append(there[~is_dominated])
    if not not_decided.any():
        return np.concatenate(members), batch[:0, 0]
    undecided = batch[not_decided]
    every = np.concatenate(members)
    return every[~np.isin(every, undecided)], undecided[undecided >= 0]


def _at_most(values: Sequence[Shorts], low: int, many: int) -> Flags:
    """[row, b, a]: whether a is in no dimension larger than b, and another member."""
    height, width = values[0].shape
    at_most = np.empty((height, many, width), np.bool_)
    one = np.empty_like(at_most)
    for at, value in enumerate(values):
        target = one if at else at_most
        np.less_equal(value[:, None, :], value[:, low : low + many, None], out=target)
        if at:
            at_most &= one
    every = np.arange(many)
    at_most[:, every, low + every] = False
    return at_most


def _dominates(values: Sequence[NDArray[Any]], ones: Ints, others: Ints) -> Flags:
    nowhere_worse, better = np.ones(len(ones), np.bool_), np.zeros(len(ones), np.bool_)
    for value in values:
        mine, theirs = value[ones], value[others]
        nowhere_worse &= mine <= theirs
        better |= mine < theirs
    return nowhere_worse & better
