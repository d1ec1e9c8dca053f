"""Rows by due time: a run is sorted by it, so that an epoch reads slices of a few runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from slackwater.kernels.keys import Ints
from slackwater.kernels.runs.tiers import InRuns, concatenated, merged_runs, rows_at

MOST = 65_536
"""The most rows of a merged run. Most runs lie apart in time and are not touched until they fall due, so that
many of them cost nothing, and merging them would."""


class _Run:
    """Rows, sorted when they are first cut."""

    def __init__(self, frame: pl.DataFrame, dues: Ints, spare: int = 0, is_ordered: bool = False) -> None:
        self.frame, self.dues, self.spare, self._is_ordered = frame, dues, spare, is_ordered
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
        if spare > len(dues):  # A slice holds the memory of the whole.
            frame, dues, spare = rows_at(frame, np.arange(len(dues))), dues.copy(), 0
        return _Run(frame, dues, spare, is_ordered=True)


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
        return concatenated([run.frame for run in self.runs] or [self.like])

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
        return Queue(self.due, like, merged_runs([*self.runs, self._run(rows)], self._merge, MOST))

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
