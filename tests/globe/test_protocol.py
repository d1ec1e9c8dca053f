"""Delivery on a link, membership and messages, without a network."""

from __future__ import annotations

from random import Random

import pytest

from slackwater.base.diagnostic import EngineError
from slackwater.globe import plan
from slackwater.globe.compute.computation import START, Forward
from slackwater.globe.model import (
    Deployment,
    Estimate,
    Link,
    Network,
    Peer,
    Properties,
    Published,
    Range,
    Statistics,
    Subscription,
    Task,
)
from slackwater.globe.protocol import codec
from slackwater.globe.protocol.links import Limits, Outgoing
from slackwater.globe.protocol.membership import Sizes, Times
from slackwater.globe.protocol.messages import (
    Ack,
    Border,
    Data,
    Delivered,
    Delivery,
    Epoch,
    Knock,
    Message,
    Neighbour,
    Offer,
    Part,
    Resume,
    Seek,
    Send,
    StreamPart,
    Want,
)
from slackwater.globe.protocol.node import Node
from slackwater.globe.protocol.parts import parts_of
from slackwater.globe.protocol.store import MemoryLog, MemoryStore
from slackwater.globe.protocol.worker import Worker
from slackwater.globe.simulate.world import World

LIMITS = Limits(window=100, log=10_000, message=60, resend=1.0)


def log(*sizes: int) -> MemoryLog:
    made = MemoryLog()
    made.append([Epoch(edge, b"x" * size) for edge, size in enumerate(sizes, start=1)])
    return made


def edges(batch: tuple[int, list[Epoch]] | None) -> list[int]:
    return [] if batch is None else [epoch.edge for epoch in batch[1]]


def test_a_sender_stops_at_its_window_and_goes_on_when_it_is_acknowledged() -> None:
    out, stream = Outgoing(START, 1_000), log(20, 20, 20, 20)
    assert edges(out.next(stream, LIMITS, 0)) == [1]
    assert edges(out.next(stream, LIMITS, 0)) == [2]
    assert out.next(stream, LIMITS, 0) is None
    out.acknowledge(1, 1_000, 0.5)
    assert edges(out.next(stream, LIMITS, 0.5)) == [3]


def test_what_is_not_acknowledged_is_sent_again_after_a_while() -> None:
    out, stream = Outgoing(START, 1_000), log(20, 20)
    out.next(stream, LIMITS, 0)
    out.next(stream, LIMITS, 0)
    out.acknowledge(1, 1_000, 0.2)
    assert out.next(stream, LIMITS, 1.1) is None
    assert edges(out.next(stream, LIMITS, 1.3)) == [2]


def test_a_receiver_without_room_is_asked_again_and_not_flooded() -> None:
    out, stream = Outgoing(START, 0), log(20, 20, 20)
    assert out.next(stream, LIMITS, 0) is None
    assert edges(out.next(stream, LIMITS, 1)) == [1]
    assert out.next(stream, LIMITS, 1.5) is None


def test_an_epoch_larger_than_the_window_is_sent_alone() -> None:
    out, stream = Outgoing(START, 1_000), log(500, 10)
    assert edges(out.next(stream, LIMITS, 0)) == [1]
    assert out.next(stream, LIMITS, 0) is None


@pytest.fixture
def receiver() -> Worker:
    worker = Worker(MemoryStore(), lambda task, part: Forward())
    part = Part((StreamPart("s", "d", "up", ()),), deliveries=(Delivery("q", "s", START),))
    resumed = worker.install(part, frozenset(), 0)
    assert resumed == [Send("up", Resume("s", "d", START))]
    return worker


def data(after: int, *edges: int) -> Data:
    return Data("s", "d", after, tuple(Epoch(edge, b"x") for edge in edges))


def test_duplicates_are_dropped_and_acknowledged_again(receiver: Worker) -> None:
    first = receiver.receive("up", data(START, 1, 2), 0)
    assert [one.epoch.edge for one in first if isinstance(one, Delivered)] == [1, 2]
    again = receiver.receive("up", data(START, 1, 2), 0)
    assert [type(one).__name__ for one in again] == ["Send"]
    assert isinstance(again[0], Send)
    assert isinstance(again[0].message, Ack)
    assert again[0].message.position == 2
    overlapping = receiver.receive("up", data(1, 2, 3), 0)
    assert [one.epoch.edge for one in overlapping if isinstance(one, Delivered)] == [3]


def test_a_gap_is_not_taken(receiver: Worker) -> None:
    effects = receiver.receive("up", data(4, 5), 2)
    assert effects == [Send("up", Resume("s", "d", START))]
    assert receiver.receive("up", data(4, 5), 2.5) == []


def test_data_is_taken_only_from_the_neighbour_that_the_plan_names(receiver: Worker) -> None:
    assert receiver.receive("other", data(START, 1), 0) == []
    assert receiver.receive("up", Data("s", "of another plan", START, (Epoch(1),)), 0) == []


def test_an_epoch_is_committed_before_it_is_acknowledged(receiver: Worker) -> None:
    receiver.receive("up", data(START, 1, 2, 3), 0)
    reopened = Worker(receiver.store, receiver.make)
    part = Part((StreamPart("s", "d", "up", ()),), deliveries=(Delivery("q", "s", START),))
    assert reopened.install(part, frozenset(), 9) == [Send("up", Resume("s", "d", 3))]


def world(count: int, sizes: Sizes, seed: int = 0) -> World:
    made = World(Random(seed))
    for number in range(count):
        kind = "super" if number % 2 == 0 else "thin"
        peer = Peer(f"P{number}", kind, capacity=float(number))
        links = (Link(f"P{number}", f"P{number - 1}"),) if number else ()
        contacts = ("P0",) if number else ()
        made.start(
            Node(
                peer, MemoryStore(), plan, lambda task, part: Forward(), links, contacts, peer.name,
                times=Times(), sizes=sizes,
            )
        )  # fmt: skip
    return made


def subnets(of: World) -> dict[str, list[str]]:
    """The peers by the speaker that they follow."""
    speakers: dict[str, list[str]] = {}
    for name, node in of.nodes.items():
        speakers.setdefault(node.membership.speaker, []).append(name)
    return speakers


def test_the_super_peer_of_highest_rank_is_elected() -> None:
    made = world(7, Sizes())
    made.run(10)
    assert subnets(made).keys() == {"P0"}
    made.kill("P0")
    made.run(40)
    assert subnets(made).keys() == {"P6"}
    made.kill("P6")
    made.run(80)
    assert subnets(made).keys() == {"P4"}


def test_a_subnet_splits_when_it_is_large_and_merges_when_it_is_small() -> None:
    made = world(12, Sizes(least=3, most=8))
    made.run(60)
    apart = subnets(made)
    assert len(apart) == 2
    assert all(speaker in members for speaker, members in apart.items())
    assert sorted(map(len, apart.values())) == [6, 6]
    speaker, members = next(item for item in apart.items() if item[0] != "P0")
    for name in [name for name in members if name != speaker][:4]:
        made.kill(name)
    made.run(160)
    assert len(subnets(made)) == 1


def test_the_parts_of_a_divided_network_find_together() -> None:
    made = world(6, Sizes())
    made.run(10)
    made.divide({f"P{number}": number // 3 for number in range(6)})
    made.run(60)
    assert len(subnets(made)) == 2
    made.divide({})
    made.run(120)
    assert len(subnets(made)) == 1


MESSAGES: list[Message] = [
    Resume("vela", "0a", 7),
    Data("vela", "0a", 7, (Epoch(8, b"\x00\xff"), Epoch(9))),
    Ack("vela", "0a", 9, 100),
    Knock(Neighbour("A", "SP1", "host:1", 7), ("SP2",)),
    Border(
        Neighbour("A", "SP1", "host:1", 7), 3, (Link("SP1", "SP2"),), (("SP1", "host:1"),),
        (Seek("photons", ("C", "A")),),
        (Offer(Published("s", "P", "xml", "<!ELEMENT s ANY>", Statistics(1, 2), "/s/r"), ("A", "D"), 4),),
        (Want("photons@0a", Properties("photons", "xml", (("ra", Range(1.5)),)), "SP2", "SP1"),), ("s",), "f",
    ),
]  # fmt: skip


@pytest.mark.parametrize("message", MESSAGES)
def test_messages_are_the_same_after_json(message: Message) -> None:
    assert codec.unpack(codec.pack(message)) == message


def test_a_profile_is_the_same_after_json() -> None:
    node = Node(
        Peer("P", "thin", 3.0, frozenset({"filter"})), MemoryStore(), plan, lambda task, part: Forward()
    )
    node.publish(Published("s", "P", "xml", "<!ELEMENT s ANY>", Statistics(1, 2), "/s/r"), 0)
    node.subscribe(Subscription("q", "P", "xquery", "for …"), 1.5)
    assert codec.decode(type(node.profile), codec.encode(node.profile)) == node.profile


@pytest.mark.parametrize(
    "content",
    [b"", b"[]", b"{", b'{"type":"Nothing"}', b'{"type":"Resume","stream":"s","digest":"d"}',
     b'{"type":"Resume","stream":"s","digest":"d","after":1,"more":2}',
     b'{"type":"Resume","stream":"s","digest":"d","after":"1"}',
     b'{"type":"Data","stream":"s","digest":"d","after":1,"epochs":[{"edge":1,"items":"?"}]}', b"[" * 10_000],
)  # fmt: skip
def test_what_is_no_message_is_refused(content: bytes) -> None:
    with pytest.raises(EngineError, match="bad-message"):
        codec.unpack(content)


def test_circles_are_refused() -> None:
    properties, nothing = Properties("s", "xml"), Estimate(0, 0)
    tasks = [
        Task(one, "P", "forward", "", (other,), one, properties, nothing) for one, other in ("ab", "bc", "ca")
    ]
    deployment = Deployment(Network((Peer("P"),), ()), tasks=tuple(tasks))
    with pytest.raises(EngineError, match="cyclic-stream"):
        parts_of(deployment, {})
    with pytest.raises(EngineError, match="self-link"):
        Node(Peer("P"), MemoryStore(), plan, lambda task, part: Forward(), (Link("P", "P"),))
