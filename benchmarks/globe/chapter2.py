"""The example of chapter 2 on processes: photons, an archive, four subscriptions, and their answers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from benchmarks.globe.processes import Processes, await_true
from slackwater.base.span import Text
from slackwater.flux.oracle.evaluate import answer
from slackwater.flux.oracle.read import read
from slackwater.globe.astronomy import scenario
from slackwater.globe.astronomy.photons import photons
from slackwater.language.xquery.parse import parse

ORBIT = 5_400.0
_ENERGY = re.compile(r"<en>([\d.]+)</en>")
_TIME = re.compile(r"<det_time>([\d.]+)</det_time>")


def records(count: int, seed: int = 0) -> list[bytes]:
    """Photons of the satellite; energies are in eighths, so that every sum of them is exact."""

    def rounded(match: re.Match[str]) -> str:
        return f"<en>{round(float(match[1]) * 8) / 8}</en>"

    stream = islice(photons(seed, of=scenario.ONE_OF), count)
    return [_ENERGY.sub(rounded, record).encode() for record in stream]


def earlier(stream: list[bytes]) -> list[bytes]:
    """Some of the photons an orbit before, as the archive has them."""

    def before(match: re.Match[str]) -> str:
        return f"<det_time>{float(match[1]) - ORBIT:.3f}</det_time>"

    return [_TIME.sub(before, record.decode()).encode() for record in stream[::7]]


def document(stream: list[bytes]) -> str:
    return f"<photons>{''.join(record.decode() for record in stream)}</photons>"


def publish(network: Processes, stream: list[bytes], folder: Path) -> None:
    """The satellite announces its stream, its super-peer the archive."""
    archive = folder / "archive.xml"
    archive.write_text(document(earlier(stream)), encoding="utf-8")
    network.client("SP3").publish(scenario.archive_at(location=str(archive)))
    network.client("P4").publish(scenario.photons_at())
    first = network.client("SP0")
    known = {"photons", "photons_db"}
    await_true(lambda: {one.id for one in first.deployment().published} == known, "streams are published")


def subscribe(network: Processes) -> Iterator[str]:
    """Register the four subscriptions one after the other; after each, its name."""
    for one in scenario.subscriptions():
        client = network.client(one.at)
        client.register(one.id, one.text, at=one.at)
        client.await_plan(one.id, 60)
        yield one.id


def expected(stream: list[bytes]) -> dict[str, str]:
    """What the reference evaluator answers to each subscription."""
    tree, archive = read(document(stream)), read(document(earlier(stream)))
    return {
        one.id: answer(parse(Text(one.id, one.text)), tree, {"photons": tree}, {"photons_db": archive})
        for one in scenario.subscriptions()
    }


def actual(network: Processes, name: str, at: str = "") -> str:
    """What a subscription has been delivered, at its peer of the example or at another, as one document."""
    peer = at or dict(scenario.SUBSCRIPTIONS)[name]
    return "".join(["<photons>", *network.client(peer).items(name), "</photons>"])
