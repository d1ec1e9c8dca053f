"""Streams between subnets: found by their speakers, filtered where they come from, and taken down again."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from random import Random

import pytest

from slackwater.globe import plan
from slackwater.globe.compute.items import pack_records, unpack_records
from slackwater.globe.compute.make import computation
from slackwater.globe.model import Link, Peer, Published, Statistics, Subscription
from slackwater.globe.protocol.membership import Sizes, Times
from slackwater.globe.protocol.messages import Epoch
from slackwater.globe.protocol.node import Node
from slackwater.globe.protocol.store import MemoryStore
from slackwater.globe.simulate.scenario import SCHEMA
from slackwater.globe.simulate.world import World

STREAM = Published("s", "B2", "xml", SCHEMA, Statistics(10.0, 60.0), "/s/r")


def query(least: int) -> str:
    return f'<s>{{ for $r in stream("s")/s/r where $r/v > {least} return <a>{{$r/v}}</a> }}</s>'


class Chain:
    """Subnets of three super-peers and a thin peer each, linked in a row: A2 ─ B0, B2 ─ C0, …"""

    def __init__(
        self, *subnets: str, sizes: Sizes | None = None, borders: tuple[tuple[str, str], ...] = ()
    ) -> None:
        self.world = World(Random(0))
        self.stores: dict[str, MemoryStore] = {}
        self.sizes = sizes or Sizes()
        self.links: dict[str, list[Link]] = {}
        for subnet in subnets:
            for number in range(1, 4):
                self._link(f"{subnet}{number - 1}", f"{subnet}{number}")
        for a, b in borders or ((f"{one}2", f"{other}0") for one, other in pairwise(subnets)):
            self._link(a, b)
        for name in self.links:
            self.start(name)

    def _link(self, a: str, b: str) -> None:
        self.links.setdefault(a, []).append(Link(a, b))
        self.links.setdefault(b, [])

    def start(self, name: str) -> None:
        kind = "thin" if name.endswith("3") else "super"
        operators = frozenset({"transform"}) if kind == "thin" else Peer("").operators
        contacts = () if name.endswith("0") else (f"{name[0]}0",)
        store = self.stores.setdefault(name, MemoryStore())
        node = Node(
            Peer(name, kind, 1e6, operators), store, plan,
            lambda task, part: computation(task, part.published, part.ancestors, {}),
            tuple(self.links[name]), contacts, name, times=Times(), sizes=self.sizes,
        )  # fmt: skip
        self.world.start(node)

    def publish(self, stream: Published = STREAM) -> None:
        self.world.act(stream.at, lambda node: node.publish(stream, self.world.now))

    def subscribe(self, id: str, at: str, least: int) -> None:
        one = Subscription(id, at, "xquery", query(least))
        self.world.act(at, lambda node: node.subscribe(one, self.world.now))

    def append(self, edge: int, *values: int, at: str = "B2") -> None:
        records = [f"<r><t>{edge}</t><v>{value}</v><w>0</w></r>".encode() for value in values]
        epoch = Epoch(edge, pack_records(records))
        self.world.act(at, lambda node: node.append("s", epoch, self.world.now))

    def items(self, id: str) -> list[int]:
        epochs = self.world.delivered.get(id, [])
        items = [item.decode() for epoch in epochs for item in unpack_records(epoch.items)]
        return [int(item.removeprefix("<a><v>").removesuffix("</v></a>")) for item in items]

    def run(self, seconds: float) -> None:
        self.world.run(self.world.now + seconds)

    def parts(self) -> dict[str, set[str]]:
        """The streams of each peer."""
        return {name: set(node.worker.streams) for name, node in self.world.nodes.items()}

    def sent(self, sender: str, receiver: str) -> set[str]:
        """The streams that pass a link."""
        streams = self.world.nodes[sender].worker.streams.values()
        return {one.part.id for one in streams if receiver in one.part.downstream}


def test_a_subscription_reads_a_stream_of_another_subnet() -> None:
    chain = Chain("A", "B")
    chain.publish()
    chain.subscribe("q", "A3", 30)
    chain.run(30)
    chain.append(1, 10, 40, 50)
    chain.append(2, 60, 20)
    chain.run(10)
    assert chain.items("q") == [40, 50, 60]
    subnets = {node.membership.subnet for node in chain.world.nodes.values()}
    assert subnets == {"A0", "B0"}


def test_it_is_filtered_where_it_comes_from_and_passes_the_border_once() -> None:
    chain = Chain("A", "B")
    chain.publish()
    chain.run(10)
    chain.subscribe("q", "A3", 30)
    chain.run(20)
    (name,) = chain.sent("B0", "A2")
    chain.subscribe("p", "A1", 60)
    chain.run(20)
    assert chain.sent("B0", "A2") == {name}, "what p needs is contained in what flows for q"
    filters = [task.at for task in chain.world.nodes["B0"].speaker.deployment.tasks]  # type: ignore[union-attr]
    assert filters == ["B2"], "at the peer that publishes it"
    chain.append(1, 10, 40, 70)
    chain.run(10)
    assert (chain.items("q"), chain.items("p")) == ([40, 70], [70])


def test_it_passes_through_subnets_in_between() -> None:
    chain = Chain("A", "C", "D", "B")
    chain.publish()
    chain.subscribe("q", "A3", 30)
    chain.run(60)
    chain.append(1, 10, 40)
    chain.run(20)
    assert chain.items("q") == [40]
    assert chain.sent("C0", "A2") == chain.sent("D0", "C2") == chain.sent("B0", "D2")


def test_without_the_subscription_all_is_taken_down() -> None:
    chain = Chain("A", "C", "B")
    chain.publish()
    chain.subscribe("q", "A3", 30)
    chain.run(60)
    assert chain.sent("B0", "C2")
    chain.world.act("A3", lambda node: node.unsubscribe("q", chain.world.now))
    chain.run(60)
    left = {name: streams for name, streams in chain.parts().items() if streams}
    assert left == {"B2": {"s"}}


@pytest.mark.parametrize("dead", ["A0", "A2", "B0", "B1", "B2"])
def test_nothing_is_lost_or_doubled_when_a_peer_on_the_way_dies(dead: str) -> None:
    chain = Chain("A", "B")
    chain.publish()
    chain.subscribe("q", "A3", 30)
    chain.run(30)
    chain.append(1, 40, 10)
    chain.run(1)
    chain.world.kill(dead)
    if dead != "B2":
        chain.append(2, 50)
    chain.run(30)
    chain.start(dead)
    chain.run(1)
    chain.append(3, 60)
    chain.run(60)
    assert chain.items("q") == ([40, 60] if dead == "B2" else [40, 50, 60])


def test_a_subnet_that_splits_goes_on_with_streams_between_its_halves() -> None:
    chain = Chain("A", "B", sizes=Sizes(1, 3))
    chain.publish()
    chain.subscribe("q", "A3", 30)
    chain.append(1, 40)
    chain.run(60)
    assert len({node.membership.subnet for node in chain.world.nodes.values()}) == 4
    chain.append(2, 50, 10)
    chain.run(20)
    assert chain.items("q") == [40, 50]


def test_a_subnet_that_is_merged_with_another_keeps_its_subscriptions() -> None:
    chain = Chain("A", "B", sizes=Sizes(4, 16))
    chain.publish()
    chain.subscribe("q", "A3", 30)
    chain.run(30)
    chain.append(1, 40)
    chain.run(5)
    assert len({node.membership.subnet for node in chain.world.nodes.values()}) == 2
    chain.world.kill("A0")
    chain.append(2, 50)
    chain.run(90)
    assert {node.membership.subnet for node in chain.world.nodes.values()} == {"B0"}
    chain.append(3, 60)
    chain.run(20)
    assert chain.items("q") == [40, 50, 60]


def test_a_subnet_that_cannot_filter_sends_the_whole_stream() -> None:
    chain = Chain("A", "B", borders=(("B3", "A1"),))
    chain.publish(replace(STREAM, at="B3"))
    chain.subscribe("q", "A3", 30)
    chain.run(60)
    assert chain.sent("B3", "A1") == {"s"}
    chain.append(1, 10, 40, at="B3")
    chain.run(10)
    assert chain.items("q") == [40]


def test_a_stream_takes_another_way_when_a_subnet_in_between_cannot_send_it() -> None:
    ways = (("A2", "C0"), ("C3", "B0"), ("A0", "D0"), ("D3", "B1"))
    chain = Chain("A", "B", "C", "D", borders=ways)
    chain.publish()
    chain.subscribe("q", "A3", 30)
    chain.run(60)
    assert chain.sent("C0", "A2"), "C and D are equally near, and C is the first by name"
    for name in ("C1", "C2"):
        chain.world.kill(name)
    chain.append(1, 40)
    chain.run(120)
    assert chain.items("q") == [40]
    assert chain.sent("D0", "A0")
