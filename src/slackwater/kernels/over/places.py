"""Places: the rows of some instants, in order, with the bounds of their partitions, peers and frames."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
import polars as pl
from numpy.typing import NDArray

from slackwater.algebra.expressions.over import Frame, SortKey, Unit
from slackwater.kernels.keys import Ints
from slackwater.kernels.over.distances import targets

_FAR = 1 << 40
"""Farther than any partition is long."""


class Ordered(Protocol):
    """Finds the rows at places of positions, or all rows of positions that follow each other."""

    def at(self, positions: Ints, place: Ints) -> Ints: ...
    def all_rows(self, first: int, last: int) -> Ints: ...


@dataclass(frozen=True)
class Rows:
    """The different rows of all partitions, in order, and the number of each row's peers."""

    frame: pl.DataFrame
    peers: Ints
    order: tuple[SortKey, ...]

    @cached_property
    def peers_end(self) -> Ints:
        """For each row, the rank after its last peer."""
        ends = np.append(np.flatnonzero(self.peers[1:] != self.peers[:-1]) + 1, len(self.peers))
        return ends[self.peers]

    @cached_property
    def peers_start(self) -> Ints:
        """For each row, the rank of its first peer."""
        firsts = np.flatnonzero(np.append(True, self.peers[1:] != self.peers[:-1]))
        return firsts[self.peers]

    def targets(self, frame: Frame, is_end: bool) -> Ints:
        """For each number of peers, that of the first peers in the frame or, of its end, after it."""
        bound = frame.end if is_end else frame.start
        assert bound is not None
        firsts = np.flatnonzero(np.append(True, self.peers[1:] != self.peers[:-1]))
        return targets(self.frame[self.order[0].column][firsts], self.order[0], bound, is_end)


@dataclass(frozen=True)
class Places:
    """Rows in order, one by one; the rows of a position are those of one partition at one instant.

    All bounds are places in these arrays; ends are exclusive.
    """

    positions: Ints
    ranks: Ints
    start: Ints
    end: Ints
    peer_numbers: Ints

    @staticmethod
    def of(rows: Rows, first: int, counts: Ints, ordered: Ordered, *, is_whole: bool) -> Places:
        """The rows of positions from the first one on, with so many rows each: the first, or all."""
        positions = np.repeat(np.arange(first, first + len(counts)), counts)
        starts = np.cumsum(counts) - counts
        start = starts[positions - first]
        if is_whole:
            ranks = ordered.all_rows(first, first + len(counts))
        else:
            ranks = ordered.at(positions, np.arange(len(positions)) - start)
        return Places(positions, ranks, start, start + counts[positions - first], rows.peers[ranks])

    @cached_property
    def here(self) -> Ints:
        return np.arange(len(self.positions))

    @cached_property
    def _begins(self) -> NDArray[np.bool_]:
        """Where peers begin."""
        is_other = self.peer_numbers[1:] != self.peer_numbers[:-1]
        return np.append(True, is_other | (self.positions[1:] != self.positions[:-1]))[: len(self.here)]

    @cached_property
    def peers_start(self) -> Ints:
        return np.maximum.accumulate(np.where(self._begins, self.here, 0))

    @cached_property
    def peers_end(self) -> Ints:
        starts = np.flatnonzero(self._begins)
        return np.repeat(np.append(starts[1:], len(self.here)), np.diff(np.append(starts, len(self.here))))

    @cached_property
    def groups(self) -> Ints:
        """How many groups of peers there are in the partition up to the row's own."""
        total: Ints = np.cumsum(self._begins, dtype=np.int64)
        return total - total[self.start] + 1

    def frame(self, frame: Frame, rows: Rows) -> tuple[Ints, Ints]:
        """Where the frame of each row starts and ends."""
        start = self.start if frame.start is None else self._bound(frame, rows, is_end=False)
        end = self.end if frame.end is None else self._bound(frame, rows, is_end=True)
        start = np.clip(start, self.start, self.end)
        return start, np.maximum(np.clip(end, self.start, self.end), start)

    def _bound(self, frame: Frame, rows: Rows, *, is_end: bool) -> Ints:
        bound = frame.end if is_end else frame.start
        assert bound is not None
        if frame.unit is Unit.ROWS:
            distance = max(-_FAR, min(int(bound.value), _FAR))
            return self.here + distance + int(is_end)
        if not bound.value:
            return self.peers_end if is_end else self.peers_start
        sought = rows.targets(frame, is_end)[self.peer_numbers]
        width = int(rows.peers.max()) + 2
        place: Ints = np.searchsorted(
            self.positions * width + self.peer_numbers, self.positions * width + sought, "left"
        )
        return place
