"""Bytes on every link and CPU of every peer, for data shipping, query shipping and stream sharing.

$ python -m benchmarks.globe.bench            the example of chapter 2, and networks of 16 and 64 peers

The peers run their own code in one process, on a network without faults. Bytes are compressed, as they are
sent. The archive that "Bursts" reads counts nowhere, although data shipping would have to send it, too.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from random import Random
from typing import Annotated, Any

import typer

from benchmarks.globe import chapter2
from slackwater.base.diagnostic import QueryError
from slackwater.globe.astronomy import scenario
from slackwater.globe.compute.computation import END, START
from slackwater.globe.compute.items import pack_records, unpack_records
from slackwater.globe.compute.make import computation
from slackwater.globe.model import (
    Deployment,
    Estimate,
    Flow,
    Link,
    Network,
    Peer,
    PeerName,
    Properties,
    Subscription,
    Task,
)
from slackwater.globe.plan import Planner
from slackwater.globe.protocol.messages import Delivered, Effect, Epoch, Part, Send
from slackwater.globe.protocol.parts import parts_of
from slackwater.globe.protocol.store import MemoryStore
from slackwater.globe.protocol.worker import Worker
from slackwater.globe.split import parts_of as split

STRATEGIES = ("data shipping", "query shipping", "sharing")
_NOTHING = Estimate(0.0, 0.0)


@dataclass(slots=True)
class Measured:
    """What a run has cost: bytes by link, seconds by peer, and the items of each subscription."""

    sent: dict[tuple[PeerName, PeerName], int]
    seconds: dict[PeerName, float]
    items: dict[str, list[bytes]]

    @property
    def total(self) -> int:
        return sum(self.sent.values())


def deployed(strategy: str, network: Network, wishes: list[Subscription]) -> Deployment:
    """The subscriptions in a network, by a strategy."""
    empty = Deployment(network, (scenario.photons_at("P4"), scenario.archive_at("SP3")))
    if strategy == "sharing":
        planner = Planner(empty)
        planner.register_all(wishes)
        return planner.deployment
    tasks: list[Task] = []
    flows: list[Flow] = []
    published = {one.id: one for one in empty.published}
    for one in wishes:
        parts = split(one, published)
        copy, properties = f"photons for {one.id}", Properties("photons", "xml")
        forward = Task(copy, "P4", "forward", "", ("photons",), copy, properties, _NOTHING)
        at = "SP3" if strategy == "query shipping" else one.at
        query = Task(
            one.id, at, "xquery", one.text.replace('"photons"', f'"{copy}"'), (copy,), one.id, properties,
            _NOTHING, documents=parts.documents,
        )  # fmt: skip
        tasks += [forward, query]
        ways = [(copy, "P4", at), (one.id, at, one.at)]
        flows += [Flow(stream, network.routes(a, b)[0]) for stream, a, b in ways if a != b]
    results = tuple(replace(one, result=one.id) for one in wishes)
    return replace(empty, tasks=tuple(tasks), flows=tuple(flows), subscriptions=results)


def measured(deployment: Deployment, stream: list[bytes], size: int = 200) -> Measured:
    """Run a deployment over a stream; every message arrives at once."""
    archive = chapter2.document(chapter2.earlier(stream)).encode()

    def make(task: Task, part: Part) -> Any:
        return computation(task, part.published, part.ancestors, {"photons_db": archive})

    workers = {peer.name: Worker(MemoryStore(), make) for peer in deployment.network.peers}
    result = Measured(defaultdict(int), defaultdict(float), defaultdict(list))
    waiting: list[tuple[PeerName, Send]] = []

    def run(name: PeerName, step: str, *arguments: Any) -> None:
        begin = time.process_time()
        effects: list[Effect] = getattr(workers[name], step)(*arguments)
        while workers[name].has_more:
            effects += workers[name].pump(0.0)
        result.seconds[name] += time.process_time() - begin
        for effect in effects:
            if isinstance(effect, Send):
                waiting.append((name, effect))
            elif isinstance(effect, Delivered):
                result.items[effect.subscription] += unpack_records(effect.epoch.items)
            else:
                raise AssertionError(effect.text)

    def settle() -> None:
        while waiting:
            sender, send = waiting.pop(0)
            step = {"Resume": "resume", "Data": "receive", "Ack": "acknowledge"}[type(send.message).__name__]
            run(send.to, step, sender, send.message, 0.0)

    for name, part in parts_of(deployment, {one.id: START for one in deployment.subscriptions}).items():
        run(name, "install", part, frozenset({"photons"} if name == "P4" else ()), 0.0)
    settle()
    result.seconds.clear()
    for edge in range(1, len(stream) // size + 1):
        run(
            "P4", "append", "photons", Epoch(edge, pack_records(stream[(edge - 1) * size : edge * size])), 0.0
        )
        settle()
    run("P4", "append", "photons", Epoch(END), 0.0)
    settle()
    for name, worker in workers.items():
        for (to, _), sent in worker.sent.items():
            result.sent[tuple(sorted((name, to)))] += sent  # type: ignore[index]
    return result


def generated(count: int, seed: int = 0) -> tuple[Network, list[Subscription]]:
    """Super-peers in a tree with shortcuts, thin peers at them; a subscription at every other peer."""
    random = Random(seed)
    supers = ["SP3", *(f"SP{number}" for number in range(4, 3 + count // 4))]
    links = {(supers[random.randrange(place)], supers[place]) for place in range(1, len(supers))}
    links |= {tuple(sorted(random.sample(supers, 2))) for _ in range(count // 8)}  # type: ignore[misc]
    thins = ["P4", *(f"P{number}" for number in range(5, 5 + count - len(supers) - 1))]
    links |= {("SP3" if thin == "P4" else random.choice(supers), thin) for thin in thins}
    peers = [Peer(name, capacity=1e6) for name in supers]
    peers += [Peer(name, "thin", 1e4, frozenset({"transform"} if name != "P4" else ())) for name in thins]
    network = Network(tuple(peers), tuple(Link(a, b, 1e7) for a, b in sorted(links)))
    return network, list(islice(_wishes(random, thins[1:]), count // 2))


def _wishes(random: Random, peers: list[PeerName]) -> Iterator[Subscription]:
    """Parts of the sky around the remnants, some of high energy."""
    number = 0
    while True:
        ra, dec = random.choice((120, 125, 130)), random.choice((-49, -47, -45))
        energy = random.choice(("", "", " and $p/en > 1.25"))
        text = (
            '<photons>{ for $p in stream("photons")/photons/photon '
            f"where $p/ra > {ra} and $p/ra < {ra + 8} and $p/dec > {dec} and $p/dec < {dec + 4}{energy} "
            "return <seen>{$p/ra}{$p/dec}{$p/en}</seen> }</photons>"
        )
        number += 1
        yield Subscription(f"q{number}", random.choice(peers), "xquery", text)


def main(
    count: Annotated[int, typer.Option(help="How many photons.")] = 4_000,
    quick: Annotated[bool, typer.Option("--quick", help="The example only.")] = False,
) -> None:
    """Measure the three strategies."""
    stream = chapter2.records(count)
    cases = {"chapter 2": (scenario.NETWORK, list(scenario.subscriptions()))}
    cases |= {} if quick else {f"{size} peers": generated(size) for size in (16, 64)}
    wrong = False
    for name, (network, wishes) in cases.items():
        results = {one: measured(deployed(one, network, wishes), stream) for one in STRATEGIES}
        shared, shipped = results["sharing"], results["data shipping"]
        typer.echo(f"{name}: {len(network.peers)} peers, {len(wishes)} subscriptions, {count:,} photons")
        for strategy, result in results.items():
            seconds = sum(result.seconds.values())
            busiest = max(result.seconds, key=lambda peer: result.seconds[peer])
            typer.echo(
                f"  {strategy:15} {result.total:>12,} bytes on {len(result.sent)} links, "
                f"CPU {seconds:6.2f} s, busiest {busiest} {result.seconds[busiest]:.2f} s"
            )
        _show(results)
        same = all(one.items == shared.items for one in results.values())
        more = [link for link in shared.sent if shared.sent[link] > shipped.sent.get(link, 0)]
        is_less = all(shared.total <= one.total for one in results.values())
        is_less &= name != "chapter 2" or 10 * shared.total <= shipped.total
        typer.echo(
            f"  answers are {'equal' if same else 'NOT equal'}; sharing sends "
            f"{shared.total / shipped.total:.3f} of data shipping's bytes; links with more: {more or 'none'}"
        )
        wrong |= not same or not is_less
    raise typer.Exit(1 if wrong else 0)


def _show(results: dict[str, Measured]) -> None:
    """Bytes by link, for the links that carry most."""
    links = sorted({link for one in results.values() for link in one.sent})
    largest = sorted(links, key=lambda link: -results["data shipping"].sent.get(link, 0))[:12]
    for link in largest:
        sent = "  ".join(f"{results[one].sent.get(link, 0):>12,}" for one in STRATEGIES)
        typer.echo(f"    {link[0]:>5} ── {link[1]:5} {sent}")


if __name__ == "__main__":
    try:
        typer.run(main)
    except QueryError as error:
        raise SystemExit(str(error)) from error
