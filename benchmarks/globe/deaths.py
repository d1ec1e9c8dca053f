"""Peers of chapter 2's example are killed at random moments; no subscriber loses or doubles an item.

$ python -m benchmarks.globe.deaths --times 50
$ python -m benchmarks.globe.deaths --times 10 --for-good

For good, super-peers between a satellite and its subscriber die one after the other, until one route is left:

    P4 ── A0 … An ── B0 … Bn ── P0       every A is linked with P4 and every B, every B with P0
"""

from __future__ import annotations

import tempfile
import time
from itertools import product
from pathlib import Path
from random import Random
from typing import Annotated

import typer

from benchmarks.globe import chapter2
from benchmarks.globe.processes import Processes, await_true
from slackwater.globe.astronomy import scenario
from slackwater.globe.model import Link, Network, Peer
from slackwater.globe.network import CAPABILITIES

FOR_GOOD = ("Vela", "RXJ", "RXJ-alert")
"""The subscriptions that need no document: one that a dead peer holds is gone with it."""


def kill_at_random(times: int, seed: int, count: int = 600, size: int = 10) -> list[str]:
    """Kill peers while photons are published, each started again a little later; what is wrong in the end."""
    random, stream = Random(seed), chapter2.records(count, seed)
    with tempfile.TemporaryDirectory() as place, Processes(scenario.NETWORK, Path(place)) as network:
        network.start_all()
        chapter2.publish(network, stream, Path(place))
        list(chapter2.subscribe(network))
        names = sorted(network.addresses)
        moments = sorted(random.randrange(count // size) for _ in range(times))
        for epoch in range(count // size):
            part = stream[epoch * size : (epoch + 1) * size]
            network.client("P4").append_records("photons", part, size)
            for _ in range(moments.count(epoch)):
                name = random.choice(names)
                network.kill(name)
                time.sleep(random.choice((0.0, 0.1, 1.0)))
                network.start(name)
        network.client("P4").end("photons")
        return [
            name for name, whole in chapter2.expected(stream).items() if not _arrives(network, name, whole)
        ]


def two_rows(width: int) -> Network:
    """A satellite and a subscriber, with two rows of super-peers between them."""
    near, far = ([f"{row}{place}" for place in range(width)] for row in "AB")
    supers = tuple(Peer(name, "super", 1e6, frozenset(CAPABILITIES)) for name in (*near, *far))
    ends = Peer("P4", operators=frozenset()), Peer("P0", operators=frozenset())
    pairs = [*(("P4", one) for one in near), *(("P0", other) for other in far), *product(near, far)]
    return Network((*supers, *ends), tuple(Link(one, other, 1e7) for one, other in pairs))


def kill_for_good(times: int, seed: int, count: int = 300, size: int = 10) -> list[str]:
    """Kill super-peers on the way, which do not come back; what is wrong in the end."""
    random, stream = Random(seed), chapter2.records(count, seed)
    texts = {one.id: one.text for one in scenario.subscriptions() if one.id in FOR_GOOD}
    width = (times + 1) // 2 + 1
    with tempfile.TemporaryDirectory() as place, Processes(two_rows(width), Path(place)) as network:
        network.start_all()
        publisher, subscriber = network.client("P4"), network.client("P0")
        publisher.publish(scenario.photons_at())
        for name, text in texts.items():
            subscriber.register(name, text, at="P0")
            await_true(lambda name=name: subscriber.await_plan(name) is None, name)  # type: ignore[misc]
        rows = [[f"{row}{number}" for number in range(width)] for row in "AB"]
        moments = sorted(random.randrange(count // size) for _ in range(times))
        for epoch in range(count // size):
            publisher.append_records("photons", stream[epoch * size : (epoch + 1) * size], size)
            for _ in range(moments.count(epoch)):
                row = random.choice([row for row in rows if len(row) > 1])
                network.kill(row.pop(random.randrange(len(row))))
                time.sleep(random.choice((0.0, 0.5, 3.0)))
        publisher.end("photons")
        whole = chapter2.expected(stream)
        return [name for name in texts if not _arrives(network, name, whole[name], "P0")]


def _arrives(network: Processes, name: str, whole: str, at: str = "") -> bool:
    try:
        await_true(lambda: chapter2.actual(network, name, at) == whole, name)
    except TimeoutError:
        return False
    return True


def main(
    times: Annotated[int, typer.Option(help="How many deaths.")] = 50,
    seed: Annotated[int, typer.Option(help="Other moments, other peers.")] = 0,
    for_good: Annotated[bool, typer.Option("--for-good", help="They do not come back.")] = False,
) -> None:
    """Kill peers at random moments."""
    wrong = kill_for_good(times, seed) if for_good else kill_at_random(times, seed)
    result = f"wrong answers of {', '.join(wrong)}" if wrong else "every item arrived once"
    typer.echo(f"{times} deaths{' for good' if for_good else ''} with seed {seed}: {result}")
    raise typer.Exit(1 if wrong else 0)


if __name__ == "__main__":
    typer.run(main)
