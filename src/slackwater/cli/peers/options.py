"""Options that the commands for peers share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from slackwater.globe import Client

At = Annotated[str, typer.Option("--at", metavar="HOST:PORT", help="The peer to talk to.")]
Token = Annotated[
    str, typer.Option("--token", metavar="SECRET", envvar="SLACKWATER_TOKEN", help="The token to show it.")
]
Authority = Annotated[
    str | None, typer.Option("--authority", metavar="FILE", help="The certificate of its authority: use TLS.")
]


def client(at: str, token: str, authority: str | None) -> Client:
    """A connection to the peer of a command."""
    from slackwater.globe import connect

    return connect(at, token, authority)
