"""Epochs: the times of a run, from one epoch to the next."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import polars as pl

from slackwater.base.time import BEGIN
from slackwater.run.checkpoint.lateness import Lateness
from slackwater.run.watermarks import epoch_end


@dataclass(frozen=True, slots=True)
class Arrivals:
    """The rows of one source in a batch, as elements, and its watermark after them."""

    frame: pl.DataFrame
    watermark: int
    """No element before this instant will come."""


@dataclass(slots=True)
class Epochs:
    """How far a run has come: its time, and that of each source."""

    sources: tuple[str, ...]
    now: int = BEGIN
    watermarks: dict[str, int] = field(default_factory=dict)
    late: dict[str, int] = field(default_factory=dict)
    """How many rows of each source came after their epoch."""
    seen: dict[str, int] = field(default_factory=dict)
    """The largest time of each source so far, where the caller notes it."""
    latest: dict[str, tuple[int, ...]] = field(default_factory=dict)
    """The times after the watermark of each source whose watermark is read ahead."""
    waiting: dict[str, int] = field(default_factory=dict)
    """How many rows of each source wait for their epoch."""
    lateness: Lateness = field(default_factory=Lateness)
    """In which batches rows came after their epoch."""

    def __post_init__(self) -> None:
        for name in self.sources:
            self.watermarks.setdefault(name, self.now)
            self.late.setdefault(name, 0)

    def after(self, watermarks: Mapping[str, int]) -> dict[str, int]:
        """The watermarks after a batch; none goes back."""
        return {name: max(mark, watermarks.get(name, mark)) for name, mark in self.watermarks.items()}

    def advance(self, watermarks: Mapping[str, int]) -> None:
        """Begin the next epoch."""
        self.watermarks = self.after(watermarks)
        self.now = epoch_end(self.now, self.watermarks)

    def note_latest(self, name: str, times: Iterable[int]) -> None:
        """Remember the times of a source that are after its watermark."""
        known = (*self.latest.get(name, ()), *times)
        if known:
            self.latest[name] = tuple(time for time in known if time > self.watermarks[name])
