"""The command line, one file per command."""


def main() -> None:
    """The entry point `slackwater`."""
    from slackwater.cli.app import run

    run()


__all__ = ["main"]
