"""State: what an operator keeps from one epoch to the next, and its changes since the last checkpoint.

A state is a few named frames. The retention of a frame defines how rows leave it, so that a checkpoint can
write the change instead of the whole frame:

    due     a row expires when its instant in that column is before the start of the epoch
    key     a row replaces the one with the same key; a row whose `@gone` is true deletes it
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from slackwater.kernels.keys import member, number_keys

GONE = "@gone"


@dataclass(frozen=True, slots=True)
class Retention:
    """How rows leave a frame of a state."""

    due: str | None = None
    key: tuple[str, ...] | None = None


@dataclass(slots=True)
class Change:
    """The change of a frame: rows were added to it, or it was replaced by them."""

    rows: list[pl.DataFrame] = field(default_factory=list)
    replaced: bool = False


@dataclass(slots=True)
class State:
    layout: Mapping[str, Retention]
    _frames: dict[str, pl.DataFrame] = field(default_factory=dict)
    changes: dict[str, Change] = field(default_factory=dict)

    def get(self, name: str) -> pl.DataFrame | None:
        """The frame, or None while nothing has been added to it."""
        return self._frames.get(name)

    def add(self, name: str, rows: pl.DataFrame) -> None:
        """Add rows; with a key they replace those with the same key."""
        if rows.height:
            self._frames[name] = _added(self._frames.get(name), rows, self.layout[name])
            change = self.changes.setdefault(name, Change())
            change.rows = [*_without(change.rows, rows, self.layout[name].key), rows]

    def replace(self, name: str, rows: pl.DataFrame) -> None:
        """Replace the whole frame."""
        self._frames[name] = rows
        self.changes[name] = Change([rows], replaced=True)

    def part(self, prefix: str) -> State:
        """The frames whose names begin with the prefix, under the rest of their names."""
        return Part(self, prefix)

    def expire(self, now: int) -> None:
        """Remove the rows that are due before `now`."""
        for name, retention in self.layout.items():
            frame = self._frames.get(name)
            if retention.due is not None and frame is not None:
                self._frames[name] = frame.filter(pl.col(retention.due) >= now)
                # Not with a key: an expired row may have replaced one that was due later.
                if retention.key is None and (change := self.changes.get(name)) is not None:
                    change.rows = [rows.filter(pl.col(retention.due) >= now) for rows in change.rows]

    def restore(self, name: str, rows: pl.DataFrame, replaced: bool) -> None:
        """Apply a change from a checkpoint, without recording it as a change."""
        before = None if replaced else self._frames.get(name)
        self._frames[name] = _added(before, rows, self.layout[name])

    @property
    def frames(self) -> Mapping[str, pl.DataFrame]:
        return self._frames

    @property
    def rows(self) -> int:
        return sum(frame.height for frame in self._frames.values())

    @property
    def bytes(self) -> int:
        return int(sum(frame.estimated_size() for frame in self._frames.values()))


class Part(State):
    """The frames of a state that belong to an inner operator."""

    __slots__ = ("_prefix", "_whole")

    def __init__(self, whole: State, prefix: str) -> None:
        self._whole, self._prefix = whole, prefix

    def get(self, name: str) -> pl.DataFrame | None:
        return self._whole.get(self._prefix + name)

    def add(self, name: str, rows: pl.DataFrame) -> None:
        self._whole.add(self._prefix + name, rows)

    def replace(self, name: str, rows: pl.DataFrame) -> None:
        self._whole.replace(self._prefix + name, rows)


def _added(before: pl.DataFrame | None, rows: pl.DataFrame, retention: Retention) -> pl.DataFrame:
    if retention.key is None:
        return rows if before is None else pl.concat([before, rows], how="diagonal")
    alive = rows.filter(~pl.col(GONE)).drop(GONE) if GONE in rows.columns else rows
    return pl.concat(
        [*_without([] if before is None else [before], rows, retention.key), alive], how="diagonal"
    )


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
