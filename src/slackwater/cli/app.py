"""The command line: its commands, and its exit codes."""

from __future__ import annotations

import os
import sys
from typing import Annotated, NoReturn

import typer

from slackwater import __version__
from slackwater.base.diagnostic import SlackwaterError
from slackwater.cli import check, demo, explain, prepare, run, script, sql, test, xquery
from slackwater.cli.command import Command
from slackwater.cli.output import exit_code, print_bug, print_diagnostics
from slackwater.cli.peers import look, peer, publish, subscribe

app = typer.Typer(
    name="slackwater",
    help="""Continuous queries over streams and changing relations, exact at every instant.

    \b
    Examples:
      slackwater demo
      slackwater check congestion.cql
      slackwater explain congestion.cql
      slackwater run congestion.cql --source readings=data/today.csv --out answers
      slackwater test tests/queries
    """,
    epilog="Exit codes: 0 success, 1 an error in a query, test or data, 2 wrong usage or a missing file, "
    "130 interrupted.",
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("check", cls=Command)(check.check)
app.command("explain", cls=Command)(explain.explain)
app.command("run", cls=Command)(run.run)
app.command("sql", cls=Command)(sql.sql)
app.command("xquery", cls=Command)(xquery.xquery)
app.command("test", cls=Command)(test.run_tests)
app.command("script", cls=Command)(script.script)
app.command("demo", cls=Command)(demo.demo)
app.command("prepare", cls=Command)(prepare.prepare)
app.command("peer", cls=Command)(peer.peer)
app.command("publish", cls=Command)(publish.publish)
app.command("subscribe", cls=Command)(subscribe.subscribe)
app.command("peers", cls=Command)(look.peers)
app.command("streams", cls=Command)(look.streams)
app.command("plan", cls=Command)(look.plan)
app.command("globe", cls=Command)(look.globe)


def _show_version(requested: bool) -> None:
    if requested:
        typer.echo(f"slackwater {__version__}")
        raise typer.Exit


@app.callback()
def _slackwater(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    pass


def main() -> NoReturn:
    """Run the command line; errors are shown as diagnostics, never as tracebacks."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # A terminal that cannot show a character shows another one.
            stream.reconfigure(errors="replace")
    # CREATE FUNCTION imports modules: those beside the program, too, after all that are installed.
    sys.path.append(os.getcwd())
    try:
        app(prog_name="slackwater")
        sys.exit(0)
    except SlackwaterError as error:
        print_diagnostics(error.diagnostics)
        _drop_unwritten_output()
        sys.exit(exit_code(error))
    except BrokenPipeError:
        # The reader has closed the pipe.
        _drop_unwritten_output()
        sys.exit(0)
    except Exception as bug:
        if os.environ.get("SLACKWATER_DEBUG"):
            raise
        print_bug(bug)
        sys.exit(1)


def _drop_unwritten_output() -> None:
    """Drop buffered output that the interpreter would fail to flush at its end."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
