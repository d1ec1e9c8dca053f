"""Members of groups that a good member of their group beats, in matrices of integers of 16 bits.

    s0 s1 s2 s3        A row is a group. Each round takes the member with the least sum from every
r0  ×  k  ×  ·         row, and marks what it beats in all dimensions; the next round takes another
r1  k  ·  ·  ×         one. Instructions work on many members at once and do not branch, so that a
r2  ×  k  ·  ·         member that is not best costs little.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
Shorts = NDArray[np.uint16]
OUTSIDE = 65_535
"""The sum of what beats none: of places without a member, and of members that are not to be taken."""
_NONE = np.uint16(OUTSIDE)


def beaten(
    values: Sequence[Shorts], margins: Sequence[int], is_out: Flags, rounds: int
) -> tuple[Flags, Ints]:
    """Which members another one beats by more than the margin of each dimension, and which were taken.

    A margin of -1 lets them be equal; values and margins together are less than `OUTSIDE`.
    """
    score = _sums(values)
    rows = np.arange(len(score))
    every, marked, one = (np.zeros(score.shape, np.bool_) for _ in range(3))
    mask = is_out * _NONE
    winners = np.zeros((len(score), rounds), np.int64)
    for number in range(rounds):
        score |= mask
        winners[:, number] = best = score.argmin(axis=1)
        is_none = score[rows, best] == OUTSIDE
        if is_none.all():
            break
        for at, (value, margin) in enumerate(zip(values, margins, strict=True)):
            limit = np.where(is_none, OUTSIDE, value[rows, best] + np.int32(margin)).clip(-1, OUTSIDE)
            _mark(value, limit, one if at else marked)
            if at:
                marked &= one
        every |= marked
        np.multiply(marked, _NONE, out=mask)
        mask[rows, best] = OUTSIDE
    return every, winners


def _mark(value: Shorts, limit: Ints, out: Flags) -> None:
    """Where the values are larger than the limit of their row: at least it and one, which is not negative."""
    np.greater_equal(value, np.minimum(limit + 1, OUTSIDE).astype(np.uint16)[:, None], out=out)


def _sums(values: Sequence[Shorts]) -> Shorts:
    """The sums of the values of each member, rounded so that they are less than `OUTSIDE`."""
    shift = np.uint16((len(values) - 1).bit_length())
    score: Shorts = np.right_shift(values[0], shift)
    for value in values[1:]:
        score += np.right_shift(value, shift)
    return score
