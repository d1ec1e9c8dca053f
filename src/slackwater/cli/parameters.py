"""`--param NAME=VALUE`: the values of a program's parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from slackwater.cli import problems
from slackwater.cli.command import refuse_useless
from slackwater.cli.output import print_diagnostics

if TYPE_CHECKING:
    from slackwater.base.diagnostic import Diagnostic
    from slackwater.bind.parameters.values import Unread

Params = Annotated[
    list[str] | None,
    typer.Option(
        "--param",
        metavar="NAME=VALUE",
        help="The value of :NAME, read by the type of its place.",
    ),
]


def values_of(assignments: list[str] | None) -> dict[str, Unread]:
    """The values by name; ends with an error if an assignment is none, or the second of its name."""
    from slackwater.bind.parameters.values import Unread

    values: dict[str, Unread] = {}
    for assignment in assignments or []:
        name, equals, text = assignment.partition("=")
        if not equals or not name.isidentifier():
            _refuse(problems.BAD_PARAM.at(assignment=assignment))
        if name in values:
            _refuse(problems.SECOND_PARAM.at(name=name))
        values[name] = Unread(text)
    return values


def refuse_params(values: dict[str, Unread]) -> None:
    """End with an error about parameters of an XQuery, which has none."""
    if values:
        refuse_useless("--param", "for an XQuery", "Remove --param.")


def _refuse(diagnostic: Diagnostic) -> None:
    print_diagnostics([diagnostic])
    raise typer.Exit(2)
