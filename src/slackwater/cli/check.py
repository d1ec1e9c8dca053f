"""`slackwater check`: report errors in a program, the defaults it uses, and state that grows."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from slackwater.base.diagnostic import Diagnostic, SlackwaterError
from slackwater.cli.command import is_xquery, refuse_schema
from slackwater.cli.output import exit_code, print_diagnostic, print_diagnostics, read
from slackwater.cli.parameters import Params, refuse_params, values_of

if TYPE_CHECKING:
    from slackwater.bind.parameters.values import Unread
    from slackwater.bind.program import Query

Files = Annotated[
    list[str], typer.Argument(metavar="FILE", help="Programs to check; - reads one from stdin.")
]


Schema = Annotated[
    str | None,
    typer.Option("--schema", metavar="FILE", help="The DTD or XML Schema of the documents of an XQuery."),
]


def check(files: Files, schema: Schema = None, param: Params = None) -> None:
    """Report errors in programs, and the defaults they use.

    Files .xq and .xquery are XQuery. Warns about state that grows without bound and, with --schema, about
    steps of an XQuery that match nothing in any document.

    \b
    Examples:
      slackwater check congestion.cql
      slackwater check queries/*.cql
      slackwater check auction.xq --schema auction.dtd
      echo 'CREATE STREAM S (a INT); SELECT a FROM S' | slackwater check -
    """
    worst, values = 0, values_of(param)
    for file in files:
        try:
            _check(file, schema, values)
        except SlackwaterError as error:
            print_diagnostics(error.diagnostics)
            worst = max(worst, exit_code(error))
    raise typer.Exit(worst)


def _check(file: str, schema: str | None, values: dict[str, Unread]) -> None:
    from slackwater.bind.catalog import Catalog
    from slackwater.bind.program import bind
    from slackwater.bind.sinks.declare import idle_sinks
    from slackwater.flux.rewrite.never import never_matching
    from slackwater.language.xquery.parse import parse
    from slackwater.schema import read_schema

    if is_xquery(file):
        refuse_params(values)
        module = parse(read(file))
        if schema is not None:
            print_diagnostics(never_matching(module, read_schema(schema)))
        return
    if schema is not None:
        refuse_schema()
    catalog = Catalog()
    queries = bind(read(file), catalog, values)
    for query in queries:
        for note in query.notes:
            print_diagnostic(note, sys.stdout)
        if query.notes:
            typer.echo("with its defaults written out:\n")
            typer.echo(_indented(query.expanded) + "\n")
    print_diagnostics([*_growing(queries), *idle_sinks(catalog)])


def _growing(queries: list[Query]) -> list[Diagnostic]:
    """Warnings of state that grows without bound; a view is checked in the queries that use it."""
    from slackwater.optimize import optimized
    from slackwater.optimize.growth import warnings

    used = {id(operator) for query in queries for operator in query.plan.walk() if operator is not query.plan}
    whole = [optimized(query.plan) for query in queries if id(query.plan) not in used]
    return list(dict.fromkeys(warning for plan in whole for warning in warnings(plan)))


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.split("\n"))
