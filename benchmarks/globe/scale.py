"""Ten thousand peers and a hundred thousand subscriptions in simulated time, with deaths and a partition.

$ python -m benchmarks.globe.scale --peers 10000 --subscriptions 100000

Every subnet has a stream and its own speaker, and links to the next one. Peers subscribe to it with queries
that overlap, and some to the stream of the next subnet; some die, some come back, one in ten speakers with
them, and for a while the network is divided. In the end every living subscriber must have all items.
"""

from __future__ import annotations

import time
from random import Random
from typing import Annotated

import typer

from slackwater.globe import plan
from slackwater.globe.compute.computation import Computation
from slackwater.globe.compute.items import pack_records, unpack_records
from slackwater.globe.compute.make import computation
from slackwater.globe.model import Link, Peer, Published, Statistics, Subscription, Task
from slackwater.globe.protocol.membership import Times
from slackwater.globe.protocol.messages import Epoch, Part
from slackwater.globe.protocol.node import Node
from slackwater.globe.protocol.store import MemoryStore
from slackwater.globe.simulate.scenario import SCHEMA
from slackwater.globe.simulate.world import Faults, World

SIZE = 100
"""Peers in a subnet."""
ACROSS = 0.02
"""The part of the subscriptions that read the stream of the next subnet."""
TIMES = Times(beat=5.0)


class Subnet:
    """A tree of super-peers with thin peers at them; the first one publishes.

    Two of its super-peers are linked to two of the next subnet.
    """

    def __init__(self, world: World, number: int, count: int, subscriptions: int, random: Random) -> None:
        self.world, self.number, self.random = world, number, random
        self.next = (number + 1) % count
        self.names = [f"{number}.{place}" for place in range(SIZE)]
        self.supers = self.names[: SIZE // 10]
        self.nodes = {name: self._node(place, name) for place, name in enumerate(self.names)}
        self.source = self.names[0]
        stream = Published(f"s{number}", self.source, "xml", SCHEMA, Statistics(1.0, 60.0), "/s/r")
        self.nodes[self.source].publish(stream, 0.0)
        self.queries: dict[str, tuple[str, int, int]] = {}
        for place in range(subscriptions):
            self._subscribe(f"q{number}.{place}", random.choice(self.names))
        self.items: list[int] = []

    def _node(self, place: int, name: str) -> Node:
        near = [] if not place else [self.random.choice(self.supers[: max(1, min(place, len(self.supers)))])]
        if place in (1, 2) and self.next != self.number:
            near.append(f"{self.next}.{place + 2}")
        links = tuple(Link(name, other, 1e9) for other in near if other != name)
        peer = Peer(
            name, "super" if name in self.supers else "thin", 1e8 if place < len(self.supers) else 1e5
        )
        contacts = () if not place else (self.names[0],)
        return Node(
            peer, MemoryStore(), plan, _make, links, contacts, name, times=TIMES
        )  # fmt: skip

    def _subscribe(self, id: str, at: str) -> None:
        least = self.random.randrange(10, 90, 10)
        source = self.next if self.random.random() < ACROSS else self.number
        text = f'<s>{{ for $r in stream("s{source}")/s/r where $r/v > {least} return <a>{{$r/v}}</a> }}</s>'
        self.queries[id] = (at, least, source)
        self.nodes[at].subscribe(Subscription(id, at, "xquery", text), 0.0)

    def publish(self, edge: int) -> None:
        values = [self.random.randrange(100) for _ in range(3)]
        records = [f"<r><t>{edge}</t><v>{value}</v><w>0</w></r>".encode() for value in values]
        self.items += values
        node, now = self.world.nodes[self.source], self.world.now
        self.world.take(self.source, node.append(f"s{self.number}", Epoch(edge, pack_records(records)), now))

    def wrong(self, subnets: list[Subnet]) -> int:
        """How many living subscriptions do not have exactly their items."""
        count = 0
        for id, (at, least, source) in self.queries.items():
            items = subnets[source].items
            expected = [f"<a><v>{value}</v></a>".encode() for value in items if value > least]
            epochs = self.world.delivered.get(id, [])
            actual = [item for epoch in epochs for item in unpack_records(epoch.items)]
            count += at in self.world.nodes and actual != expected
        return count


def _make(task: Task, part: Part) -> Computation:
    return computation(task, part.published, part.ancestors, {})


def main(
    peers: Annotated[int, typer.Option(help="How many peers.")] = 10_000,
    subscriptions: Annotated[int, typer.Option(help="How many subscriptions.")] = 100_000,
    seed: Annotated[int, typer.Option(help="Other networks, other deaths.")] = 0,
) -> None:
    """Simulate a large network."""
    random, begin = Random(seed), time.process_time()
    world = World(random, Faults(lost=0.001, delay=0.5), tick=5.0)
    count = peers // SIZE
    subnets = [Subnet(world, number, count, subscriptions // count, random) for number in range(count)]
    for subnet in subnets:
        for node in subnet.nodes.values():
            world.at(random.uniform(0, 5), lambda node=node: world.start(node))  # type: ignore[misc]
    _step(world, 60, "all have joined", begin)
    for edge in (1, 2):
        for subnet in subnets:
            subnet.publish(edge)
    thins = [name for subnet in subnets for name in subnet.names[SIZE // 10 :]]
    for_good = random.sample(thins, len(thins) // 100)
    for_a_while = [random.choice(subnet.supers[1:]) for subnet in subnets[::2]]
    for_a_while += [subnet.source for subnet in subnets[1::10]]
    nodes = {name: node for subnet in subnets for name, node in subnet.nodes.items()}
    for name in (*for_good, *for_a_while):
        world.kill(name)
    _step(world, 90, f"{len(for_good) + len(for_a_while)} peers have died", begin)
    world.divide({name: random.randrange(2) for name in nodes})
    _step(world, 100, "the network was divided for ten seconds", begin)
    world.divide({})
    for name in for_a_while:
        world.start(nodes[name])
    for subnet in subnets:
        subnet.publish(3)
    _step(world, 220, "super-peers have come back", begin)
    wrong = sum(subnet.wrong(subnets) for subnet in subnets)
    every = [(one.number, source) for one in subnets for _, _, source in one.queries.values()]
    across = sum(number != source for number, source in every)
    typer.echo(
        f"{len(every):,} subscriptions, {across:,} of them to another subnet; {wrong} with wrong answers"
    )
    raise typer.Exit(1 if wrong else 0)


def _step(world: World, until: float, what: str, begin: float) -> None:
    world.run(until)
    seconds = time.process_time() - begin
    typer.echo(f"{until:4.0f} s simulated, {seconds:7.1f} s of CPU, {world.messages:,} messages: {what}")


if __name__ == "__main__":
    typer.run(main)
