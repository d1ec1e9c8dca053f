"""`slackwater subscribe`: register a query at a peer and read its answers."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from slackwater.cli.output import read
from slackwater.cli.peers.options import At, Authority, Token, client

Query = Annotated[str | None, typer.Argument(metavar="QUERY", help="A file with a query, or its text.")]
Name = Annotated[str, typer.Option("--name", help="The name of the subscription.")]
From = Annotated[str, typer.Option("--from", metavar="beginning|now", help="Where it begins.")]
Out = Annotated[str | None, typer.Option("--out", metavar="FILE", help="The file for the items.")]
Detached = Annotated[bool, typer.Option("--detach", help="Register it, and read nothing.")]
Now = Annotated[bool, typer.Option("--available", help="Read what has been delivered, and do not wait.")]
Stop = Annotated[bool, typer.Option("--stop", help="End the subscription.")]


def subscribe(
    name: Name,
    at: At,
    query: Query = None,
    from_: From = "beginning",
    out: Out = None,
    detach: Detached = False,
    available: Now = False,
    stop: Stop = False,
    token: Token = "",
    authority: Authority = None,
) -> None:
    """Subscribe at a peer, in XQuery or CQL, and print every item on its own line.

    The subscription stays when this command ends: without a query, it reads the answers of one that exists.

    \b
    Examples:
      slackwater subscribe vela.xq --name Vela --at 127.0.0.1:4712
      slackwater subscribe --name Vela --at 127.0.0.1:4712 --available
      slackwater subscribe --name Vela --at 127.0.0.1:4712 --stop
    """
    if from_ not in ("beginning", "now"):
        raise typer.BadParameter("Write --from beginning or --from now.")
    peer = client(at, token, authority)
    if stop:
        peer.unsubscribe(name)
        return
    if query is not None:
        text = read(query).content if Path(query).suffix in (".xq", ".xquery", ".cql") else query
        is_cql = query.endswith(".cql") or text.lstrip()[:6].upper() in ("SELECT", "ISTREA", "RSTREA")
        language = "cql" if is_cql else "xquery"
        where = peer.status()["name"]
        peer.register(name, text, at=where, language=language, beginning=from_ == "beginning")  # type: ignore[arg-type]
        peer.await_plan(name)
    if detach:
        return
    output = sys.stdout if out is None else open(out, "w", encoding="utf-8")  # noqa: SIM115
    try:
        for line in peer.lines(name, follow=not available):
            output.write(line + "\n")
            output.flush()
    finally:
        if out is not None:
            output.close()
