"""`slackwater peers`, `streams` and `plan`: look at a network."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from slackwater.cli.peers.options import At, Authority, Token, client


def peers(at: At, token: Token = "", authority: Authority = None) -> None:
    """List the peers of a subnet: kind, capacity, address, neighbours; a star marks the speaker."""
    peer = client(at, token, authority)
    status, network = peer.status(), peer.deployment().network
    rows = [
        (
            f"{one.name}{' *' if one.name == status['speaker'] else ''}", one.kind, f"{one.capacity:g}",
            status["members"].get(one.name, ""), ", ".join(network.neighbours(one.name)),
        )
        for one in network.peers
    ]  # fmt: skip
    _table(("peer", "kind", "capacity", "address", "neighbours"), rows)


def streams(at: At, token: Token = "", authority: Authority = None) -> None:
    """List the streams of a subnet: those that are published, those that are computed, and their ways."""
    deployment = client(at, token, authority).deployment()
    ways: dict[str, list[str]] = {}
    for flow in deployment.flows:
        ways.setdefault(flow.stream, []).append(" → ".join(flow.route))
    rows: list[tuple[str, ...]]
    rows = [(one.id, one.at, one.kind, "; ".join(ways.get(one.id, ()))) for one in deployment.published]
    rows += [(one.output, one.at, one.needs, "; ".join(ways.get(one.output, ()))) for one in deployment.tasks]
    _table(("stream", "at", "made by", "flows"), rows)


def plan(at: At, token: Token = "", authority: Authority = None) -> None:
    """Show what runs where: each task with its query, and the subscriptions it is for."""
    peer = client(at, token, authority)
    deployment = peer.deployment()
    for task in deployment.tasks:
        typer.echo(f"{task.id} at {task.at}: {', '.join(task.inputs)} → {task.output}")
        typer.echo("\n".join(f"    {line}" for line in task.text.strip().splitlines()))
    for one in deployment.subscriptions:
        typer.echo(f"subscription {one.id} at {one.at}: {one.result}")
    for id, why in sorted(peer.failures().items()):
        typer.echo(f"subscription {id}: refused\n" + "\n".join(f"    {line}" for line in why.splitlines()))


Out = Annotated[str | None, typer.Option("--out", metavar="FILE", help="The file for the picture, in SVG.")]
Serve = Annotated[
    int | None, typer.Option("--serve", metavar="PORT", help="Show it live at this port of this machine.")
]


def globe(
    at: At, out: Out = None, serve: Serve = None, token: Token = "", authority: Authority = None
) -> None:
    """Draw the network: peers, links by what they carry, which stream flows where, which query runs where.

    \b
    Examples:
      slackwater globe --at 127.0.0.1:4711 --out network.svg
      slackwater globe --at 127.0.0.1:4711 --serve 8080
    """
    from slackwater.globe.draw import as_svg

    peer = client(at, token, authority)
    if serve is not None:
        from slackwater.globe.flight.page import Page

        with Page(peer, serve) as page:
            typer.echo(f"http://127.0.0.1:{page.port}/")
            page.serve()
        return
    picture = as_svg(peer.deployment())
    if out is None:
        typer.echo(picture)
    else:
        Path(out).write_text(picture, encoding="utf-8")


def _table(heading: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    lines = [heading, *rows]
    widths = [max(len(line[place]) for line in lines) for place in range(len(heading))]
    for line in lines:
        typer.echo("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())
