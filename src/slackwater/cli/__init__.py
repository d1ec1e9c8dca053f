"""The command line, one file per command."""


def main() -> None:
    """The entry point `slackwater`."""
    from slackwater.cli.app import main as begin

    begin()


__all__ = ["main"]
