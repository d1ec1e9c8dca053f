"""`python -m benchmarks.planning`: the time to register a subscription in a large network of peers.

A backbone of super-peers with thin peers around it; satellites among these publish photons. Each subscription
selects some part of the sky, in three shapes of chapter 2. Times are of the CPU, per registration, for each
fifth of the subscriptions: they should not grow with what is registered already.
"""

from __future__ import annotations

import time
from dataclasses import replace
from random import Random
from typing import Annotated

import typer

from slackwater.globe.astronomy import scenario
from slackwater.globe.model import Deployment, Link, Network, Peer, Subscription
from slackwater.globe.plan import Planner

_SHAPES = ("Vela", "RXJ", "RXJ-alert")
_SKY = {
    "Vela": ("120.0", "138.0", "-49.0", "-40.0"),
    "RXJ": ("130.5", "135.5", "-48.0", "-45.0"),
    "RXJ-alert": ("130.5", "135.5", "-48.0", "-45.0"),
}


def network(supers: int, thin: int, random: Random) -> Network:
    """A connected backbone in which each super-peer has about four neighbours."""
    pairs = {(random.randrange(number), number) for number in range(1, supers)}
    for _ in range(supers):
        one, other = sorted(random.sample(range(supers), 2))
        pairs.add((one, other))
    peers = [Peer(f"S{number}", capacity=1e9) for number in range(supers)]
    peers += [Peer(f"T{number}", "thin", 1e6, frozenset({"transform"})) for number in range(thin)]
    links = [Link(f"S{one}", f"S{other}", 1e12) for one, other in sorted(pairs)]
    links += [Link(f"T{number}", f"S{random.randrange(supers)}", 1e12) for number in range(thin)]
    return Network(tuple(peers), tuple(links))


def text(random: Random, streams: int) -> str:
    """A subscription to some part of the sky, of one of the satellites."""
    shape = random.choice(_SHAPES)
    west, south, width = random.randrange(36) * 10, random.randrange(-9, 8) * 10, random.choice((9, 19, 29))
    query = scenario.query(shape)
    for old, new in zip(_SKY[shape], (west, west + width, south, south + width), strict=True):
        query = query.replace(old, f"{new}.0")
    return query.replace('stream("photons")', f'stream("photons{random.randrange(streams)}")')


def main(
    supers: Annotated[int, typer.Option(help="Super-peers.")] = 1_000,
    thin: Annotated[int, typer.Option(help="Thin peers.")] = 9_000,
    subscriptions: Annotated[int, typer.Option(help="Subscriptions.")] = 10_000,
    streams: Annotated[int, typer.Option(help="Streams that are published.")] = 20,
    seed: Annotated[int, typer.Option(help="Another seed, another network.")] = 0,
) -> None:
    """Register subscriptions in a random network, and print the time that each takes."""
    random = Random(seed)
    published = [
        replace(scenario.photons_at(f"T{number}"), id=f"photons{number}") for number in range(streams)
    ]
    planner = Planner(Deployment(network(supers, thin, random)).publish(*published))
    begun, step = time.process_time(), max(1, subscriptions // 5)
    for number in range(subscriptions):
        at = f"T{random.randrange(thin)}"
        planner.register(Subscription(f"Q{number}", at, "xquery", text(random, streams)))
        if (number + 1) % step == 0:
            now = time.process_time()
            average, tasks = (now - begun) / step, len(planner.state.tasks)
            typer.echo(
                f"{number + 1} subscriptions, {tasks} tasks: {1000 * average:.1f} ms for each of {step}"
            )
            begun = now


if __name__ == "__main__":
    typer.run(main)
