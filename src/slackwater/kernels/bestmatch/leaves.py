"""Few left points that are near each other, and all right points near them: candidates that may be best.

The distances of all pairs of a leaf are made as matrices of integers of 16 bits: a leaf is cut into 30,000
steps in each dimension. A pair that another one of its left point beats by more than the rounding is dropped
(`rounds`). What is left is compared exactly (`skyline`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from slackwater.kernels.bestmatch.rounds import Flags, Ints, Shorts, beaten

Floats = NDArray[np.float64]
_STEPS = 30_000
"""So that differences are integers of 16 bits."""
_ROUNDING = 3
"""In steps: by more than this a difference of rounded values is never wrong."""
_FINEST = 2.0**900
_PAIRS = 1 << 16
"""About how many pairs are in a matrix, so that all matrices of a leaf stay in the cache of a core."""
_ROUNDS = ((24, 0), (96, 2), (384, 4), (1536, 6))
_MOST_ROUNDS = 8
"""How many rounds are worth their time, for left points with at most so many candidates."""


class Steps:
    """One dimension of a leaf in steps: both sides, the bound, and by how much a distance may be wrong."""

    def __init__(self, mine: Floats, theirs: Floats, bound: float) -> None:
        low = min(mine.min(), theirs.min())
        mine, theirs = mine - low, theirs - low
        extent = float(max(mine.max(), theirs.max()))
        scale = 1.0
        self.rounding = 0
        if extent > _STEPS or not (_is_whole(mine) and _is_whole(theirs)):
            scale, self.rounding = min(_STEPS / extent, _FINEST), _ROUNDING
        elif extent:
            scale = float(_STEPS // extent)
        self._mine = (mine * scale).astype(np.int16)[:, None]
        self._theirs = (theirs * scale).astype(np.int16)
        self._bound = int(min(bound * scale, float(_STEPS)))

    def distances(self, rows: slice) -> Shorts:
        """A row for each left point."""
        differences = self._mine[rows] - self._theirs
        distances: Shorts = np.abs(differences, out=differences).view(np.uint16)
        return distances

    def may_be_out(self, distances: Shorts, out: Flags) -> Flags:
        return np.greater(distances, np.uint16(max(self._bound - self.rounding, 0)), out=out)

    def may_be_in(self, distances: Shorts, out: Flags) -> Flags:
        return np.less_equal(distances, np.uint16(self._bound + self.rounding), out=out)


def _is_whole(values: Floats) -> bool:
    return bool((values == np.floor(values)).all())


def survivors(mine: Floats, theirs: Floats, bounds: Sequence[float], same: Flags | None) -> tuple[Ints, Ints]:
    """Places of pairs of the two sides: all that no other one dominates, and few others; by left point.

    Both have a row for each dimension; `same` is which pairs have the same key, unless all have.
    """
    steps = [Steps(*values) for values in zip(mine, theirs, bounds, strict=True)]
    height, width = mine.shape[1], theirs.shape[1]
    size = max(1, _PAIRS // width)
    shares = []
    for low in range(0, height, size):
        rows = slice(low, min(low + size, height))
        stays = _not_beaten(steps, rows, None if same is None else same[rows])
        places = np.flatnonzero(stays)
        number = places // width
        shares.append((number + low, places - number * width))
    lefts, rights = (np.concatenate(parts) for parts in zip(*shares, strict=True))
    return lefts, rights


def _not_beaten(steps: Sequence[Steps], rows: slice, same: Flags | None) -> Flags:
    distances = [step.distances(rows) for step in steps]
    stays = np.ones(distances[0].shape, np.bool_) if same is None else same.copy()
    one = np.empty_like(stays)
    for step, distance in zip(steps, distances, strict=True):
        stays &= step.may_be_in(distance, one)
    rounds = _worthwhile(np.count_nonzero(stays) / len(stays))
    if not rounds:
        return stays
    is_out = ~stays
    for step, distance in zip(steps, distances, strict=True):
        if step.rounding:
            is_out |= step.may_be_out(distance, one)
    margins = [step.rounding or -1 for step in steps]
    if max(margins) < 0:  # what is equal in all dimensions does not beat
        margins = [0] * len(margins)
    is_beaten, _ = beaten(distances, margins, is_out, rounds)
    stays &= ~is_beaten
    return stays


def _worthwhile(candidates: float) -> int:
    return next((rounds for most, rounds in _ROUNDS if candidates <= most), _MOST_ROUNDS)
