"""A task in XQuery over XML records: each record by itself, or windows of records.

    records ─► query ─► items                          no window
                    ─► numbers ─► kernels ─► items     |det_time diff 60 step 15|

The parts and the plan of a window are those of a subscription on Spark; here the kernels run them in process.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from io import BytesIO
from typing import Any

import polars as pl

from slackwater.algebra import Schema, Stream
from slackwater.algebra.types import STRING
from slackwater.base.diagnostic import Diagnostic, SlackwaterError
from slackwater.base.span import Text
from slackwater.base.time import CALENDAR, INFINITY
from slackwater.bind.catalog import Source
from slackwater.flux.across import SEPARATOR, Subscription, Window, subscription
from slackwater.flux.records import Document, RecordQueries, parse_once
from slackwater.globe.compute import problems
from slackwater.globe.compute.computation import END, Inputs
from slackwater.globe.compute.items import pack_records, unpack_records
from slackwater.globe.compute.states import forget_changes, machine_frames, packed, restore_machine, unpacked
from slackwater.kernels.frames import FROM, TO, N, frame_schema
from slackwater.kernels.machine import Machine
from slackwater.language.xquery import syntax as ast
from slackwater.language.xquery.parse import parse
from slackwater.language.xquery.printer import print_query
from slackwater.optimize import optimized
from slackwater.physical.lower import changes_of, lowered
from slackwater.run.subscriptions import plan_of, source_of
from slackwater.run.window_ends import State, Windows, length
from slackwater.sources.xml.documents import RecordSource
from slackwater.sources.xml.records import Misfit, Row, Values, read_records
from slackwater.sources.xml.values import timestamp

OUTPUT = "output"
MOST_PROBLEMS = 20
"""So many problems are remembered between two calls of `take_problems`."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Queried:
    """A query over one record after the other; records on which it fails are left out."""

    def __init__(
        self, parts: Subscription, documents: Mapping[str, Document], columns: Sequence[str] = ()
    ) -> None:
        self._path, self._columns = parts.path, list(columns)
        self._query = parse_once(print_query(parts.per_record))
        self._documents = documents
        self._running = RecordQueries(self._query, documents)
        around = parts.path[:-1]
        self._head = "".join(f"<{name}>" for name in around).encode()
        self._tail = "".join(f"</{name}>" for name in reversed(around)).encode()
        self.problems: list[Diagnostic] = []

    def rows(self, records: Sequence[bytes]) -> Iterator[Row]:
        """The columns of each record, then its answer; all records are one document, if they can be."""
        if not records:
            return
        together = self._read(records)
        if together is not None:
            yield from together
            return
        for record in records if len(records) > 1 else ():
            alone = self._read([record])
            if alone is not None:
                yield from alone

    def _read(self, records: Sequence[bytes]) -> list[Row] | None:
        """None where there are not so many records, or the query fails on one; one alone is reported."""
        source = RecordSource(BytesIO(b"".join([self._head, *records, self._tail])), "epoch")
        try:
            parts = read_records(source, self._path, self._columns, _row, self._running)
            entries = [row for part in parts for row in part]
        except SlackwaterError as error:
            why = error.diagnostics[0].message
        else:
            rows = [row for row in entries if not isinstance(row, Misfit)]
            if len(rows) == len(entries) == len(records):
                return rows
            misfits = [row.text for row in entries if isinstance(row, Misfit)]
            why = misfits[0] if misfits else "it is not one element"
        self._running = RecordQueries(self._query, self._documents)
        if len(records) == 1:
            self.note(problems.BAD_RECORD.at(why=why))
        return None

    def note(self, problem: Diagnostic) -> None:
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(problem)

    def take_problems(self) -> list[Diagnostic]:
        noted, self.problems = self.problems, []
        return noted


def _row(values: Values, answer: str | None) -> Row:
    return [*values, answer]


class RecordTask:
    """Runs a query on each record; a record without an answer has no item."""

    is_stateful = False

    def __init__(self, parts: Subscription, documents: Mapping[str, Document]) -> None:
        self._queried = Queried(parts, documents)

    def epoch(self, inputs: Inputs, after: int, edge: int) -> bytes:
        rows = self._queried.rows(_records(inputs))
        return pack_records(answer.encode() for (answer,) in rows if answer)

    def snapshot(self) -> bytes:
        return b""

    def restore(self, state: bytes) -> None:
        pass

    def take_problems(self) -> list[Diagnostic]:
        return self._queried.take_problems()


class WindowTask:
    """Runs a query over windows of records. An item is emitted when time has passed the end of its window.

    Of the windows that reach the last record of a stream only the first counts: later ones, and the
    changes of the aggregates since, wait until another record comes.
    """

    is_stateful = True

    def __init__(self, parts: Subscription, window: Window) -> None:
        time = _name(window.extent.reference)
        self._queried = Queried(parts, {}, [time])
        source = _source(parts, time)
        plan = optimized(plan_of(parts, source, CALENDAR))
        self._machine = Machine(lowered({OUTPUT: plan}, begin=CALENDAR.begin, changing=(OUTPUT,)))
        self._windows = Windows(window, CALENDAR)
        self._name, self._schema = source.name, source.plan.schema
        self._numbers = len(window.aggregates)
        self._size = length(window.extent.size, CALENDAR)
        self._slide = length(window.extent.slide, CALENDAR)
        self._latest = CALENDAR.begin
        self._ends: tuple[int, int] | None = None
        """The times of the first and the last record in windows."""
        self._changes: list[tuple[Any, ...]] = []
        """Changes of the aggregates that wait."""

    def epoch(self, inputs: Inputs, after: int, edge: int) -> bytes:
        lo, frame = self._latest, self._frame(_records(inputs))
        hi = INFINITY if edge == END else self._latest
        if lo < hi:
            outputs = self._machine.epoch({self._name: frame}, lo, hi)
            forget_changes(self._machine)
            self._changes += self._new_changes(outputs)
        elif frame.height:
            self._machine.epoch({self._name: frame}, lo, hi)
        return pack_records(item.encode() for item in self._items(hi))

    def _frame(self, records: Sequence[bytes]) -> pl.DataFrame:
        """The numbers that each record in time adds to the aggregates."""
        rows = [row for row in map(self._numbers_of, self._queried.rows(records)) if row is not None]
        return pl.DataFrame(rows, schema=frame_schema(self._schema), orient="row")

    def _numbers_of(self, row: Row) -> tuple[Any, ...] | None:
        """Time, that it passes, a number for each aggregate; then the interval.

        Records that do not pass do not make time pass either: the items of an epoch are then the same
        whether a stream has been filtered before or not.
        """
        time, answer = row
        if not answer:
            return None
        try:
            instant = (timestamp(time or "") - _EPOCH) // timedelta(microseconds=1)
            numbers = [float(text) if text else None for text in answer.split(SEPARATOR)[1:]]
        except (ValueError, ArithmeticError):
            numbers, instant = [], 0
        if len(numbers) != self._numbers:
            self._queried.note(problems.BAD_RECORD.at(why=f'its time is "{time}", its numbers "{answer}"'))
            return None
        if instant < self._latest:
            latest = CALENDAR.format(self._latest)
            self._queried.note(problems.WRONG_CLOCK.at(time=CALENDAR.format(instant), latest=latest))
            return None
        self._latest = instant
        self._ends = (self._ends[0] if self._ends else instant, instant)
        return (instant, True, *numbers, instant, INFINITY, 1)

    def _new_changes(self, outputs: Mapping[str, pl.DataFrame]) -> list[tuple[Any, ...]]:
        changes = outputs[changes_of(OUTPUT)]
        whole = changes.filter(pl.col(N) > 0).sort(FROM, maintain_order=True)
        return whole.select(FROM, pl.lit("+").alias("op"), pl.exclude(FROM, TO, N)).rows()

    def _items(self, hi: int) -> Iterator[str]:
        """The items of the windows that end before `hi` and count."""
        if self._ends is None:
            return
        bound = min(hi, max(self._ends[0] + self._size, self._ends[1] + self._slide))
        ready = [change for change in self._changes if change[0] <= bound]
        self._changes = self._changes[len(ready) :]
        for change in ready:
            yield from (item for _, item in self._windows.update(change))
        yield from (item for _, item in self._windows.ended(bound))
        self._windows.state = replace(self._windows.state, since=max(bound, self._windows.state.since))

    def snapshot(self) -> bytes:
        facts = {
            "windows": asdict(self._windows.state), "latest": self._latest, "ends": self._ends,
            "changes": self._changes,
        }  # fmt: skip
        return packed(facts, machine_frames(self._machine))

    def restore(self, state: bytes) -> None:
        facts, frames = unpacked(state)
        windows = facts["windows"]
        self._windows.state = State(tuple(windows["values"]), windows["since"], windows["first"])
        self._latest, self._ends = facts["latest"], facts["ends"] and tuple(facts["ends"])
        self._changes = [tuple(change) for change in facts["changes"]]
        restore_machine(self._machine, frames)

    def take_problems(self) -> list[Diagnostic]:
        return self._queried.take_problems()


def _records(inputs: Inputs) -> list[bytes]:
    (parts,) = inputs.values()
    return [record for part in parts for record in unpack_records(part)]


def _source(parts: Subscription, time: str) -> Source:
    """The stream of numbers; its time is in microseconds, which windows take for those of a calendar."""
    record = "/" + "/".join(parts.path)
    stream = Stream(parts.stream, Schema(((time, STRING),)))
    base = Source(stream, time, format="xml", options={"record": record}, calendar=False)
    return source_of(parts, base, parts.stream)


def _name(steps: Iterable[ast.Step]) -> str:
    """The name of the element or attribute that has the time of a record."""
    *_, last = steps
    assert isinstance(last.test, ast.NameTest)
    return last.test.name


def record_task(text: str, documents: Mapping[str, Document]) -> RecordTask | WindowTask:
    """The task of a query over records; raises QueryError."""
    parts = subscription(parse(Text("<query>", text)))
    if parts.window is not None:
        return WindowTask(parts, parts.window)
    return RecordTask(parts, documents)
