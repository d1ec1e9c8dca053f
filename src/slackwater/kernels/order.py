"""Order statistics: the q-th smallest of the current values, at many places at once.

A wavelet matrix over the edges of all keys: one pass per bit of the values' ranks splits the edges into
those below and above, and for each place adds up the weight of its range of edges that lies below. Weights
may be negative (a value that is deleted), as long as no value's total is.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


def smallest(ranks: Ints, weights: Ints, begin: Ints, end: Ints, place: Ints) -> Ints:
    """For each query, the rank at position `place` among the edges [begin, end), by weight."""
    rank = np.zeros(len(begin), np.int64)
    if not len(ranks):
        return rank
    for bit in reversed(range(max(1, int(ranks.max()).bit_length()))):
        below = (ranks >> bit) & 1 == 0
        count = _prefix(below.astype(np.int64))
        weight = _prefix(np.where(below, weights, 0))
        here = weight[end] - weight[begin]
        above = place >= here
        place = np.where(above, place - here, place)
        rank |= above.astype(np.int64) << bit
        zeros = count[-1]
        begin = np.where(above, zeros + begin - count[begin], count[begin])
        end = np.where(above, zeros + end - count[end], count[end])
        order = np.concatenate([np.flatnonzero(below), np.flatnonzero(~below)])
        ranks, weights = ranks[order], weights[order]
    return rank


def below(ranks: Ints, weights: Ints, begin: Ints, end: Ints, rank: Ints) -> Ints:
    """For each query, the weight of the edges [begin, end) with a lower rank."""
    total = np.zeros(len(begin), np.int64)
    if not len(ranks):
        return total
    bits = max(1, int(ranks.max()).bit_length())
    running = _prefix(weights)
    whole, is_past = running[end] - running[begin], rank >> bits > 0
    for bit in reversed(range(bits)):
        is_low = (ranks >> bit) & 1 == 0
        count = _prefix(is_low.astype(np.int64))
        weight = _prefix(np.where(is_low, weights, 0))
        here = weight[end] - weight[begin]
        goes_high = (rank >> bit) & 1 == 1
        total += np.where(goes_high, here, 0)
        zeros = count[-1]
        begin = np.where(goes_high, zeros + begin - count[begin], count[begin])
        end = np.where(goes_high, zeros + end - count[end], count[end])
        order = np.concatenate([np.flatnonzero(is_low), np.flatnonzero(~is_low)])
        ranks, weights = ranks[order], weights[order]
    return np.where(is_past, whole, total)


def _prefix(values: Ints) -> Ints:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(values)])
