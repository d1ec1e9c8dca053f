"""Peers of chapter 2's example are killed at random moments; no subscriber loses or doubles an item.

$ python -m benchmarks.globe.deaths --times 50
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from random import Random
from typing import Annotated

import typer

from benchmarks.globe import chapter2
from benchmarks.globe.processes import Processes, await_true
from slackwater.globe.astronomy import scenario


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


def _arrives(network: Processes, name: str, whole: str) -> bool:
    try:
        await_true(lambda: chapter2.actual(network, name) == whole, name)
    except TimeoutError:
        return False
    return True


def main(
    times: Annotated[int, typer.Option(help="How many deaths.")] = 50,
    seed: Annotated[int, typer.Option(help="Other moments, other peers.")] = 0,
) -> None:
    """Kill peers at random moments."""
    wrong = kill_at_random(times, seed)
    result = f"wrong answers of {', '.join(wrong)}" if wrong else "every item arrived once"
    typer.echo(f"{times} deaths with seed {seed}: {result}")
    raise typer.Exit(1 if wrong else 0)


if __name__ == "__main__":
    typer.run(main)
