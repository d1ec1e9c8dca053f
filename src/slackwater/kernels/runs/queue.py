"""Rows by due time: a run is sorted by it, so that an epoch reads slices of a few runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from slackwater.kernels.keys import Ints
from slackwater.kernels.runs.tiers import InRuns, concatenated, divided, linked, merged_runs, rows_at
from slackwater.storage.mapped import mapped

MOST = 65_536
"""The most rows of a merged run. Most runs lie apart in time and are not touched until they fall due, so that
many of them cost nothing, and merging them would."""


class _Run:
    """Rows, sorted when they are first cut."""

    def __init__(
        self,
        frame: pl.DataFrame,
        dues: Ints,
        spare: int = 0,
        is_ordered: bool = False,
        is_spilled: bool = False,
    ) -> None:
        self.frame, self.dues, self.spare, self._is_ordered = frame, dues, spare, is_ordered
        self.is_spilled = is_spilled
        self.first = int(dues[0] if is_ordered else dues.min())
        self.last = int(dues[-1] if is_ordered else dues.max())

    @property
    def height(self) -> int:
        return len(self.dues)

    @cached_property
    def bytes(self) -> int:
        return int(self.frame.estimated_size())

    @cached_property
    def ordered(self) -> tuple[pl.DataFrame, Ints]:
        """The rows and their dues in order of these."""
        if self._is_ordered or bool((self.dues[1:] >= self.dues[:-1]).all()):
            return self.frame, self.dues
        order = np.argsort(self.dues, kind="stable")
        return rows_at(self.frame, order), self.dues[order]

    def between(self, lo: int, hi: int) -> pl.DataFrame | None:
        """The rows that are due in [lo, hi), if there are any."""
        if self.last < lo or self.first >= hi:
            return None
        if lo <= self.first and self.last < hi:
            return self.frame
        frame, dues = self.ordered
        begin, end = np.searchsorted(dues, [lo, hi]).tolist()
        return frame.slice(begin, end - begin) if begin < end else None

    def since(self, now: int) -> _Run | None:
        """The rows that are not due before `now`, if there are any."""
        if self.first >= now:
            return self
        if self.last < now:
            return None
        frame, dues = self.ordered
        begin = int(np.searchsorted(dues, now))
        frame, dues, spare = frame.slice(begin), dues[begin:], self.spare + begin
        if spare > len(dues) and not self.is_spilled:  # A slice holds the memory of the whole.
            frame, dues, spare = rows_at(frame, np.arange(len(dues))), dues.copy(), 0
        return _Run(frame, dues, spare, is_ordered=True, is_spilled=self.is_spilled)


@dataclass(frozen=True, slots=True)
class Queue(InRuns):
    """Rows by the time in the column `due`, until that has passed."""

    due: str
    like: pl.DataFrame
    """No rows, with all columns."""
    runs: tuple[_Run, ...] = ()

    @classmethod
    def of(cls, due: str, rows: pl.DataFrame) -> Queue:
        return cls(due, rows.clear()).add(rows)

    @property
    def rows(self) -> int:
        return sum(run.height for run in self.runs)

    def whole(self) -> pl.DataFrame:
        """All rows."""
        frames = [run.frame for run in self.runs] or [self.like]
        return linked(frames) if self.is_spilled else concatenated(frames)

    snapshot = whole

    def between(self, lo: int, hi: int) -> pl.DataFrame:
        """The rows that are due in [lo, hi)."""
        parts = [rows for run in self.runs if (rows := run.between(lo, hi)) is not None]
        return concatenated(parts) if parts else self.like

    def is_due(self, hi: int) -> bool:
        """Whether any row is due before `hi`."""
        return any(run.first < hi for run in self.runs)

    def add(self, rows: pl.DataFrame) -> Queue:
        if not rows.height:
            return self
        like = self.like if self.like.columns == rows.columns else concatenated([self.like, rows.clear()])
        spilled, in_memory = divided(self.runs)
        runs = merged_runs([*in_memory, self._run(rows)], self._merge, MOST)
        return Queue(self.due, like, (*spilled, *runs))

    def spill(self, most: int) -> Queue:
        """With all rows on disk, in runs of at most so many rows where these are merged."""
        spilled, in_memory = divided(self.runs)
        if not in_memory:
            return self
        runs = merged_runs([*spilled, self._on_disk(in_memory)], self._on_disk, most)
        return Queue(self.due, self.like, runs)

    def _on_disk(self, runs: Sequence[_Run]) -> _Run:
        """The rows of the runs in one, in a mapped file, in order."""
        frame = mapped(self._merge(runs).ordered[0])
        return _Run(frame, frame[self.due].to_numpy(), is_ordered=True, is_spilled=True)

    def expire(self, now: int) -> Queue:
        """Without the rows that are due before `now`."""
        if all(run.first >= now for run in self.runs):
            return self
        later = [run.since(now) for run in self.runs]
        return Queue(self.due, self.like, tuple(run for run in later if run is not None))

    def _run(self, rows: pl.DataFrame) -> _Run:
        return _Run(rows, rows[self.due].to_numpy())

    def _merge(self, runs: Sequence[_Run]) -> _Run:
        return self._run(concatenated([run.frame for run in runs]))
