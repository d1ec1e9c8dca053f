"""State: what an operator keeps from one epoch to the next, and its changes since the last checkpoint.

A state is a few named frames. The retention of a frame defines how rows leave it, so that a checkpoint can
write the change instead of the whole frame, and in which kind of `runs` its rows are, so that an epoch takes
time for the rows it changes and not for all:

    due     a row expires when its instant in that column is before the start of the epoch      Queue
    key     a row replaces the one with the same key; a row whose `@gone` is true deletes it    Table
    summed  with `due`: rows that differ only in this number are one row with their sum         Side

A state may have a limit of memory. Beyond it, rows of frames that allow it are on disk, in mapped files
(decision 0060).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import polars as pl

from slackwater.kernels.keys import Ints, member, number_keys
from slackwater.kernels.runs.queue import Queue
from slackwater.kernels.runs.side import Side
from slackwater.kernels.runs.table import GONE, Matches, Table
from slackwater.kernels.runs.tiers import rows_at

__all__ = ["GONE", "Change", "Matches", "Part", "Retention", "State"]


@dataclass(frozen=True, slots=True)
class Retention:
    """How rows leave a frame of a state, and by which columns they are looked up."""

    due: str | None = None
    key: tuple[str, ...] | None = None
    by: tuple[str, ...] | None = None
    """By default the key."""
    summed: str | None = None
    may_spill: bool = False
    """Whether rows may be on disk. With `summed`, the last column of `by` is then the cell of a grid."""

    def __post_init__(self) -> None:
        if (self.due is None) == (self.key is None):
            raise ValueError("rows leave a frame by time or by key")


class Runs(Protocol):
    """A frame in runs. Never changed: what adds or expires rows returns another one."""

    @property
    def rows(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    @property
    def memory(self) -> int: ...
    @property
    def is_spilled(self) -> bool: ...
    def whole(self) -> pl.DataFrame: ...
    def snapshot(self) -> pl.DataFrame: ...
    def add(self, rows: pl.DataFrame) -> Runs: ...
    def expire(self, now: int) -> Runs: ...


@dataclass(slots=True)
class Change:
    """The change of a frame: rows were added to it, or it was replaced by them."""

    rows: list[pl.DataFrame] = field(default_factory=list)
    replaced: bool = False


@dataclass(slots=True)
class State:
    layout: Mapping[str, Retention]
    allowed: int | None = None
    """The bytes that may be in memory, if there is a limit."""
    _runs: dict[str, Runs] = field(init=False, default_factory=dict)
    changes: dict[str, Change] = field(init=False, default_factory=dict)
    memo: object = field(init=False, default=None)
    """What a kernel has computed from the rows and can compute again; no part of a checkpoint."""

    def copy(self) -> State:
        """The same state, without changes; either may then be changed."""
        other = State(self.layout, self.allowed)
        other._runs = dict(self._runs)
        return other

    def get(self, name: str) -> pl.DataFrame | None:
        """The whole frame, or None while nothing has been added to it."""
        runs = self._merged(name)
        return None if runs is None else runs.whole()

    def _merged(self, name: str) -> Runs | None:
        """The frame; a table then is one run, since all of it is read."""
        runs = self._runs.get(name)
        if isinstance(runs, Table):
            runs = self._runs[name] = runs.merge()
        return runs

    def has(self, name: str) -> bool:
        """Whether anything has been added to the frame."""
        return name in self._runs

    def matching(self, name: str, rows: pl.DataFrame) -> Matches | None:
        """The rows of a frame with a key that equal one of `rows` in the columns it is looked up by."""
        table = self._runs.get(name)
        if table is None:
            return None
        assert isinstance(table, Table)
        if table.is_small(rows.height):
            table = self._runs[name] = table.merge()
        return table.matching(rows)

    def candidates(self, name: str, rows: pl.DataFrame, columns: tuple[str, ...]) -> pl.DataFrame | None:
        """At least the rows of a summed frame that equal one of `rows` in `columns`; some may be expired."""
        side = self._runs.get(name)
        assert side is None or isinstance(side, Side)
        return None if side is None else side.candidates(rows, columns)

    def counts(self, name: str, rows: pl.DataFrame, columns: tuple[str, ...]) -> Ints:
        """About how many rows of a summed frame equal each of `rows` in `columns`."""
        side = self._runs.get(name)
        assert side is None or isinstance(side, Side)
        return np.zeros(rows.height, np.int64) if side is None else side.counts(rows, columns)

    def falling_due(self, name: str, lo: int, hi: int) -> pl.DataFrame | None:
        """The rows of a frame that are due in [lo, hi), or None while nothing has been added to it."""
        queue = self._runs.get(name)
        assert queue is None or isinstance(queue, Queue)
        return None if queue is None else queue.between(lo, hi)

    def is_due(self, hi: int) -> bool:
        """Whether a row is due before `hi` that something is computed for; elements of a side only end."""
        return any(isinstance(runs, Queue) and runs.is_due(hi) for runs in self._runs.values())

    def add(self, name: str, rows: pl.DataFrame, former: int | None = None) -> None:
        """Add rows; with a key they replace those with the same key: as many as `former` says, if known."""
        if rows.height:
            self._put(name, rows, former)
            change = self.changes.setdefault(name, Change())
            change.rows = [*_without(change.rows, rows, self.layout[name].key), rows]

    def _put(self, name: str, rows: pl.DataFrame, former: int | None = None) -> None:
        """Add rows to the runs; many of them in parts that fit in the allowed memory."""
        allowed = self.allowed if self.layout[name].may_spill else None
        size = int(rows.estimated_size()) if allowed is not None else 0
        if allowed is None or size <= allowed // 2:
            self._runs[name] = self._added(name, rows, former)
            self._spill()
            return
        for part in rows.iter_slices(max(rows.height * (allowed // 2) // size, 1)):
            # A copy: a slice would hold the memory of the whole.
            self._runs[name] = self._added(name, rows_at(part, np.arange(part.height)), former)
            self._spill()

    def _added(self, name: str, rows: pl.DataFrame, former: int | None = None) -> Runs:
        runs = self._runs.get(name)
        if runs is None:
            return _runs_of(self.layout[name], rows)
        return runs.add(rows, former) if isinstance(runs, Table) else runs.add(rows)

    def _spill(self) -> None:
        """Where there are too many rows in memory, put the largest frames on disk."""
        if self.allowed is None or self.memory <= self.allowed:
            return
        for name in sorted(self._runs, key=lambda name: -self._runs[name].memory):
            runs = self._runs[name]
            if isinstance(runs, Side | Queue) and self.layout[name].may_spill and runs.held:
                self._runs[name] = runs.spill(max(self.allowed // 2 * runs.held // max(runs.bytes, 1), 1))
            if 2 * self.memory <= self.allowed:
                break

    @property
    def is_spilled(self) -> bool:
        """Whether some rows are on disk."""
        return any(runs.is_spilled for runs in self._runs.values())

    @property
    def buffer(self) -> int | None:
        """How many rows to read at a time, where some are on disk: a quarter of what may be in memory."""
        if self.allowed is None or not self.is_spilled:
            return None
        return max(self.allowed // 4 * self.rows // max(self.bytes, 1), 1)

    def replace(self, name: str, rows: pl.DataFrame) -> None:
        """Replace the whole frame."""
        self._runs.pop(name, None)
        self._put(name, rows)
        self.changes[name] = Change([rows], replaced=True)

    def part(self, prefix: str) -> State:
        """The frames whose names begin with the prefix, under the rest of their names."""
        return Part(self, prefix)

    def expire(self, now: int) -> None:
        """Remove the rows that are due before `now`."""
        for name, runs in self._runs.items():
            due = self.layout[name].due
            if due is None:
                continue
            self._runs[name] = runs.expire(now)
            if (change := self.changes.get(name)) is not None:
                change.rows = [_since(rows, due, now) for rows in change.rows]

    def restore(self, name: str, rows: pl.DataFrame, replaced: bool) -> None:
        """Apply a change from a checkpoint, without recording it as a change."""
        self.memo = None
        if replaced:
            self._runs.pop(name, None)
        self._put(name, rows)

    @property
    def frames(self) -> Mapping[str, pl.DataFrame]:
        """All frames, whole: for a snapshot."""
        frames = {name: self._merged(name) for name in list(self._runs)}
        return {name: runs.snapshot() for name, runs in frames.items() if runs is not None}

    @property
    def rows(self) -> int:
        """How many rows there are. Rows that can be added up may count one by one."""
        return sum(runs.rows for runs in self._runs.values())

    @property
    def bytes(self) -> int:
        """The size of all rows, with those that will be dropped when runs are merged."""
        return sum(runs.bytes for runs in self._runs.values())

    @property
    def memory(self) -> int:
        """The bytes of the rows that are not on disk."""
        return sum(runs.memory for runs in self._runs.values())


class Part(State):
    """The frames of a state that belong to an inner operator."""

    __slots__ = ("_prefix", "_whole")

    def __init__(self, whole: State, prefix: str) -> None:
        self._whole, self._prefix = whole, prefix

    def get(self, name: str) -> pl.DataFrame | None:
        return self._whole.get(self._prefix + name)

    def has(self, name: str) -> bool:
        return self._whole.has(self._prefix + name)

    def matching(self, name: str, rows: pl.DataFrame) -> Matches | None:
        return self._whole.matching(self._prefix + name, rows)

    def falling_due(self, name: str, lo: int, hi: int) -> pl.DataFrame | None:
        return self._whole.falling_due(self._prefix + name, lo, hi)

    def add(self, name: str, rows: pl.DataFrame, former: int | None = None) -> None:
        self._whole.add(self._prefix + name, rows, former)

    def replace(self, name: str, rows: pl.DataFrame) -> None:
        self._whole.replace(self._prefix + name, rows)


def _runs_of(retention: Retention, rows: pl.DataFrame) -> Runs:
    """A frame with these rows."""
    if retention.key is not None:
        return Table.of(retention.key, retention.key if retention.by is None else retention.by, rows)
    assert retention.due is not None
    if retention.summed is not None:
        by = retention.by or ()
        return Side.of(retention.due, retention.summed, by, rows, in_grid=retention.may_spill)
    return Queue.of(retention.due, rows)


def _since(rows: pl.DataFrame, due: str, now: int) -> pl.DataFrame:
    """The rows that are not due before `now`, usually all."""
    first = rows[due].min()
    return rows if first is None or first >= now else rows.filter(pl.col(due) >= now)  # type: ignore[operator]


def _without(
    frames: Sequence[pl.DataFrame], rows: pl.DataFrame, key: tuple[str, ...] | None
) -> list[pl.DataFrame]:
    """The frames without the rows whose keys occur in `rows`."""
    if not frames or key is None:
        return list(frames)
    if not key:
        return []  # one row in all
    *olds, new = number_keys([*frames, rows], key)
    return [frame.filter(pl.Series(~member(old, new))) for frame, old in zip(frames, olds, strict=True)]
