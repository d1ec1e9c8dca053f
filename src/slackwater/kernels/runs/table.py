"""Rows by key: a run is an epoch's new rows, found by the hash of their keys; the newest with a key counts.

    oldest              newest
    a 1   b 2   c 3  │  b 5   c gone        a is 1, b is 5, c is not in the table

Merging runs drops what newer rows replace. A small table, and one that changes as a whole, is one run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

import numpy as np
import polars as pl
from numpy.typing import NDArray

from slackwater.kernels.keys import Ints, member, number_keys
from slackwater.kernels.runs import tiers
from slackwater.kernels.runs.index import Index, Ranges, hashes, nested_hashes

GONE = "@gone"
"""The column that says of a new row that it deletes the one with its key."""


@dataclass(frozen=True, slots=True)
class Matches:
    """Rows of a table whose keys were looked for, with numbers for the keys, equal where these are."""

    rows: pl.DataFrame
    numbers: Ints
    sought: Ints
    """The numbers of the keys that were looked for."""


class _Run(tiers.FrameRun):
    """Rows with different keys; some may be deletions."""

    def __init__(self, frame: pl.DataFrame, index: Index | None = None) -> None:
        super().__init__(frame)
        self._index = index

    def index(self, group: tuple[str, ...], key: tuple[str, ...]) -> Index:
        """Made when it is first needed, since a table that changes as a whole does not need it."""
        if self._index is None:
            self.frame = self.frame.rechunk()
            self._index = Index.of(nested_hashes(self.frame, group, key))
        return self._index


@dataclass(frozen=True, slots=True)
class Table(tiers.InRuns):
    """At most one row for each key. Rows are looked up by the columns of `group`, which are in the key."""

    key: tuple[str, ...]
    group: tuple[str, ...]
    runs: tuple[_Run, ...]
    rows: int

    @classmethod
    def of(cls, key: tuple[str, ...], group: tuple[str, ...], rows: pl.DataFrame) -> Table:
        """A table of these rows, which have different keys."""
        alive = _alive(rows)
        return cls(key, group, (_Run(alive),), alive.height)

    def is_small(self, count: int) -> bool:
        """Whether one pass over the table is as fast as looking up so many rows."""
        return not self.group or tiers.is_small(self.held, count)

    def merge(self) -> Table:
        """The same table in one run."""
        if len(self.runs) == 1:
            return self
        run = self._merge(self.runs)
        return replace(self, runs=(run,), rows=run.height)

    def whole(self) -> pl.DataFrame:
        """All rows."""
        return self.merge().runs[0].frame

    snapshot = whole

    def expire(self, now: int) -> Table:
        return self

    def matching(self, sought: pl.DataFrame) -> Matches:
        """The rows that equal a row of `sought` in the columns of the group."""
        if self.is_small(sought.height):
            rows = self.whole()
            numbers, others = number_keys([rows, sought], self.group)
            is_match = member(numbers, others) if self.group else np.ones(len(numbers), np.bool_)
            if is_match.all():
                return Matches(rows, numbers, others)
            return Matches(rows.filter(pl.Series(is_match)), numbers[is_match], others)
        return self._indexed(sought, self.group)

    def _indexed(self, sought: pl.DataFrame, columns: tuple[str, ...]) -> Matches:
        """The rows that equal a row of `sought` in these columns, the group's or the key's, by the index."""
        rows = self._candidates(sought, columns)
        numbers, others = number_keys([rows, sought], columns)
        is_match = member(numbers, others)
        if len(self.runs) > 1:
            [keys] = [numbers] if columns == self.key else number_keys([rows], self.key)
            is_match &= _is_last(keys)
        if GONE in rows.columns:
            is_match &= ~rows[GONE].fill_null(False).to_numpy()
            rows = rows.drop(GONE)
        return Matches(rows.filter(pl.Series(is_match)), numbers[is_match], others)

    def _candidates(self, sought: pl.DataFrame, columns: tuple[str, ...]) -> pl.DataFrame:
        """All rows with the hashes of these groups or keys, the oldest first."""
        if columns == self.key:
            ranges = Ranges.of(nested_hashes(sought, self.group, self.key))
        else:
            ranges = Ranges.of(hashes(sought, self.group), groups=True)
        parts = [
            tiers.rows_at(run.frame, places)
            for run in self.runs
            if len(places := run.index(self.group, self.key).find(ranges))
        ]
        return tiers.concatenated(parts) if parts else self.runs[0].frame.clear()

    def add(self, rows: pl.DataFrame, former: int | None = None) -> Table:
        """The table with these rows in place of those with the same keys: `former` of them, if known."""
        if self.is_small(rows.height):
            return self._rewritten(rows)
        if former is None:
            former = self._indexed(rows, self.key).rows.height
        new = _Run(rows)
        alive = rows.height - int(rows[GONE].sum()) if GONE in rows.columns else rows.height
        count = self.rows + alive - former
        table = replace(self, runs=(*self.runs, new), rows=count)
        if table.held > 2 * count:
            return table.merge()
        first = self.runs[0]
        runs = tiers.merged_runs(table.runs, lambda some: self._merge(some, is_oldest=some[0] is first))
        return replace(table, runs=runs)

    def _rewritten(self, rows: pl.DataFrame) -> Table:
        """The table with these rows, in one run."""
        before = self.whole()
        if self.key:
            old, new = number_keys([before, rows], self.key)
            stays = ~member(old, new)
            before = before.filter(pl.Series(stays))
        else:
            before = before.clear()  # one row in all
        return Table.of(self.key, self.group, tiers.concatenated([before, _alive(rows)], tiers.SOME_CHUNKS))

    def _merge(self, runs: Sequence[_Run], is_oldest: bool = True) -> _Run:
        """One run with the newest row of each key; the oldest run needs no deletions."""
        frame = tiers.concatenated([run.frame for run in runs])
        starts = [0, *accumulate(run.height for run in runs[:-1])]
        index = Index.merged([run.index(self.group, self.key) for run in runs], starts)
        alive = np.ones(frame.height, np.bool_)
        rivals = index.repeated()
        if len(rivals):
            [numbers] = number_keys([tiers.rows_at(frame.select(self.key), rivals)], self.key)
            alive[rivals[~_is_last(numbers)]] = False
        if GONE in frame.columns:
            is_gone = frame[GONE].fill_null(False)
            if is_oldest:
                alive &= ~is_gone.to_numpy()
                frame = frame.drop(GONE)
            else:
                frame = frame.with_columns(is_gone)
        if alive.all():
            return _Run(frame, index)
        return _Run(frame.filter(pl.Series(alive)), index.without(alive))


def _alive(rows: pl.DataFrame) -> pl.DataFrame:
    if GONE not in rows.columns:
        return rows
    alive = rows.filter(~pl.col(GONE)) if rows[GONE].any() else rows
    return alive[[name for name in rows.columns if name != GONE]]


def _is_last(numbers: Ints) -> NDArray[np.bool_]:
    """Which of the numbers do not occur again."""
    order = np.argsort(numbers, kind="stable")
    ordered = numbers[order]
    last = np.ones(len(numbers), np.bool_)
    last[order[:-1][ordered[1:] == ordered[:-1]]] = False
    return last
