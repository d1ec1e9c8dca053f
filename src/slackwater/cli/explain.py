"""`slackwater explain`: show the plan of every query of a program."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePath
from typing import TYPE_CHECKING, Annotated

import typer

from slackwater.cli.command import is_xquery, refuse_schema, refuse_useless
from slackwater.cli.output import read
from slackwater.cli.parameters import Params, refuse_params, values_of

if TYPE_CHECKING:
    from slackwater.base.span import Text
    from slackwater.base.time import Clock
    from slackwater.bind.program import Query
    from slackwater.optimize.cost.statistics import Statistics
    from slackwater.physical.explain.explanation import Explanation


class Format(StrEnum):
    TEXT = "text"
    JSON = "json"
    SVG = "svg"


File = Annotated[str, typer.Argument(metavar="FILE", help="The program; - reads it from stdin.")]
Steps = Annotated[bool, typer.Option("--steps", help="Show every rule that the optimizer applies.")]
Schema = Annotated[
    str | None,
    typer.Option("--schema", metavar="FILE", help="The DTD or XML Schema of an XQuery's documents."),
]
As = Annotated[
    Format,
    typer.Option(
        "--format", metavar="text|json|svg", help="As text, as JSON, or as a picture; default text."
    ),
]


Cost = Annotated[bool, typer.Option("--cost", help="Estimate rates, rows alive, state and bytes exchanged.")]


def explain(
    file: File,
    steps: Steps = False,
    format: As = Format.TEXT,
    cost: Cost = False,
    schema: Schema = None,
    param: Params = None,
) -> None:
    """Show the plan of every query of a program.

    It is shown as written, as optimized, and as physical steps; then all queries together in stages, with
    what they share. For an XQuery (.xq, .xquery): its event handlers, and what it buffers, for which element
    and for how long. --cost estimates what queries cost, from the options rate, row_count and distinct_values
    of sources.

    \b
    Examples:
      slackwater explain congestion.cql
      slackwater explain congestion.cql --steps
      slackwater explain congestion.cql --format svg > congestion.svg
      slackwater explain congestion.cql --cost
      slackwater explain auction.xq --schema auction.dtd
      echo 'CREATE STREAM S (a INT); SELECT a FROM S [ROWS 5]' | slackwater explain -
    """
    from slackwater.bind.catalog import Catalog
    from slackwater.bind.program import bind
    from slackwater.bind.statistics import statistics_of

    if schema is not None and not is_xquery(file) and file != "-":
        refuse_schema()
    text, catalog, values = read(file), Catalog(), values_of(param)
    if schema is not None or is_xquery(file):
        refuse_params(values)
        for option in ("--format",) * (format is not Format.TEXT) + ("--cost",) * cost:
            refuse_useless(option, "for an XQuery", f"Remove {option}.")
        typer.echo(_xquery(text, schema, steps))
        return
    queries = bind(text, catalog, values)
    if format is not Format.TEXT and steps:
        hint = "Remove --steps; JSON lists every rule."
        refuse_useless("--steps", f"with --format {format}", hint)
    if not queries:
        typer.echo(f"{text.name} has no queries")
        return
    program = _Program(queries, catalog.clock, statistics_of(catalog.sources, catalog.clock), cost)
    title = PurePath(text.name).name
    typer.echo(program.in_text(steps) if format is Format.TEXT else program.presented(format, title))


def _xquery(text: Text, schema: str | None, trace: bool) -> str:
    from slackwater.flux.explain import explained_steps
    from slackwater.flux.run import XQuery
    from slackwater.schema import NO_SCHEMA, read_schema

    query = XQuery(text, read_schema(schema) if schema else NO_SCHEMA)
    shown = query.explain()
    return f"{explained_steps(query.module, query.flux.schema)}\n\n{shown}" if trace else shown


@dataclass(frozen=True, slots=True)
class _Program:
    """The queries of a program, and what is known of its sources."""

    queries: list[Query]
    clock: Clock
    statistics: Statistics
    cost: bool

    def presented(self, format: Format, title: str) -> str:
        from slackwater.physical.explain.present import presented

        return presented(self._together(), format, title).rstrip("\n")

    def in_text(self, trace: bool) -> str:
        from slackwater.algebra.explain import shown_in
        from slackwater.physical.explain.present import sections
        from slackwater.physical.explain.text import explained_stages

        listing = _Listing(self, trace, shown_in(query.plan for query in self.queries))
        pieces = [_indented(listing.lines(query, number)) for number, query in _numbered(self.queries)]
        together = self._together()
        title = "in stages" if len(self.queries) == 1 else "all together, in stages"
        stages = (title, explained_stages(together.stages, self.clock))
        for title, text in (stages, *sections(together)):
            pieces.append(_indented([f"{title}:", "", *text.split("\n")]))
        return "\n\n".join(pieces)

    def _together(self) -> Explanation:
        """The queries that a run of the program starts, as one plan: without queries, its views."""
        from slackwater.physical.explain.explanation import AsWritten, explanation

        started = [(number, query) for number, query in _numbered(self.queries) if query.name is None]
        plans = [AsWritten(_title(query, number), query.plan) for number, query in started]
        views = [AsWritten(query.name, query.plan) for query in self.queries if query.name is not None]
        return explanation(plans or views, self.clock, self.statistics, self.cost, views)


def _indented(lines: list[str]) -> str:
    return "\n".join(line if at == 0 or not line else f"  {line}" for at, line in enumerate(lines))


def _numbered(queries: list[Query]) -> list[tuple[int, Query]]:
    """Queries with their numbers; views and sinks go by their names and are not counted."""
    plain = [query.name is None and query.sink is None for query in queries]
    counts = [sum(plain[: place + 1]) for place in range(len(queries))]
    return list(zip(counts, queries, strict=True))


def _title(query: Query, number: int) -> str:
    if query.sink is not None:
        return f"sink {query.sink.name}"
    return f"view {query.name}" if query.name else f"query {number}"


def _destination(query: Query) -> list[str]:
    """Where the answer of the query of a sink is written, and how."""
    if (sink := query.sink) is None:
        return []
    mode = sink.mode or ("stream" if query.plan.kind == "stream" else "changes")
    key = f", by {', '.join(sink.key)}" if sink.key else ""
    return [f"written into {sink.path}: {mode} as {sink.format}{key}"]


class _Listing:
    """The queries of one program, one after the other."""

    def __init__(self, program: _Program, trace: bool, shown: set[int] | None) -> None:
        from slackwater.optimize import Optimizer

        self.clock, self.statistics, self.trace = program.clock, program.statistics, trace
        self.optimizer = Optimizer(statistics=program.statistics)
        self.shown = shown
        """In a long listing, the operators that were shown before."""

    def lines(self, query: Query, number: int) -> list[str]:
        from slackwater.algebra.explain import explained
        from slackwater.optimize import steps as applied
        from slackwater.physical.explain.text import explained_steps
        from slackwater.physical.lower import lowered

        title = _title(query, number)
        original = explained(query.plan, self.clock, self.shown)
        head = [f"{title}: {query.plan.kind} {query.plan.schema}", *_destination(query)]
        lines = [*head, "", *original.split("\n")]
        if query.notes:
            lines += ["", *(f"note: {note.message}: {note.label}" for note in query.notes)]
            lines += ["", "with its defaults written out:", "", *query.expanded.split("\n")]
        if self.trace:
            for step in applied(query.plan, self.statistics):
                law = f"by {step.rule}: {step.law}"
                lines += ["", law, "", *explained(step.plan, self.clock).split("\n")]
        better = self.optimizer.optimized(query.plan)
        if (shown := explained(better, self.clock)) != original:
            lines += ["", "optimized:", "", *shown.split("\n")]
        graph = lowered({title: better})
        return [*lines, "", "in steps:", "", *explained_steps(graph, self.clock).split("\n")]
