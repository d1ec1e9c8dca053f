"""Elements of one side of a join: looked up by the hash of the join's columns, until they end.

Elements that have ended stay in a run until they are more than half of it. Elements that are equal but for
their number of copies are added up when runs are merged.

    on disk, each in the order of hashes     in memory
    [──── most rows ────]  [──── … ────]     [────] [──] [─]         oldest first

What is in memory becomes one more run on disk when it is too large. Runs on disk are merged up to a number of
rows, so that no more than these are in memory at a time; all of them are merged range by range of the hashes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

import numpy as np
import polars as pl

from slackwater.base.time import INFINITY
from slackwater.kernels.keys import Ints
from slackwater.kernels.runs.elements import Elements, Form, Spilled
from slackwater.kernels.runs.index import Index, Ranges
from slackwater.kernels.runs.tiers import (
    SOME_CHUNKS,
    InRuns,
    concatenated,
    divided,
    is_small,
    linked,
    merged_runs,
)

MANY_DELETIONS = 4
"""Adding up pays off once deletions are a quarter of the rows."""
_SAMPLES = 8
"""In how many parts each run counts that is divided into ranges."""


@dataclass(frozen=True, slots=True)
class Side(InRuns):
    """Elements until they end."""

    form: Form
    like: pl.DataFrame
    runs: tuple[Elements, ...] = ()
    now: int = -INFINITY
    most: int = 0
    """The most rows of a run on disk, unless one epoch had more."""

    @classmethod
    def of(
        cls, due: str, summed: str, by: tuple[str, ...], rows: pl.DataFrame, *, in_grid: bool = False
    ) -> Side:
        """With these rows; `in_grid` where the last column of `by` is a cell."""
        return cls(Form(due, summed, by, in_grid), rows.clear()).add(rows)

    @property
    def rows(self) -> int:
        return sum(run.height - run.ended(self.now) for run in self.runs)

    def whole(self) -> pl.DataFrame:
        """All elements."""
        frames = [run.alive(self.now) for run in self.runs] or [self.like]
        return linked(frames) if self.is_spilled else concatenated(frames, SOME_CHUNKS)

    def snapshot(self) -> pl.DataFrame:
        """All elements, added up; where some are on disk as they are there, to spare memory."""
        return self.whole() if self.is_spilled else self._summed_up(self.whole())

    def candidates(self, sought: pl.DataFrame, columns: tuple[str, ...]) -> pl.DataFrame:
        """All elements that equal a row of `sought` in its columns, and maybe more; some may have ended."""
        is_scanned = not self.is_spilled and is_small(self.held, sought.height)
        if is_scanned or not self._is_alike(sought, columns):
            return concatenated([run.frame for run in self.runs] or [self.like], SOME_CHUNKS)
        ranges = Ranges.of(self.form.hashes(sought, columns))
        parts = [rows for run in self.runs if (rows := run.find(ranges)) is not None]
        rows = concatenated(parts) if parts else self.like
        return self._summed_up(rows) if any(run.pending for run in self.runs) else rows

    def counts(self, sought: pl.DataFrame, columns: tuple[str, ...]) -> Ints:
        """About how many elements equal each row of `sought` in its columns, with those that have ended."""
        if not self._is_alike(sought, columns):
            return np.full(sought.height, self.held)
        numbers, total = self.form.hashes(sought, columns), np.zeros(sought.height, np.int64)
        for run in self.runs:
            total += np.searchsorted(run.hashes, numbers, side="right")
            total -= np.searchsorted(run.hashes, numbers)
        return total

    def _is_alike(self, sought: pl.DataFrame, columns: tuple[str, ...]) -> bool:
        """Whether equal values of both have equal hashes."""
        by = self.form.by
        return bool(by) and [self.like.schema[name] for name in by] == [
            sought.schema[name] for name in columns
        ]

    def add(self, rows: pl.DataFrame) -> Side:
        if not rows.height:
            return self
        runs = (*self.runs, Elements(rows, self.form))
        held = sum(run.height for run in runs)
        on_disk, in_memory = divided(runs)
        if MANY_DELETIONS * sum(run.pending for run in runs) <= held:
            merged: list[Elements] = [*on_disk, *merged_runs(in_memory, self._merge)]
        elif on_disk:
            merged = list(self._by_ranges([*on_disk, self._spilled(self._merge(in_memory))]))
        else:
            merged = [self._merge(runs)]
        return replace(self, runs=tuple(run for run in merged if run.height))

    def expire(self, now: int) -> Side:
        """Without the elements that are due before `now`."""
        alive = [(run, run.ended(now)) for run in self.runs]
        runs = [
            run.since(now) if 2 * ended > run.height else run for run, ended in alive if ended < run.height
        ]
        return replace(self, now=now, runs=tuple(runs))

    def spill(self, most: int) -> Side:
        """With all elements on disk, in runs of at most so many rows where these are merged."""
        on_disk, in_memory = divided(self.runs)
        if not in_memory:
            return self
        new = self._spilled(self._merge(in_memory))
        runs = merged_runs([*on_disk, new], lambda some: self._spilled(self._merge(some)), most)
        return replace(self, most=most, runs=tuple(run for run in runs if run.height))

    def _spilled(self, run: Elements) -> Spilled:
        return Spilled(run.frame, self.form, run.is_summed)

    def _merge(self, runs: Sequence[Elements]) -> Elements:
        frame = concatenated([run.alive(self.now) for run in runs])
        if any(run.pending for run in runs):
            # What a deletion deletes is in its own run or an older one.
            is_oldest = not self.runs or runs[0] is self.runs[0]
            return Elements(self._summed_up(frame), self.form, is_summed=is_oldest)
        if not all(run.has_index for run in runs):
            return Elements(frame, self.form)
        alive = [run.since(self.now) for run in runs]
        starts = [0, *accumulate(run.height for run in alive[:-1])]
        return Elements(frame, self.form, Index.merged([run.index for run in alive], starts))

    def _by_ranges(self, runs: Sequence[Elements]) -> Iterator[Elements]:
        """All runs, of all elements, added up: a run for each range of hashes."""
        step = max(self.most // _SAMPLES, 1)
        sampled = np.sort(np.concatenate([run.hashes[::step] for run in runs]))
        cuts = np.unique(sampled[_SAMPLES::_SAMPLES])
        ends = [*(cuts - np.uint64(1))[cuts > 0], np.iinfo(np.uint64).max]
        first = np.uint64(0)
        for last in ends:
            parts = [run.between(first, np.uint64(last)) for run in runs if isinstance(run, Spilled)]
            frame = concatenated(parts).filter(pl.col(self.form.due) >= self.now)
            yield Spilled(self._summed_up(frame), self.form, is_summed=True)
            first = np.uint64(last) + np.uint64(1) if last < ends[-1] else first

    def _summed_up(self, rows: pl.DataFrame) -> pl.DataFrame:
        summed = self.form.summed
        row = [name for name in rows.columns if name != summed]
        total = rows.group_by(row).agg(pl.col(summed).sum()).filter(pl.col(summed) != 0)
        return total.select(rows.columns)
