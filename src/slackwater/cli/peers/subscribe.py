"""`slackwater subscribe`: register a query at a peer and read its answers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from slackwater.cli.output import read
from slackwater.cli.peers.feed.files import read_bytes
from slackwater.cli.peers.options import At, Authority, Token, client

Query = Annotated[str | None, typer.Argument(metavar="QUERY", help="A file with a query, or its text.")]
Name = Annotated[str, typer.Option("--name", help="The name of the subscription.")]
From = Annotated[str, typer.Option("--from", metavar="beginning|now", help="Where it begins.")]
Out = Annotated[str | None, typer.Option("--out", metavar="FILE", help="The file for the answers.")]
Format = Annotated[
    str | None,
    typer.Option(
        "--format", metavar="table|csv|json|parquet", help="Rows: by default a table, or as FILE is named."
    ),
]
Detached = Annotated[bool, typer.Option("--detach", help="Register it, and read nothing.")]
Now = Annotated[bool, typer.Option("--available", help="Read what has been delivered, and do not wait.")]
Stop = Annotated[bool, typer.Option("--stop", help="End the subscription.")]

Modules = Annotated[
    list[str] | None,
    typer.Option("--module", metavar="FILE", help="WebAssembly with functions that the query calls."),
]

_CQL = ("SELECT", "ISTREAM", "DSTREAM", "RSTREAM", "WITH")


def subscribe(
    name: Name,
    at: At,
    query: Query = None,
    from_: From = "beginning",
    out: Out = None,
    format: Format = None,
    module: Modules = None,
    detach: Detached = False,
    available: Now = False,
    stop: Stop = False,
    token: Token = "",
    authority: Authority = None,
) -> None:
    """Subscribe at a peer, in XQuery or CQL, and print its items, or its rows with their times.

    The subscription stays when this command ends: without a query, it reads the answers of one that exists.

    \b
    Examples:
      slackwater subscribe vela.xq --name Vela --at 127.0.0.1:4712
      slackwater subscribe "SELECT segment FROM readings WHERE speed < 40" --name slow --at 127.0.0.1:4712
      slackwater subscribe --name slow --at 127.0.0.1:4712 --available --out slow.csv
      slackwater subscribe --name Vela --at 127.0.0.1:4712 --stop
    """
    from slackwater.cli.peers.answers import format_named, write_answers

    if from_ not in ("beginning", "now"):
        raise typer.BadParameter("Write --from beginning or --from now.")
    kind = format_named(format, out)
    peer = client(at, token, authority)
    if stop:
        peer.unsubscribe(name)
        return
    if query is not None:
        text = read(query).content if Path(query).suffix in (".xq", ".xquery", ".cql") else query
        where, begins = peer.status()["name"], from_ == "beginning"
        code = [read_bytes(one) for one in module or ()]
        language = _language(query, text)
        peer.register(name, text, at=where, language=language, beginning=begins, modules=code)
        peer.await_plan(name)
    if not detach:
        write_answers(peer, name, kind, out, follow=not available)


def _language(query: str, text: str) -> Literal["xquery", "cql"]:
    first = text.lstrip().partition("(")[0].partition(" ")[0].strip().upper()
    return "cql" if query.endswith(".cql") or first in _CQL else "xquery"
