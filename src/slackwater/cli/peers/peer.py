"""`slackwater peer`: run a peer of a network."""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from slackwater.globe.protocol.messages import Reported

Name = Annotated[str | None, typer.Option("--name", help="The name of the peer in the network.")]
Listen = Annotated[
    str | None,
    typer.Option("--listen", metavar="HOST:PORT", help="Where to listen; port 0 is any free one."),
]
Join = Annotated[
    list[str] | None, typer.Option("--join", metavar="HOST:PORT", help="A peer of the network to enter by.")
]
Super = Annotated[bool, typer.Option("--super", help="Compute for others, and speak for the subnet.")]
Capacity = Annotated[
    float | None, typer.Option("--capacity", help="Work it can do: about items compared a second.")
]
Links = Annotated[
    list[str] | None,
    typer.Option("--link", metavar="PEER[=BYTES]", help="A neighbour, and the bytes a second to it."),
]
Data = Annotated[
    str | None, typer.Option("--data", metavar="FOLDER", help="Where it keeps what a restart needs.")
]
ConfigFile = Annotated[
    str | None, typer.Option("--config", metavar="FILE", help="Settings in TOML; options take precedence.")
]


def peer(
    name: Name = None,
    listen: Listen = None,
    join: Join = None,
    super: Super = False,
    capacity: Capacity = None,
    link: Links = None,
    data: Data = None,
    config: ConfigFile = None,
) -> None:
    """Run a peer: it publishes and subscribes for its users and, as a super-peer, computes for others.

    It prints its address when it listens, and runs until it is interrupted. Without tokens in its
    configuration it listens on this machine only.

    \b
    Examples:
      slackwater peer --name SP1 --super --listen 127.0.0.1:4711 --data sp1
      slackwater peer --name P1 --join 127.0.0.1:4711 --link SP1 --data p1
    """
    from slackwater.globe import Config, Peer
    from slackwater.globe.flight.config import read_config

    options: dict[str, Any] = {
        "name": name, "listen": listen, "join": tuple(join or ()), "super": super, "capacity": capacity,
        "links": [_link(one) for one in link or ()], "data": data,
    }  # fmt: skip
    settings = {key: value for key, value in options.items() if value}
    if config is None and name is None:
        raise typer.BadParameter("Name the peer: --name, or a configuration: --config.")
    if config is not None:
        known = read_config(Path(config), **settings)
    else:
        links = tuple((one["peer"], one["bandwidth"]) for one in settings.pop("links", ()))
        known = Config(**settings, links=links)
    running = Peer(known, _report)

    def stop(number: int, frame: FrameType | None) -> None:
        running._stopped.set()

    signal.signal(signal.SIGTERM, stop)
    typer.echo(f"{known.name} listens at {running.address}")
    sys.stdout.flush()
    try:
        running.wait()
    finally:
        running.close()


def _link(text: str) -> dict[str, Any]:
    name, _, bandwidth = text.partition("=")
    try:
        return {"peer": name, "bandwidth": float(bandwidth or 1e8)}
    except ValueError:
        raise typer.BadParameter(f"--link {text}: write PEER=BYTES, as SP2=1e7") from None


def _report(report: Reported) -> None:
    print(report.text, file=sys.stderr, flush=True)
