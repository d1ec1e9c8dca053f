"""Elements of one side of a join: looked up by the hash of the join's columns, until they end.

Elements that have ended stay in a run until they are more than half of it. Elements that are equal but for
their number of copies are added up when runs are merged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate

import numpy as np
import polars as pl

from slackwater.base.time import INFINITY
from slackwater.kernels.keys import Ints
from slackwater.kernels.runs.index import Index, Ranges, hashes
from slackwater.kernels.runs.tiers import (
    SOME_CHUNKS,
    FrameRun,
    InRuns,
    concatenated,
    is_small,
    merged_runs,
    rows_at,
)

MANY_DELETIONS = 4
"""Adding up pays off once deletions are a quarter of the rows."""


class _Run(FrameRun):
    """Elements in any order, with an index by the join's columns."""

    def __init__(
        self, frame: pl.DataFrame, due: str, summed: str, index: Index | None = None, is_summed: bool = False
    ) -> None:
        super().__init__(frame)
        self._due, self._summed, self._index = due, summed, index
        self._is_summed = is_summed
        self._counted: tuple[int, int] | None = None

    @cached_property
    def first(self) -> int:
        return int(self.frame[self._due].to_numpy().min())

    @cached_property
    def last(self) -> int:
        return int(self.frame[self._due].to_numpy().max())

    @cached_property
    def _dues(self) -> Ints:
        return np.sort(self.frame[self._due].to_numpy())

    @cached_property
    def deletions(self) -> int:
        return int((self.frame[self._summed] < 0).sum())

    @property
    def pending(self) -> int:
        """How many deletions may still be added up with what they delete."""
        return 0 if self._is_summed else self.deletions

    @property
    def has_index(self) -> bool:
        return self._index is not None

    def ended(self, now: int) -> int:
        """How many elements are due before `now`."""
        if self.first >= now:
            return 0
        if self.last < now:
            return self.height
        if self._counted is None:
            # Sorting pays off for a run that is counted again at another time.
            self._counted = now, int((self.frame[self._due].to_numpy() < now).sum())
        at, count = self._counted
        return count if at == now else int(np.searchsorted(self._dues, now))

    def index(self, by: tuple[str, ...]) -> Index:
        if self._index is None:
            self.frame = self.frame.rechunk()
            self._index = Index.of(hashes(self.frame, by))
        return self._index

    def since(self, now: int) -> _Run:
        """The elements that are not due before `now`."""
        if not self.ended(now):
            return self
        alive = self.frame[self._due].to_numpy() >= now
        index = None if self._index is None else self._index.without(alive)
        frame = self.frame.filter(pl.Series(alive))
        return _Run(frame, self._due, self._summed, index, self._is_summed)


@dataclass(frozen=True, slots=True)
class Side(InRuns):
    """Elements that end at the time in the column `due`, with their numbers in the column `summed`."""

    due: str
    summed: str
    by: tuple[str, ...]
    like: pl.DataFrame
    runs: tuple[_Run, ...] = ()
    now: int = -INFINITY

    @classmethod
    def of(cls, due: str, summed: str, by: tuple[str, ...], rows: pl.DataFrame) -> Side:
        return cls(due, summed, by, rows.clear()).add(rows)

    @property
    def rows(self) -> int:
        return sum(run.height - run.ended(self.now) for run in self.runs)

    def whole(self) -> pl.DataFrame:
        """All elements."""
        return concatenated([run.since(self.now).frame for run in self.runs] or [self.like], SOME_CHUNKS)

    def snapshot(self) -> pl.DataFrame:
        """All elements, added up."""
        return self._summed_up(self.whole())

    def candidates(self, sought: pl.DataFrame, columns: tuple[str, ...]) -> pl.DataFrame:
        """All elements that equal a row of `sought` in its columns, and maybe more; some may have ended."""
        is_alike = [self.like.schema[name] for name in self.by] == [sought.schema[name] for name in columns]
        if not self.by or not is_alike or is_small(self.held, sought.height):
            return concatenated([run.frame for run in self.runs] or [self.like], SOME_CHUNKS)
        ranges = Ranges.of(hashes(sought, columns))
        parts = [
            rows_at(run.frame, places) for run in self.runs if len(places := run.index(self.by).find(ranges))
        ]
        rows = concatenated(parts) if parts else self.like
        return self._summed_up(rows) if any(run.pending for run in self.runs) else rows

    def add(self, rows: pl.DataFrame) -> Side:
        if not rows.height:
            return self
        runs = (*self.runs, self._run(rows))
        held = sum(run.height for run in runs)
        if MANY_DELETIONS * sum(run.pending for run in runs) > held:
            runs = (self._merge(runs),)
        else:
            runs = merged_runs(runs, self._merge)
        return replace(self, runs=tuple(run for run in runs if run.height))

    def expire(self, now: int) -> Side:
        """Without the elements that are due before `now`."""
        alive = [(run, run.ended(now)) for run in self.runs]
        runs = [
            run.since(now) if 2 * ended > run.height else run for run, ended in alive if ended < run.height
        ]
        return replace(self, now=now, runs=tuple(runs))

    def _run(self, rows: pl.DataFrame, index: Index | None = None, is_summed: bool = False) -> _Run:
        return _Run(rows, self.due, self.summed, index, is_summed)

    def _merge(self, runs: Sequence[_Run]) -> _Run:
        alive = [run.since(self.now) for run in runs]
        frame = concatenated([run.frame for run in alive])
        if any(run.pending for run in alive):
            # What a deletion deletes is in its own run or an older one.
            is_oldest = not self.runs or runs[0] is self.runs[0]
            return self._run(self._summed_up(frame), is_summed=is_oldest)
        if not all(run.has_index for run in alive):
            return self._run(frame)
        starts = [0, *accumulate(run.height for run in alive[:-1])]
        return self._run(frame, Index.merged([run.index(self.by) for run in alive], starts))

    def _summed_up(self, rows: pl.DataFrame) -> pl.DataFrame:
        row = [name for name in rows.columns if name != self.summed]
        total = rows.group_by(row).agg(pl.col(self.summed).sum()).filter(pl.col(self.summed) != 0)
        return total.select(rows.columns)
