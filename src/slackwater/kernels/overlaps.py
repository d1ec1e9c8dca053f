"""Overlaps: which elements of two sides share a key and an instant, without trying all pairs.

    x      [────────)          y starts while x is alive: y.from ∈ (x.from, x.to)
    y           [────────)
    z   [──────)               x starts while z is alive: x.from ∈ [z.from, z.to)

Of two elements that overlap, one starts while the other is alive, and sorted by (key, start) those that
start while an element is alive are neighbours. So two binary searches per element find its partners, and
the cost is that of a sort plus the pairs, however many elements a key has.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from slackwater.kernels.keys import Ints

_BITS = 62


@dataclass(frozen=True, slots=True)
class Side:
    """The elements of one side: the numbers of their keys, their starts and ends."""

    keys: Ints
    start: Ints
    end: Ints


def overlapping(left: Side, right: Side) -> tuple[Ints, Ints]:
    """The places (in left, in right) of all pairs with equal keys that overlap in time, each once."""
    if not len(left.keys) or not len(right.keys):
        none = np.zeros(0, np.int64)
        return none, none
    (left_start, left_end), (right_start, right_end) = _packed(left, right)
    lefts, rights = np.argsort(left_start, kind="stable"), np.argsort(right_start, kind="stable")
    left_start, left_end = left_start[lefts], left_end[lefts]
    right_start, right_end = right_start[rights], right_end[rights]
    place, partner = ranges(
        np.searchsorted(right_start, left_start, side="right"), np.searchsorted(right_start, left_end)
    )
    other, other_partner = ranges(
        np.searchsorted(left_start, right_start), np.searchsorted(left_start, right_end)
    )
    return (
        np.concatenate([lefts[place], lefts[other_partner]]),
        np.concatenate([rights[partner], rights[other]]),
    )


def ranges(begin: Ints, end: Ints) -> tuple[Ints, Ints]:
    """The number of the range of each member of each range [begin, end), and the members."""
    lengths = np.maximum(end - begin, 0)
    before = np.cumsum(lengths) - lengths
    members = np.arange(int(lengths.sum())) + np.repeat(begin - before, lengths)
    return np.repeat(np.arange(len(lengths)), lengths), members


def _packed(left: Side, right: Side) -> tuple[tuple[Ints, Ints], tuple[Ints, Ints]]:
    """Starts and ends as numbers that order by (key, time). An end past every start is one past the last."""
    sides = (left, right)
    keys, starts, ends = ([getattr(side, name) for side in sides] for name in ("keys", "start", "end"))
    first, last = min(int(start.min()) for start in starts), max(int(start.max()) for start in starts)
    ends = [np.clip(end, first, last + 1) for end in ends]
    bits = (last + 1 - first).bit_length()
    if bits + max(int(key.max()) for key in keys).bit_length() > _BITS:
        instants = np.unique(np.concatenate(starts))
        starts = [np.searchsorted(instants, start) for start in starts]
        ends = [np.searchsorted(instants, end) for end in ends]
        numbers = np.unique(np.concatenate(keys))
        keys = [np.searchsorted(numbers, key) for key in keys]
        first, bits = 0, len(instants).bit_length()
    packed = [
        (key << bits | (start - first), key << bits | (end - first))
        for key, start, end in zip(keys, starts, ends, strict=True)
    ]
    return packed[0], packed[1]
