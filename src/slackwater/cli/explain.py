"""`slackwater explain`: show the plan of every query of a program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from slackwater.cli.command import is_xquery, refuse_schema
from slackwater.cli.output import read

if TYPE_CHECKING:
    from slackwater.base.span import Text
    from slackwater.base.time import Clock
    from slackwater.bind.program import Query
    from slackwater.optimize import Optimizer
    from slackwater.optimize.sharing import Shared

File = Annotated[str, typer.Argument(metavar="FILE", help="The program; - reads it from stdin.")]


Steps = Annotated[bool, typer.Option("--steps", help="Show every rule that the optimizer applies.")]
Schema = Annotated[
    str | None,
    typer.Option("--schema", metavar="FILE", help="The DTD or XML Schema of an XQuery's documents."),
]


def explain(file: File, steps: Steps = False, schema: Schema = None) -> None:
    """Show the plan of every query of a program.

    It is shown as written, as optimized, and as physical steps. For an XQuery (.xq, .xquery): its event
    handlers, and what it buffers, for which element and for how long.

    \b
    Examples:
      slackwater explain congestion.cql
      slackwater explain congestion.cql --steps
      slackwater explain auction.xq --schema auction.dtd
      echo 'CREATE STREAM S (a INT); SELECT a FROM S [ROWS 5]' | slackwater explain -
    """
    from slackwater.algebra.explain import shown_in
    from slackwater.bind.catalog import Catalog
    from slackwater.bind.program import bind
    from slackwater.optimize import Optimizer
    from slackwater.optimize.sharing import shared

    if schema is not None and not is_xquery(file) and file != "-":
        refuse_schema()
    text, catalog = read(file), Catalog()
    if schema is not None or is_xquery(file):
        typer.echo(_xquery(text, schema, steps))
        return
    queries = bind(text, catalog)
    optimizer = Optimizer()
    together = shared({_title(*entry): optimizer.optimized(entry[1].plan) for entry in _run(queries)})
    listing = _Listing(catalog.clock, steps, optimizer, shown_in(query.plan for query in queries), together)
    pieces = [
        "\n".join(
            line if at == 0 or not line else f"  {line}"
            for at, line in enumerate(listing.lines(query, number))
        )
        for number, query in _numbered(queries)
    ]
    typer.echo("\n\n".join(pieces) if pieces else f"{text.name} has no queries")


def _xquery(text: Text, schema: str | None, trace: bool) -> str:
    from slackwater.flux.explain import explained_steps
    from slackwater.flux.run import XQuery
    from slackwater.schema import NO_SCHEMA, read_schema

    query = XQuery(text, read_schema(schema) if schema else NO_SCHEMA)
    shown = query.explain()
    return f"{explained_steps(query.module, query.flux.schema)}\n\n{shown}" if trace else shown


def _numbered(queries: list[Query]) -> list[tuple[int, Query]]:
    """Queries with their numbers; a view goes by its name and is not counted."""
    counts = [sum(query.name is None for query in queries[: place + 1]) for place in range(len(queries))]
    return list(zip(counts, queries, strict=True))


def _run(queries: list[Query]) -> list[tuple[int, Query]]:
    """The queries that `slackwater run` runs together: those of the program or, without any, its views."""
    numbered = _numbered(queries)
    return [(number, query) for number, query in numbered if query.name is None] or numbered


def _title(number: int, query: Query) -> str:
    return f"view {query.name}" if query.name else f"query {number}"


@dataclass(frozen=True, slots=True)
class _Listing:
    """The queries of one program, one after the other."""

    clock: Clock
    trace: bool
    optimizer: Optimizer
    shown: set[int] | None
    """In a long listing, the operators that were shown before."""
    together: Shared
    """The queries as they are run together."""

    def lines(self, query: Query, number: int) -> list[str]:
        from slackwater.algebra.explain import explained
        from slackwater.optimize import steps as applied
        from slackwater.physical.explain import explained_steps
        from slackwater.physical.lower import lowered

        title = _title(number, query)
        original = explained(query.plan, self.clock, self.shown)
        lines = [f"{title}: {query.plan.kind} {query.plan.schema}", "", *original.split("\n")]
        if query.notes:
            lines += ["", *(f"note: {note.message}: {note.label}" for note in query.notes)]
            lines += ["", "with its defaults written out:", "", *query.expanded.split("\n")]
        if self.trace:
            for step in applied(query.plan):
                law = f"by {step.rule}: {step.law}"
                lines += ["", law, "", *explained(step.plan, self.clock).split("\n")]
        better = self.optimizer.optimized(query.plan)
        if (shown := explained(better, self.clock)) != original:
            lines += ["", "optimized:", "", *shown.split("\n")]
        if rewritings := self.together.of(title):
            lines += ["", *map(str, rewritings)]
        graph = lowered({title: better})
        return [*lines, "", "in steps:", "", *explained_steps(graph, self.clock).split("\n")]
