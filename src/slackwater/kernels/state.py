"""State: what an operator keeps from one epoch to the next, and what of it changed.

A state is a few named frames. How a frame is kept says how it shrinks, so that a change can be written
down without writing the whole:

    due     rows leave by themselves when their instant in that column is before the epoch's start
    key     a row replaces the one with the same key; a row whose `@gone` is true takes it away
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from slackwater.kernels.keys import member, numbered

GONE = "@gone"


@dataclass(frozen=True, slots=True)
class Kept:
    """How one frame of a state is kept."""

    due: str | None = None
    key: tuple[str, ...] | None = None


@dataclass(slots=True)
class Change:
    """What happened to a frame in an epoch: rows were added to it, or it was replaced by them."""

    rows: list[pl.DataFrame] = field(default_factory=list)
    replaced: bool = False


@dataclass(slots=True)
class State:
    kept: Mapping[str, Kept]
    _frames: dict[str, pl.DataFrame] = field(default_factory=dict)
    changes: dict[str, Change] = field(default_factory=dict)

    def get(self, name: str) -> pl.DataFrame | None:
        """The frame, or None while nothing has been put into it."""
        return self._frames.get(name)

    def add(self, name: str, rows: pl.DataFrame) -> None:
        """Put rows beside those that are there, or in their place where they have a key."""
        if rows.height:
            self._frames[name] = _added(self._frames.get(name), rows, self.kept[name])
            change = self.changes.setdefault(name, Change())
            change.rows = [*_without(change.rows, rows, self.kept[name].key), rows]

    def replace(self, name: str, rows: pl.DataFrame) -> None:
        """Put rows in place of everything that was there."""
        self._frames[name] = rows
        self.changes[name] = Change([rows], replaced=True)

    def part(self, prefix: str) -> State:
        """The frames whose names begin with the prefix, under the rest of their names."""
        return Part(self, prefix)

    def expire(self, now: int) -> None:
        """Let go of what fell due before `now`."""
        for name, kept in self.kept.items():
            frame = self._frames.get(name)
            if kept.due is not None and frame is not None:
                self._frames[name] = frame.filter(pl.col(kept.due) >= now)
                # With a key it would matter: what fell due may have replaced what had longer to live.
                if kept.key is None and (change := self.changes.get(name)) is not None:
                    change.rows = [rows.filter(pl.col(kept.due) >= now) for rows in change.rows]

    def restore(self, name: str, rows: pl.DataFrame, replaced: bool) -> None:
        """Read a change back, without noting it as one."""
        before = None if replaced else self._frames.get(name)
        self._frames[name] = _added(before, rows, self.kept[name])

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
    """A part of a state that an inner operator takes for its own."""

    __slots__ = ("_prefix", "_whole")

    def __init__(self, whole: State, prefix: str) -> None:
        self._whole, self._prefix = whole, prefix

    def get(self, name: str) -> pl.DataFrame | None:
        return self._whole.get(self._prefix + name)

    def add(self, name: str, rows: pl.DataFrame) -> None:
        self._whole.add(self._prefix + name, rows)

    def replace(self, name: str, rows: pl.DataFrame) -> None:
        self._whole.replace(self._prefix + name, rows)


def _added(before: pl.DataFrame | None, rows: pl.DataFrame, kept: Kept) -> pl.DataFrame:
    if kept.key is None:
        return rows if before is None else pl.concat([before, rows], how="diagonal")
    alive = rows.filter(~pl.col(GONE)).drop(GONE) if GONE in rows.columns else rows
    return pl.concat([*_without([] if before is None else [before], rows, kept.key), alive], how="diagonal")


def _without(
    frames: Sequence[pl.DataFrame], rows: pl.DataFrame, key: tuple[str, ...] | None
) -> list[pl.DataFrame]:
    """What is left of the frames when rows come: those with their keys go."""
    if not frames or key is None:
        return list(frames)
    if not key:
        return []  # one row in all
    *olds, new = numbered([*frames, rows], key)
    return [frame.filter(pl.Series(~member(old, new))) for frame, old in zip(frames, olds, strict=True)]
