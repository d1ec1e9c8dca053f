"""The ends of windows: aggregates of a subscription as they change, seen where a window is over."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import polars as pl

from slackwater.base.diagnostic import Diagnostic, EngineError, QueryError
from slackwater.base.time import Clock
from slackwater.flux.across import Aggregate, Window, filled
from slackwater.flux.run import compile_once as ask
from slackwater.language.xquery.printer import print_query
from slackwater.run import problems
from slackwater.run.checkpoint.files import make_folder, numbered, read_json, write_json
from slackwater.sinks.targets import Callback
from slackwater.sinks.whole import broken_checkpoint

Item = tuple[Any, str]
"""An answer's instant, and its text."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NOTHING = b"<nothing/>"


@dataclass(frozen=True, slots=True)
class Seen:
    """The aggregates after the last change, when that was, and when the first record came."""

    values: tuple[Any, ...] = ()
    since: int = 0
    first: int | None = None


@dataclass(slots=True)
class Windows:
    """The aggregates as they change, seen at the end of each window (Definition 3.8.14).

    The window that begins at s is over one chronon before s + Δ; the first begins with the first record.
    """

    window: Window
    clock: Clock
    last: int | None = None
    """When the last record comes, if that is known: of the windows that reach it only the first counts."""
    seen: Seen = field(default_factory=Seen)

    def told(self, change: Sequence[Any]) -> Iterator[Item]:
        """The windows that end before a change of the aggregates: time, op, n, values, first, last."""
        time, op, _, *values, first, _ = change
        if op == "+":
            yield from self.ended(chronons(time))
            self.seen = Seen(tuple(values), chronons(time), None if first is None else chronons(first))

    def ended(self, before: int) -> Iterator[Item]:
        """The windows that end after the last change and before an instant."""
        if self.seen.first is None:
            return
        extent = self.window.extent
        size, slide = length(extent.size, self.clock), length(extent.slide, self.clock)
        begin = self.seen.first + size - 1
        place = max(0, -(-(self.seen.since - begin) // slide))
        while (end := begin + place * slide) < before:
            if self.last is not None and place and end + 1 - slide > self.last:
                return
            yield from self._answer(end)
            place += 1

    def _answer(self, end: int) -> Iterator[Item]:
        values = [_value(*each) for each in zip(self.window.aggregates, self.seen.values, strict=True)]
        text = ask(print_query(filled(self.window.rest, values)))(_NOTHING)
        if text:
            yield self._shown(end), text

    def _shown(self, end: int) -> datetime | int:
        if not self.clock.calendar:
            return end
        moment = _EPOCH + timedelta(microseconds=end)
        return moment if self.clock.zoned else moment.replace(tzinfo=None)


@dataclass(slots=True)
class Ends:
    """Hands on what windows answer, and keeps in a checkpoint what was seen after each epoch.

    checkpoint/windows/000000012.json
    """

    windows: Windows
    callback: Callback
    folder: Path
    mode: str | None = None

    def prepare(self, first: int | None) -> None:
        known = [] if first is None else [path for number, path in self._kept().items() if number < first]
        if known:
            self.windows.seen = _read(known[-1])

    def put(self, number: int, frame: pl.DataFrame) -> None:
        if frame.height:
            self.callback.put(number, frame)
            make_folder(self.folder)
            write_json(self.folder / f"{number:09d}.json", asdict(self.windows.seen))
            for path in list(self._kept().values())[:-2]:
                path.unlink(missing_ok=True)

    def replace(self, number: int, frame: pl.DataFrame) -> None:
        self.put(number, frame)

    def _kept(self) -> dict[int, Path]:
        """The last is of an epoch that may not have been committed, the one before it is of one that was."""
        return numbered(self.folder, ".json")


def _read(path: Path) -> Seen:
    found = read_json(path)
    try:
        return Seen(tuple(found["values"]), found["since"], found["first"])
    except (KeyError, TypeError) as error:
        raise EngineError(broken_checkpoint(path)) from error


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


def chronons(instant: datetime | int) -> int:
    if isinstance(instant, int):
        return instant
    aware = instant if instant.tzinfo else instant.replace(tzinfo=UTC)
    return (aware - _EPOCH) // timedelta(microseconds=1)


def no_whole_window(extent: Decimal) -> Diagnostic:
    return problems.BAD_WINDOW.at(extent=extent)
