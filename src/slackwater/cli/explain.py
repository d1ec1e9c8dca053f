"""`slackwater explain`: show the plan of every query of a program."""

from __future__ import annotations

from typing import Annotated

import typer

from slackwater.cli.output import read

File = Annotated[str, typer.Argument(metavar="FILE", help="The program; - reads it from stdin.")]


def explain(file: File) -> None:
    """Show what every query of a program gives, its plan, and the defaults that were applied.

    \b
    Examples:
      slackwater explain congestion.cql
      echo 'CREATE STREAM S (a INT); SELECT a FROM S [ROWS 5]' | slackwater explain -
    """
    from slackwater.algebra.explain import explained
    from slackwater.bind.catalog import Catalog
    from slackwater.bind.program import bind

    text = read(file)
    pieces: list[str] = []
    for number, query in enumerate(bind(text, Catalog()), 1):
        title = f"view {query.name}" if query.name else f"query {number}"
        lines = [f"{title}: {query.plan.kind} {query.plan.schema}", "", *explained(query.plan).split("\n")]
        if query.notes:
            lines += ["", *(f"note: {note.message}: {note.label}" for note in query.notes)]
            lines += ["", "with its defaults written out:", "", *query.expanded.split("\n")]
        pieces.append(
            "\n".join(line if at == 0 or not line else f"  {line}" for at, line in enumerate(lines))
        )
    typer.echo("\n\n".join(pieces) if pieces else f"{text.name} has no queries")
