"""XQuery over streams of XML records: workers ask each record, the temporal algebra goes over their windows.

records ─► in the workers: cut, asked ─► (time, item)                            no window
                                      ─► (time, passes, c1, …) ─► aggregates     |det_time diff 60 step 15|
                                                                  over Sliding 60, seen where windows end
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import polars as pl

from slackwater.algebra import Schema, Stream
from slackwater.algebra.types import BIGINT, BOOLEAN, DOUBLE, STRING, TIMESTAMP, Type
from slackwater.base.diagnostic import Diagnostic, EngineError, QueryError
from slackwater.base.time import INFINITY, Clock
from slackwater.bind.catalog import Source
from slackwater.language.xquery.printer import written
from slackwater.run.query import Query
from slackwater.run.sources import Given
from slackwater.run.started import Started
from slackwater.schema.records import steps
from slackwater.sinks.targets import Callback
from slackwater.xquery.across import Aggregate, Subscription, Window, filled
from slackwater.xquery.asked import asked as ask

Item = tuple[Any, str]
"""An answer's instant, and its text."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NOTHING = b"<nothing/>"


@dataclass(frozen=True, slots=True)
class Asked:
    """A subscription at work: items of XML, each with its instant."""

    query: Query
    clock: Clock
    window: Window | None = None

    def items(self) -> list[Item]:
        """The whole answer, to the end of the input."""
        if self.window is None:
            return [(time, item) for time, item in self.query.emits().rows()]
        changes = self.query.changes().rows()
        last = max((_chronons(row[-1]) for row in changes if row[-1] is not None), default=0)
        windows = Windows(self.window, self.clock, last)
        found = [item for change in changes for item in windows.told(change)]
        return [*found, *windows.ended(INFINITY)]

    def start(self, call: Callable[[Any, str], None], **options: Any) -> Started:
        """Hand each item to a function as soon as it is certain, until stopped."""
        if self.window is not None and options.get("checkpoint") is not None:
            raise EngineError(no_checkpoint())
        windows = None if self.window is None else Windows(self.window, self.clock)

        def each(frame: pl.DataFrame, number: int) -> None:
            for row in frame.iter_rows():
                for time, item in (row,) if windows is None else windows.told(row):
                    call(time, item)

        return self.query.start(Callback(each), **options)

    def explain(self) -> str:
        return self.query.explain()


@dataclass(slots=True)
class Windows:
    """The aggregates as they change, seen at the end of each window (Definition 3.8.14).

    The window that begins at s is over one chronon before s + Δ; the first begins with the first record.
    """

    window: Window
    clock: Clock
    last: int | None = None
    """When the last record comes, if that is known: of the windows that reach it only the first counts."""
    _values: tuple[Any, ...] = ()
    _since: int = 0
    _first: int | None = None

    def told(self, change: Sequence[Any]) -> Iterator[Item]:
        """The windows that end before a change of the aggregates: time, op, n, values, first, last."""
        time, op, _, *values, first, _ = change
        if op == "+":
            yield from self.ended(_chronons(time))
            self._values, self._since = tuple(values), _chronons(time)
            self._first = None if first is None else _chronons(first)

    def ended(self, before: int) -> Iterator[Item]:
        """The windows that end after the last change and before an instant."""
        if self._first is None:
            return
        extent = self.window.extent
        size, slide = length(extent.size, self.clock), length(extent.slide, self.clock)
        begin = self._first + size - 1
        place = max(0, -(-(self._since - begin) // slide))
        while (end := begin + place * slide) < before:
            if self.last is not None and place and end + 1 - slide > self.last:
                return
            yield from self._answer(end)
            place += 1

    def _answer(self, end: int) -> Iterator[Item]:
        values = [_value(*each) for each in zip(self.window.aggregates, self._values, strict=True)]
        text = ask(written(filled(self.window.rest, values)))(_NOTHING)
        if text:
            calendar = self.clock.calendar
            yield ((_EPOCH + timedelta(microseconds=end)).replace(tzinfo=None) if calendar else end), text


def source_of(asked: Subscription, base: Source, name: str) -> Source:
    """The stream of what each record of `base` answers; raises QueryError where the two do not fit."""
    record = base.options.get("record", "")
    if (base.format or "").lower() != "xml" or base.time is None:
        raise QueryError(not_xml(base.name))
    if steps(record) != asked.path:
        raise QueryError(other_record(base.name, record, asked.path))
    columns: list[tuple[str, Type]] = [("passes", BOOLEAN)]
    if asked.window is None:
        columns.append(("item", STRING))
    else:
        columns.insert(0, (base.time, TIMESTAMP if base.calendar else BIGINT))
        columns += [(f"c{place}", DOUBLE) for place, _ in enumerate(asked.window.aggregates, start=1)]
    answers = len(columns) - (asked.window is not None)
    options = {**base.options, "xquery": written(asked.each), "answers": str(answers)}
    return replace(base, plan=Stream(name, Schema(tuple(columns))), options=options)


def given_of(source: Source, given: Given | None) -> Given:
    """The same data, with the questions that are asked of it."""
    said = {key: source.options[key] for key in ("record", "xquery", "answers")}
    if given is None:
        return Given(source.location, source.format, options=said)
    return replace(given, options={**given.options, **said})


def text_of(asked: Subscription, source: Source, clock: Clock) -> str:
    """The query over what the records answer, in CQL."""
    name = f'"{source.name}"'
    if asked.window is None:
        return f"SELECT RSTREAM(item) FROM {name} [NOW] WHERE passes"
    unit = " MICROSECONDS" if clock.calendar else ""
    extent = length(asked.window.extent.size, clock)
    calls = [_call(each, place) for place, each in enumerate(asked.window.aggregates, start=1)]
    return (
        f"SELECT w.*, f.first, f.last FROM (SELECT {', '.join(['COUNT(*) AS n', *calls])} FROM {name} "
        f'[SLIDING {extent}{unit}] WHERE passes) AS w, (SELECT MIN("{source.time}") AS first, '
        f'MAX("{source.time}") AS last FROM {name} [RANGE UNBOUNDED] WHERE passes) AS f'
    )


def _call(aggregate: Aggregate, place: int) -> str:
    function = "SUM" if aggregate.function == "count" else aggregate.function.upper()
    return f"{function}(c{place}) AS v{place}"


def _value(aggregate: Aggregate, value: float | None) -> int | float | None:
    match aggregate.function:
        case "count":
            return int(value or 0)
        case "sum" if value is None:
            return 0
    return value


def length(extent: Decimal, clock: Clock) -> int:
    """A length of the reference's values in chronons: seconds, where time is a timestamp."""
    found = extent * 1_000_000 if clock.calendar else extent
    if found != int(found):
        raise QueryError(no_whole_window(extent))
    return int(found)


def _chronons(instant: datetime | int) -> int:
    if isinstance(instant, int):
        return instant
    aware = instant if instant.tzinfo else instant.replace(tzinfo=UTC)
    return (aware - _EPOCH) // timedelta(microseconds=1)


def not_xml(name: str) -> Diagnostic:
    return Diagnostic(
        "not-xml",
        f'"{name}" is no stream of XML records with a time',
        hint="Declare it: CREATE STREAM s (…) TIME t FROM XML '…' RECORD '/…/…'.",
    )


def other_record(name: str, record: str, path: tuple[str, ...]) -> Diagnostic:
    return Diagnostic(
        "other-record",
        f'the records of "{name}" stand at "{record}", and the query asks for "/{"/".join(path)}"',
        hint="A subscription goes over the records that the stream is declared with.",
    )


def no_whole_window(extent: Decimal) -> Diagnostic:
    return Diagnostic(
        "bad-window",
        f"a window of {extent} is no whole number of steps of time",
        hint="Where time is a whole number, so are windows.",
    )


def no_checkpoint() -> Diagnostic:
    return Diagnostic(
        "no-checkpoint",
        "a subscription over windows begins with the first record it sees",
        hint="Start it without a checkpoint.",
    )
