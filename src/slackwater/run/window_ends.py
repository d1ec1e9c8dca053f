"""The ends of windows: the aggregates of a subscription as they change, read where a window ends."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

import polars as pl

from slackwater.base.diagnostic import Diagnostic, EngineError, QueryError
from slackwater.base.span import Span
from slackwater.base.time import INFINITY, Clock, Duration
from slackwater.bind.errors import long_duration
from slackwater.flux.across import Aggregate, Window
from slackwater.flux.run import XQuery
from slackwater.flux.values.atomic import Items
from slackwater.run import problems
from slackwater.run.checkpoint.files import make_folder, numbered, read_json, write_json
from slackwater.sinks.driver import Callback
from slackwater.storage.location import Location
from slackwater.storage.whole import broken_checkpoint

Item = tuple[Any, str]
"""An answer's instant, and its text."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NO_RECORD = b"<none/>"
"""The document that the query over a window's aggregates is run on: it reads nothing of it."""


@dataclass(frozen=True, slots=True)
class State:
    """The aggregates after the last change, the time of that change, and the time of the first record."""

    values: tuple[Any, ...] = ()
    since: int = 0
    first: int | None = None


@dataclass(slots=True)
class Windows:
    """The aggregates as they change, read at the end of each window (Definition 3.8.14).

    The window that begins at s ends one chronon before s + Δ; the first begins with the first record.
    """

    window: Window
    clock: Clock
    last: int | None = None
    """The time of the last record, if it is known: of the windows that reach it only the first counts."""
    state: State = field(default_factory=State)
    query: XQuery = field(init=False, repr=False)
    """The query over a window's aggregates, compiled once."""

    def __post_init__(self) -> None:
        self.query = XQuery(self.window.rest, variables=_variables(self.window, None))

    def update(self, change: Sequence[Any]) -> Iterator[Item]:
        """The items of the windows that end before a change of the aggregates.

        A change is a row of time, op, n, values, first, last.
        """
        time, op, _, *values, first, _ = change
        if op == "+":
            yield from self.ended(chronons(time))
            self.state = State(tuple(values), chronons(time), None if first is None else chronons(first))

    def ended(self, before: int) -> Iterator[Item]:
        """The items of the windows that end after the last change and before an instant."""
        if self.state.first is None:
            return
        extent = self.window.extent
        size, slide = length(extent.size, self.clock), length(extent.slide, self.clock)
        begin = self.state.first + size - 1
        place = max(0, -(-(self.state.since - begin) // slide))
        while (end := begin + place * slide) < before:
            if self.last is not None and place and end + 1 - slide > self.last:
                return
            yield from self._answer(end)
            place += 1

    def _answer(self, end: int) -> Iterator[Item]:
        variables = _variables(self.window, self.state.values)
        if text := self.query.answer(_NO_RECORD, variables=variables):
            yield self._instant(end), text

    def _instant(self, end: int) -> datetime | int:
        if not self.clock.calendar:
            return end
        moment = _EPOCH + timedelta(microseconds=end)
        return moment if self.clock.zoned else moment.replace(tzinfo=None)


@dataclass(slots=True)
class Ends:
    """Delivers the items of windows, and writes their state after each epoch into the checkpoint.

    checkpoint/windows/000000012.json
    """

    windows: Windows
    callback: Callback
    folder: Location
    mode: str | None = None

    def prepare(self, first: int | None) -> None:
        past = [] if first is None else [path for number, path in self._files().items() if number < first]
        if past:
            self.windows.state = _read(past[-1])

    def put(self, number: int, frame: pl.DataFrame) -> None:
        if frame.height:
            self.callback.put(number, frame)
            make_folder(self.folder)
            write_json(self.folder / f"{number:09d}.json", asdict(self.windows.state))
            for path in list(self._files().values())[:-2]:
                with contextlib.suppress(OSError):
                    path.delete()

    def replace(self, number: int, frame: pl.DataFrame) -> None:
        self.put(number, frame)

    def _files(self) -> dict[int, Location]:
        """By epoch: the last one may not have been committed, the one before it has been."""
        return numbered(self.folder, ".json")


def _read(path: Location) -> State:
    content = read_json(path)
    try:
        return State(tuple(content["values"]), content["since"], content["first"])
    except (KeyError, TypeError) as error:
        raise EngineError(broken_checkpoint(path)) from error


def _variables(window: Window, values: Sequence[float | None] | None) -> dict[str, Items]:
    """The aggregates of a window as variables of its query; without values, those of no records."""
    pairs = zip(window.aggregates, values or [None] * len(window.aggregates), strict=True)
    return {str(place): _value(*pair) for place, pair in enumerate(pairs, start=1)}


def _value(aggregate: Aggregate, value: float | None) -> Items:
    match aggregate.function:
        case "count":
            return [int(value or 0)]
        case "sum" if value is None:
            return [0]
    return [] if value is None else [value]


def length(extent: Decimal, clock: Clock, span: Span | None = None) -> int:
    """A length of the reference's values in chronons: seconds, where time is a timestamp."""
    chronons = extent * 1_000_000 if clock.calendar else extent
    if chronons != int(chronons):
        raise QueryError(no_whole_window(extent, span))
    if span is not None and chronons >= INFINITY:
        unit = "second" if clock.calendar else None
        raise QueryError(long_duration(Duration(Fraction(extent), unit), clock.longest(unit), span))
    return int(chronons)


def chronons(instant: datetime | int) -> int:
    if isinstance(instant, int):
        return instant
    aware = instant if instant.tzinfo else instant.replace(tzinfo=UTC)
    return (aware - _EPOCH) // timedelta(microseconds=1)


def no_whole_window(extent: Decimal, span: Span | None = None) -> Diagnostic:
    return problems.BAD_WINDOW.at(span, extent=extent)
