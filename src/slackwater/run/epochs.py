"""Epochs: rows arrive in batches of any size and become epochs of time.      CQL 8

arrived   3 5 4 | 7 6 9 | 8          delay 1: a watermark is the largest time seen, less one
watermark     4 |     8 | 8
epochs    [0,4)   [4,8)              3 | 5 4 7 6; 9 and 8 wait
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import polars as pl

from slackwater.base.time import BEGIN, INFINITY
from slackwater.kernels.frames import FROM
from slackwater.kernels.state import Retention, State

WAITING = "waiting"


@dataclass(frozen=True, slots=True)
class Arrivals:
    """The rows of one source in a batch, and its watermark after them."""

    frame: pl.DataFrame
    watermark: int
    """No element before this instant will come."""


@dataclass(slots=True)
class Epochs:
    """Cuts arrivals into epochs; buffers rows after the epoch, sets aside rows before it."""

    sources: tuple[str, ...]
    now: int = BEGIN
    watermarks: dict[str, int] = field(default_factory=dict)
    states: dict[str, State] = field(default_factory=dict)
    late: dict[str, int] = field(default_factory=dict)
    seen: dict[str, int] = field(default_factory=dict)
    """The largest time of each source so far, where the caller notes it."""

    def __post_init__(self) -> None:
        for name in self.sources:
            self.watermarks.setdefault(name, self.now)
            self.states.setdefault(name, State({WAITING: Retention(due=FROM)}))
            self.late.setdefault(name, 0)

    def advance(self, arrived: Mapping[str, Arrivals]) -> Epoch:
        """The epoch that the batch completes: from the last watermark to the new one."""
        for name, arrivals in arrived.items():
            self.watermarks[name] = max(self.watermarks[name], arrivals.watermark)
        lo, hi = self.now, max(self.now, min(self.watermarks.values(), default=INFINITY))
        ready: dict[str, pl.DataFrame] = {}
        late: dict[str, pl.DataFrame] = {}
        for name in self.sources:
            if name in arrived:
                ready[name], late[name] = self._divide(name, arrived[name].frame, lo, hi)
                self.late[name] += late[name].height
            elif (waiting := self.states[name].falling_due(WAITING, lo, hi)) is not None:
                ready[name], _ = self._divide(name, waiting.clear(), lo, hi)
        self.now = hi
        return Epoch(lo, hi, ready, {name: frame for name, frame in late.items() if frame.height})

    def _divide(self, name: str, frame: pl.DataFrame, lo: int, hi: int) -> tuple[pl.DataFrame, pl.DataFrame]:
        state = self.states[name]
        waited = state.falling_due(WAITING, lo, hi)
        late, now, ahead = _cut(frame, lo, hi)
        state.add(WAITING, ahead)
        if waited is not None and waited.height:
            now = pl.concat([waited.select(now.columns), now])
        state.expire(hi)
        return now, late


def _cut(frame: pl.DataFrame, lo: int, hi: int) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """The rows before lo, those before hi, and the others."""
    within = pl.col(FROM).is_between(lo, hi, closed="left")
    if frame.select(within.all()).item():
        return frame.clear(), frame, frame.clear()  # the usual case: nothing is copied
    return frame.filter(pl.col(FROM) < lo), frame.filter(within), frame.filter(pl.col(FROM) >= hi)


@dataclass(frozen=True, slots=True)
class Epoch:
    """The elements of [lo, hi), by source, and the rows that came too late for their own epoch."""

    lo: int
    hi: int
    ready: dict[str, pl.DataFrame]
    late: dict[str, pl.DataFrame]
