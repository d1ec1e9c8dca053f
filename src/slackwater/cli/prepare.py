"""`slackwater prepare`: make later starts of Spark quicker."""

from __future__ import annotations

import sys

import typer


def prepare() -> None:
    """Make later starts of Spark faster on this machine.

    Java writes an archive of Spark's classes to the cache folder: about 190 MB, in about a minute. Later
    starts map it into memory instead of loading every class. Delete the file to undo this.

    \b
    Examples:
      slackwater prepare
    """
    from slackwater.run.local.classes import write_archive
    from slackwater.session import connect

    if sys.stderr.isatty():
        from rich.console import Console

        with Console(stderr=True).status("writing an archive of Spark's classes, about a minute"):
            archive = write_archive(connect)
    else:
        archive = write_archive(connect)
    typer.echo(f"{archive} ({archive.stat().st_size / 1e6:.0f} MB)")
