"""XQuery over streams of XML records: workers ask each record, the temporal algebra goes over their windows.

records ─► in the workers: cut, asked ─► (time, item)                            no window
                                      ─► (time, passes, c1, …) ─► aggregates     |det_time diff 60 step 15|
                                                                  over Sliding 60, seen where windows end
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from slackwater.algebra import Schema, Stream
from slackwater.algebra.types import BIGINT, BOOLEAN, DOUBLE, STRING, TIMESTAMP, Type
from slackwater.base.diagnostic import Diagnostic, QueryError
from slackwater.base.places import local_path
from slackwater.base.time import INFINITY, Clock
from slackwater.bind.catalog import Source
from slackwater.flux.across import Aggregate, Subscription, Window
from slackwater.language.xquery.printer import print_query
from slackwater.run import problems
from slackwater.run.input.sources import Given
from slackwater.run.query import Query
from slackwater.run.started import Started
from slackwater.run.window_ends import Ends, Item, Windows, chronons, length
from slackwater.schema.records import steps
from slackwater.sinks.targets import Callback, Target


@dataclass(frozen=True, slots=True)
class Asked:
    """A subscription at work: items of XML, each with its instant."""

    query: Query
    clock: Clock
    window: Window | None = None

    def __repr__(self) -> str:
        return f"<xquery {self.query.name}>"

    def items(self) -> list[Item]:
        """The whole answer, to the end of the input."""
        if self.window is None:
            return [(time, item) for time, item in self.query.emits().rows()]
        changes = self.query.changes().rows()
        last = max((chronons(row[-1]) for row in changes if row[-1] is not None), default=0)
        windows = Windows(self.window, self.clock, last)
        found = [item for change in changes for item in windows.told(change)]
        return [*found, *windows.ended(INFINITY)]

    def start(self, call: Callable[[Any, str], None], **options: Any) -> Started:
        """Hand each item to a function as soon as it is certain, until stopped."""
        windows = None if self.window is None else Windows(self.window, self.clock)

        def each(frame: pl.DataFrame, number: int) -> None:
            for row in frame.iter_rows():
                for time, item in (row,) if windows is None else windows.told(row):
                    call(time, item)

        target: Target = Callback(each)
        if windows is not None and options.get("checkpoint") is not None:
            target = Ends(
                windows, Callback(each), local_path(options["checkpoint"], "a checkpoint") / "windows"
            )
        return self.query.start(target, **options)

    def explain(self) -> str:
        return self.query.explain()


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
    options = {**base.options, "xquery": print_query(asked.each), "answers": str(answers)}
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


def not_xml(name: str) -> Diagnostic:
    return problems.NOT_XML.at(name=name)


def other_record(name: str, record: str, path: tuple[str, ...]) -> Diagnostic:
    return problems.OTHER_RECORD.at(name=name, record=record, path="/".join(path))
