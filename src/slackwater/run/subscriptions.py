"""XQuery over streams of XML records: workers query each record, the algebra aggregates over windows.

records ─► in the workers: cut, queried ─► (time, item)                            no window
                                        ─► (time, passes, c1, …) ─► aggregates     |det_time diff 60 step 15|
                                                                    over Sliding 60, read where windows end
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from slackwater.algebra import Aggregate, Operator, Product, Project, Range, Schema, Select, Sliding, Stream
from slackwater.algebra.expressions import Aggregation, column
from slackwater.algebra.types import BIGINT, BOOLEAN, DOUBLE, STRING, TIMESTAMP, TIMESTAMP_NTZ, Type
from slackwater.base.diagnostic import Diagnostic, QueryError
from slackwater.base.time import INFINITY, Clock
from slackwater.bind.catalog import Source
from slackwater.flux import across
from slackwater.flux.across import Subscription, Window
from slackwater.flux.records import Compiled, Document, parse_once
from slackwater.flux.runtime.inputs import source_of as source_of_document
from slackwater.language.xquery.printer import print_query
from slackwater.run import problems
from slackwater.run.input.sources import SourceData
from slackwater.run.query import Query
from slackwater.run.started import Started
from slackwater.run.window_ends import Ends, Item, Windows, chronons, length
from slackwater.schema.records import steps
from slackwater.sinks.driver import Callback, Sink
from slackwater.sources.readers import RecordQuery
from slackwater.storage.locate import location
from slackwater.xml.source import BytesSource


@dataclass(frozen=True, slots=True)
class SubscriptionQuery:
    """A subscription of a session: items of XML, each with its instant."""

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
        items = [item for change in changes for item in windows.update(change)]
        return [*items, *windows.ended(INFINITY)]

    def start(self, call: Callable[[Any, str], None], **options: Any) -> Started:
        """Call a function with each item as soon as it is certain, until stopped."""
        windows = None if self.window is None else Windows(self.window, self.clock)

        def deliver(frame: pl.DataFrame, number: int) -> None:
            for row in frame.iter_rows():
                for time, item in (row,) if windows is None else windows.update(row):
                    call(time, item)

        sink: Sink = Callback(deliver)
        if windows is not None and options.get("checkpoint") is not None:
            folder = location(options["checkpoint"]) / "windows"
            sink = Ends(windows, Callback(deliver), folder)
        return self.query.start(sink, **options)

    def explain(self) -> str:
        return self.query.explain()


def source_of(subscription: Subscription, base: Source, name: str) -> Source:
    """The stream of the records' answers; raises QueryError where `base` does not fit the subscription."""
    record = base.options.get("record", "")
    if (base.format or "").lower() != "xml" or base.time is None:
        raise QueryError(not_xml(base.name))
    if steps(record) != subscription.path:
        raise QueryError(other_record(base.name, record, subscription.path))
    columns: list[tuple[str, Type]] = [("passes", BOOLEAN)]
    if subscription.window is None:
        columns.append(("item", STRING))
    else:
        moment = TIMESTAMP if base.zoned else TIMESTAMP_NTZ
        columns.insert(0, (base.time, moment if base.calendar else BIGINT))
        columns += [(f"c{place}", DOUBLE) for place, _ in enumerate(subscription.window.aggregates, start=1)]
    return replace(base, plan=Stream(name, Schema(tuple(columns))))


def data_of(
    subscription: Subscription, source: Source, data: SourceData | None, inputs: Mapping[str, Any]
) -> SourceData:
    """The same data, with the query that workers run on each record.

    The query travels as text: a tree as deep as the language allows cannot be pickled. It is parsed once in
    each worker process. The documents that it names travel as their content, which is checked here.
    """
    answers = 2 if subscription.window is None else 1 + len(subscription.window.aggregates)
    documents = {name: _content(inputs.get(name, name)) for name in subscription.documents}
    text = print_query(subscription.per_record)
    if documents:
        Compiled(parse_once(text), documents)
    query = RecordQuery(text, answers, tuple(documents.items()))
    if data is None:
        return SourceData(source.location, source.format, options=dict(source.options), query=query)
    options = {**data.options, "record": source.options["record"]}
    return replace(data, options=options, query=query)


def _content(document: Any) -> Document:
    """The content of a document: a path, bytes, a text, a file."""
    source = source_of_document(document)
    if isinstance(document, str) and isinstance(source, BytesSource):
        return document
    with closing(source):
        return b"".join(iter(source.read, b""))


def plan_of(subscription: Subscription, source: Source, clock: Clock) -> Operator:
    """The plan over the records' answers: items, or the aggregates of the window that ends at each instant.

    With the aggregates come the times of the first and the last record, which say where windows end.
    """
    passing = Select(source.plan, column("passes", BOOLEAN))
    if subscription.window is None:
        return Project(passing, (("item", column("item", STRING)),))
    window = subscription.window
    calls = [_call(aggregate, place) for place, aggregate in enumerate(window.aggregates, start=1)]
    size = length(window.extent.size, clock, window.extent.span)
    length(window.extent.slide, clock, window.extent.span)
    aggregates = Aggregate(Sliding(passing, size), (), (("n", Aggregation(BIGINT, "count")), *calls))
    assert source.time is not None
    time = column(source.time, source.plan.schema.type_of(source.time))
    ends = [(name, Aggregation(time.type, call, time)) for name, call in (("first", "min"), ("last", "max"))]
    return Product(aggregates, Aggregate(Range(passing, INFINITY), (), tuple(ends)))


def _call(aggregate: across.Aggregate, place: int) -> tuple[str, Aggregation]:
    function = "sum" if aggregate.function == "count" else aggregate.function
    return f"v{place}", Aggregation(DOUBLE, function, column(f"c{place}", DOUBLE))


def not_xml(name: str) -> Diagnostic:
    return problems.NOT_XML.at(name=name)


def other_record(name: str, record: str, path: tuple[str, ...]) -> Diagnostic:
    return problems.OTHER_RECORD.at(name=name, record=record, path="/".join(path))
