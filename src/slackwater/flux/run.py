"""Queries over documents that arrive: `XQuery.run` gives the answer in pieces, as it becomes known."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from time import perf_counter
from typing import Any

from slackwater.base.diagnostic import Diagnostic, EngineError, SlackwaterError, render
from slackwater.base.span import Text
from slackwater.flux import problems
from slackwater.flux.compile.check import Check
from slackwater.flux.compile.context import External
from slackwater.flux.compile.program import Program
from slackwater.flux.drive import Drive
from slackwater.flux.explain import explained
from slackwater.flux.plan.state import WHOLE, Let
from slackwater.flux.plan.syntax import EVERYTHING, ROOT, Flux, OnFirst, ProcessStream, Value
from slackwater.flux.rewrite.namespaces import renames, with_prefixes_of
from slackwater.flux.rewrite.never import never_matching
from slackwater.flux.rewrite.prepare import prepared
from slackwater.flux.rewrite.translate import flux_of
from slackwater.flux.runtime.demands import Demand
from slackwater.flux.runtime.inputs import PeekableSource, check_source, declared_schema, peekable, source_of
from slackwater.flux.runtime.machine import Machine, with_schema_prefix
from slackwater.flux.runtime.nodes import expat_name
from slackwater.flux.runtime.pruning import prunable_elements
from slackwater.flux.values.atomic import Items
from slackwater.flux.values.errors import Wrong, unknown_input
from slackwater.language.xquery import syntax as ast
from slackwater.language.xquery.parse import parse
from slackwater.language.xquery.printer import print_query
from slackwater.schema import NO_SCHEMA, Schema, read_schema
from slackwater.xml import Parser, Skipper, Source
from slackwater.xml.validate import Validator

_WIDEST = 60
"""How many characters of a query its repr shows."""


@dataclass
class Stats:
    """What a run has cost so far."""

    bytes: int = 0
    skipped: int = 0
    """Bytes that were not parsed."""
    elements: int = 0
    """Elements that were parsed."""
    peak: int = 0
    """The most that was buffered at a time, in bytes: text, and an estimate for every node."""
    first: float | None = None
    """Seconds until the first output."""
    seconds: float = 0.0
    output: int = 0
    """Characters written."""

    @property
    def throughput(self) -> float:
        """Bytes a second."""
        return self.bytes / self.seconds if self.seconds else 0.0


class XQuery:
    """A query, ready to be run over any number of documents."""

    def __init__(
        self,
        query: str | Text | ast.Module,
        schema: Schema | str | None = None,
        *,
        functions: Mapping[str, External] | None = None,
        variables: Mapping[str, Items] | None = None,
    ) -> None:
        self.module = query if isinstance(query, ast.Module) else parse(_text(query))
        self.schema = _schema(schema)
        self.functions = functions
        self.variables = variables
        self.flux = _translated(self.module, self.schema)
        self.stats = Stats()
        self._plans: list[_Plan] = []

    @cached_property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """Probable mistakes: steps that match nothing in any document of the schema."""
        return never_matching(self.module, self.schema)

    def explain(self) -> str:
        """The FluX query, its buffers, and warnings."""
        shown = [explained(self.flux)]
        if self.schema.is_known and not self.flux.schema.is_known:
            shown.append("the schema is not used: its names are not those of the query")
        return "\n\n".join([*shown, *map(render, self.warnings)])

    def run(
        self, source: Any, inputs: Mapping[str, Any] | None = None, *, validate: bool = False
    ) -> Iterator[str]:
        """The answer on a document: a path, bytes, a string, a file, a pipe, a socket, an iterable of bytes.

        `inputs` has the other documents that the query names. With `validate`, the whole document is checked
        against the schema; otherwise only the parts that the query reads.
        """
        return (text for _, text in XQueries([self], self).run(source, inputs, validate=validate))

    def answer(
        self,
        source: Any,
        inputs: Mapping[str, Any] | None = None,
        variables: Mapping[str, Items] | None = None,
    ) -> str:
        """The whole answer; `variables` are values of external variables for this run only."""
        pieces = XQueries([self], self).run(source, inputs, variables=variables)
        return "".join(text for _, text in pieces)

    def __repr__(self) -> str:
        span = self.module.body.span
        text = " ".join((span.text.content if span else print_query(self.module)).split())
        return f"<xquery {text if len(text) <= _WIDEST else f'{text[: _WIDEST - 1]}…'}>"

    def under(self, schema: Schema) -> XQuery:
        """The same query for documents of another schema."""
        return XQuery(self.module, schema, functions=self.functions, variables=self.variables)


class XQueries:
    """Queries that are answered together: a document is parsed once for all of them.

    The ending comes after each item of an answer; without one, values are written with a space between them,
    nodes with nothing.
    """

    def __init__(
        self, queries: Sequence[XQuery], holder: XQuery | None = None, *, ending: str | None = None
    ) -> None:
        self.queries = list(queries)
        self.ending = ending
        self.stats = Stats()
        self._holder = holder
        self._idle: list[_Plan] = holder._plans if holder else []

    def run(
        self,
        source: Any,
        inputs: Mapping[str, Any] | None = None,
        sinks: Sequence[Callable[[str], object]] = (),
        *,
        validate: bool = False,
        variables: Mapping[str, Items] | None = None,
    ) -> Iterator[tuple[int, str]]:
        """Pieces of answers as they become known, each with the number of its query.

        What a single handler writes is one piece; where that is much, the query's sink gets parts of it.
        """
        begun = perf_counter()
        check_source([query.flux for query in self.queries], source, inputs or {})
        with closing(peekable(source_of(source))) as document:
            plan = self._plan(document, validate=validate)
            for place, program in enumerate(plan.programs):
                program.writer.sink = sinks[place] if sinks else None
            self.stats = stats = Stats()
            if self._holder is not None:
                self._holder.stats = stats
            for number, text in plan.run(document, inputs or {}, variables or {}, stats):
                stats.seconds = perf_counter() - begun
                stats.first = stats.seconds if stats.first is None else stats.first
                stats.output += len(text)
                yield number, text
        stats.seconds = perf_counter() - begun
        if plan.requested is self.queries and not validate:
            self._idle.append(plan)

    def __repr__(self) -> str:
        return f"<{len(self.queries)} xqueries>"

    def _plan(self, source: PeekableSource, *, validate: bool) -> _Plan:
        """An idle plan, or a new one; without a schema, that of the document's own DOCTYPE is used."""
        schema = declared_schema(source) if all(not query.schema.is_known for query in self.queries) else None
        if schema is not None:
            return _Plan([query.under(schema) for query in self.queries], self.ending, validate=validate)
        if validate and not any(query.schema.is_known for query in self.queries):
            raise EngineError(nothing_to_validate())
        if validate or not self._idle:
            return _Plan(self.queries, self.ending, validate=validate)
        return self._idle.pop()


class _Plan:
    """Programs that share one machine."""

    def __init__(
        self, queries: Sequence[XQuery], ending: str | None = None, *, validate: bool = False
    ) -> None:
        self.requested = queries
        queries = _alike(queries)
        self.schema = queries[0].flux.schema if queries else NO_SCHEMA
        self.programs = [
            Program(query.flux, query.functions, query.variables, upward=query.flux.upward, ending=ending)
            for query in queries
        ]
        demands: list[Demand] = [demand for program in self.programs for demand in program.demands]
        self.apart = NO_SCHEMA
        """The schema that a validator checks, since its names are not those of the queries."""
        if validate and self.schema.is_known:
            demands.append(Check(self.schema.document, lambda diagnostic: self.machine.wrong(diagnostic)))
        elif validate:
            self.apart = next((query.schema for query in self.requested if query.schema.is_known), NO_SCHEMA)
        self.machine = Machine(demands, self.schema.document, self.schema.prefixes)
        self.skipped = prunable_elements(demands, self.schema)

    def run(
        self, source: Source, inputs: Mapping[str, Any], variables: Mapping[str, Items], stats: Stats
    ) -> Iterator[tuple[int, str]]:
        for program in self.programs:
            program.restart(variables)
            read_documents(program, inputs)
        skipper = Skipper(self.skipped) if self.skipped else None
        parser = Parser(source, skipper)
        readings = [program.reading for program in self.programs]
        drive = Drive(self.machine, parser, readings, self._validator(parser))
        try:
            drive.begin()
            for _ in parser.steps():
                self._measure(stats, parser, skipper, drive)
                yield from self._output()
            drive.finish()
        except SlackwaterError:
            yield from self._output()
            raise
        except Wrong as wrong:
            yield from self._output()
            raise wrong.at(None) from None
        except RecursionError:
            yield from self._output()
            raise EngineError(_too_deep()) from None
        finally:
            self._measure(stats, parser, skipper, drive)
        yield from self._output()

    def _validator(self, parser: Parser) -> Validator | None:
        schema = self.apart
        if not schema.is_known:
            return None
        return Validator(
            parser, schema, lambda raw: str(with_schema_prefix(expat_name(raw), schema.prefixes))
        )

    def _output(self) -> Iterator[tuple[int, str]]:
        for number, program in enumerate(self.programs):
            if text := program.writer.take():
                yield number, text

    def _measure(self, stats: Stats, parser: Parser, skipper: Skipper | None, drive: Drive) -> None:
        stats.bytes = parser.bytes
        stats.skipped = skipper.removed if skipper else 0
        stats.elements = drive.elements()
        for program in self.programs:
            program.reading.measure()
        stats.peak = sum(program.reading.peak for program in self.programs)


def read_documents(program: Program, inputs: Mapping[str, Any]) -> None:
    """Read the documents beside the streamed one into their buffers, before the stream begins."""
    for variable, document in program.query.inputs.items():
        if document.name not in inputs and document.kind == "stream":
            raise unknown_input(document.kind, document.name).at(document.span)
        source = source_of(inputs.get(document.name, document.name))
        parser = Parser(source)
        machine = Machine(program.input_demands(variable), NO_SCHEMA.document)
        drive = Drive(machine, parser, [program.reading])
        drive.begin()
        parser.run()
        drive.finish()


def _alike(queries: Sequence[XQuery]) -> Sequence[XQuery]:
    """The queries for one machine, which has one schema with the names of all of them, or none."""
    first = queries[0].flux.schema if queries else NO_SCHEMA
    if all(query.flux.schema is first for query in queries):
        return queries
    return [query.under(NO_SCHEMA) for query in queries]


def _translated(module: ast.Module, schema: Schema) -> Flux:
    """The FluX query; it buffers the whole document where prefixes mean different namespaces."""
    if not renames(module):
        return flux_of(*with_prefixes_of(module, schema))
    schema = schema if schema.prefixes is not None else NO_SCHEMA
    ready = prepared(module)
    handler = OnFirst(EVERYTHING, Value(ready.body), EVERYTHING)
    body = ProcessStream(ROOT, schema.document, (handler,))
    projections = dict.fromkeys([ROOT, *ready.inputs], WHOLE)
    lets = tuple(Let(name, value, ROOT) for name, value in ready.globals.items())
    return Flux(
        body, projections, (), (), lets, ready.input, ready.inputs, ready.declarations, schema, ready.upward
    )


def _too_deep() -> Diagnostic:
    return problems.DEEP_DOCUMENT.at()


def _text(query: str | Text) -> Text:
    return query if isinstance(query, Text) else Text("<query>", query)


def _schema(schema: Schema | str | None) -> Schema:
    if schema is None:
        return NO_SCHEMA
    return schema if isinstance(schema, Schema) else read_schema(schema)


def xquery(
    text: str | Text,
    schema: Schema | str | None = None,
    *,
    functions: Mapping[str, External] | None = None,
    variables: Mapping[str, Items] | None = None,
) -> XQuery:
    """A query over an XML stream; the schema is a path, or a schema that was read."""
    return XQuery(text, schema, functions=functions, variables=variables)


def xqueries(texts: Iterable[str | Text | XQuery], schema: Schema | str | None = None) -> XQueries:
    """Several queries over one document, which is parsed once."""
    known = _schema(schema)
    return XQueries([text if isinstance(text, XQuery) else XQuery(text, known) for text in texts])


def nothing_to_validate() -> Diagnostic:
    return problems.NO_SCHEMA.at()
