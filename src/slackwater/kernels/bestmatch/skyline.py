"""The skyline of each of many groups: the members that no member of their group dominates.

    y │ a
      │    b   ·        a, b and c are the skyline; b dominates the dot. Equal members do not dominate
      │        ·   c    each other: all of them stay.
      └──────────── x

Sort-filter-skyline [Chomicki, Godfrey, Gryz, Liang, ICDE 2003], for all groups at once and without a sort.
What dominates a member has no larger sum of its dimensions, so the member with the least sum is in the
skyline. Each round takes it from every group and drops what it dominates; there are as many rounds as the
largest skyline has members, over what is left. Groups with many members are compared in small integers
(`dense`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from slackwater.kernels.bestmatch.dense import dense_skyline
from slackwater.kernels.bestmatch.rounds import Ints

Dimension = NDArray[Any]
"""The values of the members in one dimension, less is better: int64, or float64 without NaN."""
_MANY = 8
"""Members of a group on average, from which on small integers are faster."""


def skyline(groups: Ints, dimensions: Sequence[Dimension]) -> Ints:
    """The places of the members that no member of their group dominates; a group's members are adjacent."""
    values = [np.asarray(dimension) for dimension in dimensions]
    first = starts(groups)
    if (
        not len(groups)
        or len(groups) < _MANY * len(first)
        or not all(np.isfinite(value).all() for value in values)
    ):
        return _in_rounds(groups, values)
    members, rest = dense_skyline(np.diff(np.append(first, len(groups))), values)
    return np.concatenate([members, rest[_in_rounds(groups[rest], [value[rest] for value in values])]])


def _in_rounds(groups: Ints, values: Sequence[Dimension]) -> Ints:
    places = np.arange(len(groups))
    members: list[Ints] = []
    score = sums(values)
    while len(places):
        first = starts(groups)
        lengths = np.diff(np.append(first, len(groups)))
        best = np.repeat(_least(score, values, first, lengths), lengths)
        equal = np.ones(len(groups), np.bool_)
        beaten = np.ones(len(groups), np.bool_)
        for value in values:
            of_best = value[best]
            equal &= of_best == value
            beaten &= of_best <= value
        members.append(places[equal])
        left = np.flatnonzero(~beaten)
        places, groups, score = places[left], groups[left], score[left]
        values = [value[left] for value in values]
    return np.concatenate(members) if members else places


def starts(groups: Ints) -> Ints:
    """Where each group begins; a group's members are adjacent."""
    if not len(groups):
        return np.zeros(0, np.int64)
    return np.flatnonzero(np.concatenate([[True], groups[1:] != groups[:-1]]))


def sums(values: Sequence[Dimension]) -> NDArray[np.float64]:
    """The sum of each member's dimensions, in units of their means: rounding keeps the order."""
    score = np.zeros(len(values[0]), np.float64)
    for value in values:
        size = float(np.mean(np.abs(value.astype(np.float64)))) if len(value) else 0.0
        score += value * (1.0 / size if 0 < size < np.inf else 1.0)
    return score


def _least(score: NDArray[np.float64], values: Sequence[Dimension], first: Ints, lengths: Ints) -> Ints:
    """The member of each group with the least sum; of equal sums the first by the dimensions in turn."""
    chosen = np.flatnonzero(score == np.repeat(np.minimum.reduceat(score, first), lengths))
    groups = np.searchsorted(first, chosen, side="right") - 1
    for value in values:
        if len(chosen) == len(first):
            return chosen
        begin = starts(groups)
        sizes = np.diff(np.append(begin, len(groups)))
        mine = value[chosen]
        least = np.flatnonzero(mine == np.repeat(np.minimum.reduceat(mine, begin), sizes))
        chosen, groups = chosen[least], groups[least]
    return chosen[starts(groups)]
