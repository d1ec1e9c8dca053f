"""The progress of a query on the standard error: a live line on a terminal, else one line at the end."""

from __future__ import annotations

import sys
import warnings
from typing import TYPE_CHECKING

import typer

from slackwater.cli.output import print_diagnostics

if TYPE_CHECKING:
    from slackwater.run.progress import QueryProgress
    from slackwater.run.started import Started


INTERRUPTED = 130
"""The exit code of a command that Ctrl-C interrupted, as in shells."""


def watch(running: Started, *, follow: bool = False, strict: bool = False) -> None:
    """Wait until the query ends, showing its progress; Ctrl-C stops it after the current epoch.

    With `follow` that is the normal end; otherwise the command exits as interrupted. With `strict` it also
    fails where the answers leave out rows or changed files.
    """
    interrupted = False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # printed below, in one line each
        try:
            if sys.stderr.isatty():
                _show(running)
            else:
                running.await_termination()
        except KeyboardInterrupt:
            interrupted = True
            running.stop()
            typer.echo("stopped", err=True)
    typer.echo(format_progress(running.progress), err=True)
    print_diagnostics(running.remarks)
    for notice in running.notices:
        typer.echo(f"warning: {notice}", err=True)
    if interrupted and not follow:
        raise typer.Exit(INTERRUPTED)
    if strict and running.notices:
        raise typer.Exit(1)


def _show(running: Started) -> None:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (
        SpinnerColumn(),
        BarColumn(bar_width=20),
        TextColumn("{task.description}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(_starting(), total=None)
        while not running.await_termination(0.2):
            bar.update(task, description=format_progress(running.progress))


def format_progress(progress: QueryProgress) -> str:
    """The progress in one line."""
    from slackwater.run.progress import at

    parts = [
        f"{progress.events:,} events",
        f"{progress.rate:,.0f} a second",
        f"watermark {progress.watermark_text}",
        f"state {progress.state_rows:,} rows, {size(progress.state_bytes)}",
    ]
    if held := progress.held_back_by:
        names = ", ".join(source.name for source in held)
        parts.append(f"waiting for {names} since {at(min(source.since for source in held))}")
    parts += [f"{progress.late:,} late"] if progress.late else []
    parts += [f"{progress.malformed:,} malformed"] if progress.malformed else []
    return " · ".join(parts)


def size(count: int) -> str:
    """Bytes in a unit that is read at a glance."""
    amount = float(count)
    for unit in ("B", "kB", "MB", "GB"):
        if amount < 1000 or unit == "GB":
            return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1000
    raise AssertionError


def _starting() -> str:
    from slackwater.run.local.classes import mapped_classes

    advice = "" if mapped_classes() else " (slackwater prepare makes this faster)"
    return f"starting Spark{advice}"
