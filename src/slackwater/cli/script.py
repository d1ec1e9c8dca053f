"""`slackwater script`: run a script of the STREAM prototype."""

from __future__ import annotations

from typing import Annotated

import typer

from slackwater.base.diagnostic import EngineError
from slackwater.cli.output import exit_code, print_diagnostics, read

File = Annotated[str, typer.Argument(metavar="FILE", help="The script; - reads it from stdin.")]
EngineName = Annotated[str, typer.Option("--engine", metavar="reference|kernels", help="The engine.")]


def script(file: File, engine: EngineName = "kernels") -> None:
    """Run a script of the STREAM prototype and write the answers of its queries.

    A script is a list of `key : value` entries: table, source, vquery, vtable, query, dest. Paths are
    relative to the current folder; the answer of a query without a dest goes to the standard output.

    \b
    Examples:
      slackwater script test/scripts/test1
      slackwater script test/scripts/test1 --engine reference
      printf 'table: register stream S (A integer);\\nsource: S.dat\\nquery: select * from S;' |
        slackwater script -
    """
    from slackwater.cli.stream_script import Script, ScriptErrors
    from slackwater.engines.engine import engine_called
    from slackwater.scripts.entries import read_script
    from slackwater.sinks import stream_file

    try:
        chosen = engine_called(engine)
    except EngineError as unknown:
        print_diagnostics(unknown.diagnostics)
        raise typer.Exit(2) from None
    try:
        program = Script(read_script(read(file)), chosen)
        for changes, dest in program.answers():
            if dest is None:
                typer.echo("\n".join(stream_file.lines(changes)))
                continue
            count = stream_file.write(dest, changes)
            typer.echo(f"{dest}: {count} line{'s' * (count != 1)}")
        for note in program.notes:
            place = f"{note.span.text.name}:{note.span.line}: " if note.span else ""
            typer.echo(f"note: {place}{note.message}: {note.label}", err=True)
    except ScriptErrors as errors:
        for error in errors.errors:
            print_diagnostics(error.diagnostics)
        raise typer.Exit(max(map(exit_code, errors.errors))) from None
