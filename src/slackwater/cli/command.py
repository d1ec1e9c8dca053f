"""Commands that refuse options given twice or without effect."""

from __future__ import annotations

from typing import NoReturn

import typer
from typer.core import TyperCommand, TyperOption

from slackwater.cli import problems
from slackwater.cli.output import print_diagnostics


class Command(TyperCommand):
    """Refuses an option that is given a second time, where only the last would count."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]
        _, _, options = self.make_parser(ctx).parse_args(args=list(args))
        for option in options:
            if isinstance(option, TyperOption) and not option.multiple and options.count(option) > 1:
                ctx.fail(f"Option '{option.opts[0]}' is given {options.count(option)} times; use it once.")
        return super().parse_args(ctx, args)


def is_xquery(file: str) -> bool:
    return file.endswith((".xq", ".xquery"))


def refuse_schema() -> NoReturn:
    """End with an error about a schema for a program in CQL."""
    hint = "Remove --schema; if the program is an XQuery, rename its file to .xq."
    refuse_useless("--schema", "for a program in CQL", hint)


def refuse_useless(option: str, why: str, hint: str) -> NoReturn:
    """End with an error about an option that has no effect here."""
    print_diagnostics([problems.USELESS_OPTION.at(option=option, why=why, instead=hint)])
    raise typer.Exit(2)
