"""Rows as epochs: an epoch ends at an instant before which no row follows.

rows     1  3  2  5 │ 4  7 …       size 3, delay 0: the epoch ends at 5, the greatest time
epochs   [1 2 3) 5   [5 7 …        the row of time 4 is late: it is left out and reported
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

import polars as pl

from slackwater.base.diagnostic import Diagnostic, EngineError, Severity
from slackwater.base.time import INFINITY
from slackwater.globe.compute.computation import START
from slackwater.globe.compute.items import pack_rows
from slackwater.globe.feed import problems
from slackwater.globe.feed.declare import Declared
from slackwater.globe.feed.read import Misfit, Row
from slackwater.globe.protocol.messages import Epoch
from slackwater.kernels.expressions.values import column_of
from slackwater.kernels.frames import FROM, TO, N

MOST_SHOWN = 20
"""So many rows that were left out are reported one by one."""


def frame_of_rows(declared: Declared, rows: Iterable[Row]) -> pl.DataFrame:
    """Rows as elements, in the order of their times."""
    several = sorted(rows, key=lambda row: row.time)
    columns = {
        name: column_of([row.values[place] for row in several], type_)
        for place, (name, type_) in enumerate(declared.source.plan.schema)
    }
    times = pl.Series(FROM, [row.time for row in several], pl.Int64)
    return pl.DataFrame({**columns, FROM: times}).with_columns(
        pl.lit(INFINITY, pl.Int64).alias(TO), pl.lit(1, pl.Int64).alias(N)
    )


@dataclass(slots=True)
class Feeding:
    """Divides rows into epochs, after those that the stream has."""

    declared: Declared
    report: Callable[[Diagnostic], None]
    edge: int = START
    """Up to where the stream is complete."""
    size: int = 1_000
    every: float = INFINITY
    """An epoch is sent after so many rows, or seconds."""
    rows: int = 0
    left_out: int = 0
    epochs: int = 0
    _pending: list[Row] = field(default_factory=list)
    _waiting: int = 0
    """How many rows waited when the last epoch was sent."""
    _first: int = INFINITY
    _latest: int = START

    def of(self, rows: Iterable[Row | Misfit]) -> Iterator[Epoch]:
        """The epochs of these rows; the last one has all that are left."""
        since = time.monotonic()
        for row in rows:
            if not self._takes(row):
                continue
            is_due = len(self._pending) - self._waiting > self.size or time.monotonic() - since >= self.every
            bound = self._latest - self.declared.settings.delay
            if is_due and self._first < bound:
                since = time.monotonic()
                yield self._cut(bound)
        if self._pending:
            yield self._cut(self._latest + 1)

    def _takes(self, row: Row | Misfit) -> bool:
        clock, settings = self.declared.clock, self.declared.settings
        if isinstance(row, Misfit):
            return self._leave_out(problems.BAD_ROW.at(place=row.place, why=row.why))
        shown = clock.format(row.time)
        if not clock.begin <= row.time <= clock.last:
            why = f"its time {row.time} is outside of what can be represented"
            return self._leave_out(problems.BAD_ROW.at(place=row.place, why=why))
        if row.time < self.edge:
            return self._leave_out(
                problems.LATE_ROW.at(place=row.place, time=shown, edge=clock.format(self.edge))
            )
        if settings.max_ahead is not None and clock.calendar \
                and row.time > (time.time() + settings.max_ahead) * 1e6:  # fmt: skip
            return self._leave_out(problems.ROW_AHEAD.at(place=row.place, time=shown))
        self._pending.append(row)
        self._first, self._latest = min(self._first, row.time), max(self._latest, row.time)
        self.rows += 1
        return True

    def _leave_out(self, problem: Diagnostic) -> bool:
        if self.declared.settings.fails:
            raise EngineError(replace(problem, detail=None, severity=Severity.ERROR))
        self.left_out += 1
        if self.left_out <= MOST_SHOWN:
            self.report(problem)
        return False

    def _cut(self, edge: int) -> Epoch:
        whole = [row for row in self._pending if row.time < edge]
        self._pending = [row for row in self._pending if row.time >= edge]
        self._waiting = len(self._pending)
        self._first = min((row.time for row in self._pending), default=INFINITY)
        self.edge, self.epochs = edge, self.epochs + 1
        return Epoch(edge, pack_rows(frame_of_rows(self.declared, whole)))
