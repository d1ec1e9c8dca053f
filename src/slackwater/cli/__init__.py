"""The command line, one file per command."""

import sys


def main() -> None:
    """The entry point `slackwater`."""
    try:
        from slackwater.cli.app import main as begin
    except ModuleNotFoundError as error:
        if error.name not in ("prompt_toolkit", "rich", "typer"):
            raise
        sys.exit(f'the command line needs the package {error.name}. Run: pip install "slackwater[cli]"')
    begin()


__all__ = ["main"]
