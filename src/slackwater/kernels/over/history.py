"""The edges of partitions in the order of time, and the positions: the instants at which a partition changes.

edges       a+  b+  a-  │  c+  d+        two partitions
time        2   5   5   │  2   3
positions   ─2  ───5──  │  ─2  ─3
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from slackwater.kernels.keys import Ints
from slackwater.kernels.order import below, smallest
from slackwater.kernels.over.places import Rows


class Limit(NamedTuple):
    """How many rows there are at most, and whether the peers of the last one are, too."""

    most: int
    ties: bool


@dataclass(frozen=True)
class History:
    """Edges by their row's rank and weight. The rows of a position are those of the edges [begin, end)."""

    ranks: Ints
    weights: Ints
    times: Ints
    begin: Ints
    start: Ints
    """Where the position's own edges start."""
    end: Ints
    total: Ints
    """How many rows a position has."""

    @staticmethod
    def of(numbers: Ints, times: Ints, ranks: Ints, weights: Ints) -> History:
        """The history of edges in the order of partitions, by their numbers, and of times."""
        is_new = np.concatenate([np.ones(min(1, len(numbers)), bool), numbers[1:] != numbers[:-1]])
        is_later = is_new | np.concatenate([is_new[:1], times[1:] != times[:-1]])
        start = np.flatnonzero(is_later)
        first = np.maximum.accumulate(np.where(is_new, np.arange(len(numbers)), 0))
        end = np.append(start[1:], len(numbers))
        weight = np.concatenate([np.zeros(1, np.int64), np.cumsum(weights)])
        begin = first[start]
        return History(ranks, weights, times[start], begin, start, end, weight[end] - weight[begin])

    @property
    def is_last(self) -> NDArray[np.bool_]:
        """Which positions are the last of their partitions."""
        return np.append(self.begin[1:] != self.begin[:-1], True)[: len(self.begin)]

    @property
    def next_times(self) -> Ints:
        """The instants of the positions that follow; of the last one of a partition it has no meaning."""
        return np.append(self.times[1:], 0)[: len(self.times)]

    def all_rows(self, first: int, last: int) -> Ints:
        """The ranks of all rows of the positions [first, last), in order, each copy."""
        rank, copies, start, end = self._runs
        start, end = np.maximum(start, first), np.minimum(end, last)
        some = np.flatnonzero(end > start)
        lengths = (end - start)[some]
        inside = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        width = int(self.ranks.max(initial=0)) + 1
        codes = (np.repeat(start[some], lengths) + inside) * width + np.repeat(rank[some], lengths)
        codes = np.repeat(codes, np.repeat(copies[some], lengths))
        codes.sort()
        return codes % width

    @cached_property
    def _runs(self) -> tuple[Ints, Ints, Ints, Ints]:
        """The ranks and copies of rows from a position on up to another one."""
        position = np.repeat(np.arange(len(self.start)), self.end - self.start)
        stop = np.searchsorted(self.begin, self.begin, "right")[position]
        order = np.lexsort((position, self.ranks))
        rank, position, stop, weight = (
            column[order] for column in (self.ranks, position, stop, self.weights)
        )
        again = np.append(rank[1:] == rank[:-1], False)[: len(rank)]
        end = np.where(again, np.append(position[1:], 0)[: len(rank)], stop)
        total = np.cumsum(weight)
        starts = np.flatnonzero(np.append(True, rank[1:] != rank[:-1])[: len(rank)])
        before = np.repeat((total - weight)[starts], np.diff(np.append(starts, len(rank))))
        copies = total - before
        alive = np.flatnonzero((copies > 0) & (end > position))
        return rank[alive], copies[alive], position[alive], end[alive]

    def at(self, positions: Ints, place: Ints) -> Ints:
        """The rank of the row at a place of each position."""
        return smallest(self.ranks, self.weights, self.begin[positions], self.end[positions], place)

    def admitted(self, rows: Rows, limit: Limit) -> Ints:
        """How many rows of each position are within a limit."""
        most = max(limit.most, 0)
        first: Ints = np.minimum(self.total, most)
        if not limit.ties or not most:
            return first
        last = self.at(np.arange(len(first)), first - 1)
        with_ties = below(self.ranks, self.weights, self.begin, self.end, rows.peers_end[last])
        return np.where(self.total > most, with_ties, first)

    def changing(self, rows: Rows, limit: Limit) -> History:
        """Without the positions that change nothing within a limit: as many rows as it admits are before all
        rows that change there."""
        least = np.minimum.reduceat(self.ranks, self.start) if len(self.start) else self.start
        least = rows.peers_start[least] if limit.ties else least
        before = below(self.ranks, self.weights, self.begin, self.start, least)
        changes = (before < limit.most) | (self.start == self.begin)
        columns = ("times", "begin", "start", "end", "total")
        return replace(self, **{name: getattr(self, name)[changes] for name in columns})

    def beyond(self, rows: Rows, limit: Limit) -> Ints:
        """The ranks of the rows that are alive at last and not within a limit."""
        last = np.flatnonzero(self.is_last)
        lengths = self.end[last] - self.begin[last]
        ranks, first = np.unique(self.ranks, return_index=True)
        place = np.repeat(last, lengths)[first]
        begin, end = self.begin[place], self.end[place]
        limits = rows.peers_start[ranks] if limit.ties else ranks
        here = [below(self.ranks, self.weights, begin, end, bound) for bound in (limits, ranks, ranks + 1)]
        is_alive = here[2] > here[1]
        return ranks[is_alive & (here[0] >= limit.most)]
