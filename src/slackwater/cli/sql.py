"""`slackwater sql`: a shell for statements and queries."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from slackwater.cli.output import read
from slackwater.cli.parameters import Params, values_of

Program = Annotated[
    str | None, typer.Argument(metavar="[FILE]", help="A program whose declarations the shell begins with.")
]
Placement = Annotated[
    str | None, typer.Option("--placement", metavar="driver|workers", help="Where the kernels run.")
]


def sql(file: Program = None, placement: Placement = None, param: Params = None) -> None:
    """Execute statements and queries as they are typed, each ended by a semicolon; \\? lists the commands.

    Without a terminal the statements are read from the standard input, and the exit code is 1 if one of them
    had an error.

    \b
    Examples:
      slackwater sql
      slackwater sql congestion.cql
      slackwater sql < statements.sql
    """
    from slackwater.cli.shell.shell import Shell
    from slackwater.cli.shell.statements import split
    from slackwater.session import connect

    values = values_of(param)
    if values and file is None:
        raise typer.BadParameter("these are values for a FILE, and there is none", param_hint="--param")
    session = connect(placement=placement)
    if file is not None:
        text = read(file)
        session.sql(text.content, text.name, values)
    shell = Shell(session, sys.stdout, sys.stdin.isatty())
    if not shell.is_terminal:
        statements, rest = split(sys.stdin.read())
        all(shell.execute(statement) for statement in [*statements, *filter(None, [rest])])
        raise typer.Exit(1 if shell.failures else 0)
    from slackwater.cli.shell.terminal import typed

    typer.echo("slackwater sql: \\? lists the commands, \\q ends")
    for text_typed in typed(session):
        statements, rest = split(text_typed)
        if not all(shell.execute(statement) for statement in [*statements, *filter(None, [rest])]):
            return
