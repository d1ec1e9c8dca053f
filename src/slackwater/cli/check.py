"""`slackwater check`: say what is wrong with a program, or which defaults were applied."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from slackwater.base.diagnostic import SlackwaterError
from slackwater.cli.output import complain, exit_code, read, tell

Files = Annotated[
    list[str], typer.Argument(metavar="FILE...", help="Programs to check; - reads one from stdin.")
]


def check(files: Files) -> None:
    """Say everything that is wrong with programs, and which defaults they use; .xq and .xquery are XQuery.

    \b
    Examples:
      slackwater check congestion.cql
      slackwater check queries/*.cql
      echo 'CREATE STREAM S (a INT); SELECT a FROM S' | slackwater check -
    """
    worst = 0
    for file in files:
        try:
            _check(file)
        except SlackwaterError as error:
            complain(error.diagnostics)
            worst = max(worst, exit_code(error))
    raise typer.Exit(worst)


def _check(file: str) -> None:
    from slackwater.bind.catalog import Catalog
    from slackwater.bind.program import bind
    from slackwater.language.xquery.parse import parse

    if file.endswith((".xq", ".xquery")):
        parse(read(file))
        return
    for query in bind(read(file), Catalog()):
        for note in query.notes:
            tell(note, sys.stdout)
        if query.notes:
            typer.echo("with its defaults written out:\n")
            typer.echo(_indented(query.expanded) + "\n")


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.split("\n"))
