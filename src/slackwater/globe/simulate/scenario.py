"""A random network with random subscriptions and faults, from a seed; and what must be true at its end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from random import Random

from slackwater.globe import plan
from slackwater.globe.compute.computation import START, Computation
from slackwater.globe.compute.items import pack_records, unpack_records
from slackwater.globe.compute.make import computation
from slackwater.globe.model import (
    Estimate,
    Network,
    PeerName,
    Properties,
    Published,
    Statistics,
    Subscription,
    Task,
)
from slackwater.globe.protocol.links import Limits
from slackwater.globe.protocol.membership import Times
from slackwater.globe.protocol.messages import Epoch, Part
from slackwater.globe.protocol.node import Node
from slackwater.globe.protocol.store import MemoryLog, MemoryStore
from slackwater.globe.protocol.worker import source_key
from slackwater.globe.simulate.networks import Layout, Size, layout_of
from slackwater.globe.simulate.world import Faults, World

SCHEMA = "<!ELEMENT s (r*)> <!ELEMENT r (t, v, w)>" + "".join(
    f"<!ELEMENT {name} (#PCDATA)>" for name in "tvw"
)
STATISTICS = Statistics(10.0, 60.0)
QUERIES = (
    '<s>{{ for $r in stream("{0}")/s/r where $r/v > 30 return <a>{{$r/v}}</a> }}</s>',
    '<s>{{ for $r in stream("{0}")/s/r where $r/v > 30 and $r/w < 50 return <b>{{$r/v}} {{$r/w}}</b> }}</s>',
    '<s>{{ for $r in stream("{0}")/s/r where $r/v > 60 return <c>{{$r/t}}</c> }}</s>',
    '<s>{{ for $r in stream("{0}")/s/r where $r/w < 80 and $r/w > 20 return <d>{{$r/w}}</d> }}</s>',
    '<s>{{ for $r in stream("{0}")/s/r return <e>{{$r/v}}</e> }}</s>',
)
WINDOWS = (
    '<s>{{ for $x in stream("{0}")/s/r[v > 30]|t diff 4 step 2| return <f>{{count($x)}}</f> }}</s>',
    '<s>{{ for $x in stream("{0}")/s/r|t diff 6 step 3| return <g>{{sum($x/v)}}</g> }}</s>',
)
"""Queries with state, which take longer to compute."""


class Violation(AssertionError):
    """An invariant does not hold."""


@dataclass(slots=True)
class Scenario:
    """One run of a random network."""

    seed: int
    size: Size = field(default_factory=Size)
    random: Random = field(init=False)
    world: World = field(init=False)
    layout: Layout = field(init=False)
    network: Network = field(init=False)
    stores: dict[PeerName, MemoryStore] = field(default_factory=dict)
    sources: dict[str, Published] = field(default_factory=dict)
    subscriptions: dict[str, Subscription] = field(default_factory=dict)
    dead: set[PeerName] = field(default_factory=set)
    """Peers that died for good, or left."""

    def __post_init__(self) -> None:
        self.random = random = Random(self.seed)
        faults = Faults(random.choice((0, 0, 0.05, 0.2)), random.choice((0, 0.1)), random.choice((0.05, 0.5)))
        self.world = World(random, faults, on_change=_check_flows)
        self.layout = layout_of(random, self.size)
        self.network = self.layout.network

    def run(self) -> None:
        """Let it happen, then check; raises Violation."""
        for number, peer in enumerate(self.network.peers):
            self.world.at(number and self.random.uniform(0, 3), partial(self._start, peer.name))
        self._plan_streams()
        self._plan_subscriptions()
        for _ in range(self.random.randrange(self.size.faults + 1)):
            self._plan_fault(self.random.uniform(15, self.size.seconds * 0.8))
        self.world.run(self.size.seconds)
        self._heal()
        self.world.run(self.size.seconds + self.size.quiet)
        self.check()

    def _start(self, name: PeerName) -> None:
        peer, store = self.network[name], self.stores.setdefault(name, MemoryStore())
        links = tuple(link for link in self.network.links if name in link.ends)
        contacts = self.layout.contacts[name]
        self.world.start(
            Node(
                peer, store, plan, _make, links, contacts, name, Limits(snapshot=3, log=2_000, message=400),
                Times(), self.layout.sizes,
            )
        )  # fmt: skip

    # What happens.

    def _plan_streams(self) -> None:
        for number in range(self.random.randrange(1, 3)):
            at = self.random.choice(self.network.peers).name
            stream = Published(f"s{number}", at, "xml", SCHEMA, STATISTICS, "/s/r")
            self.sources[stream.id] = stream
            self.world.at(self.random.uniform(0, 10), partial(self._publish, stream))
            for edge in range(1, self.random.randrange(2, self.size.epochs)):
                time = 10 + edge * self.size.seconds / self.size.epochs * self.random.random()
                self.world.at(time, partial(self._append, stream))

    def _publish(self, stream: Published) -> None:
        self._insist(stream.at, lambda node: node.publish(stream, self.world.now))

    def _append(self, stream: Published) -> None:
        def append(node: Node) -> Iterator[object]:
            edge = max(node.position(stream.id), 0) + 1
            records = [self._record(edge) for _ in range(self.random.randrange(4))]
            return iter(node.append(stream.id, Epoch(edge, pack_records(records)), self.world.now))

        self._insist(stream.at, append)

    def _record(self, edge: int) -> bytes:
        v, w = self.random.randrange(100), self.random.randrange(100)
        return f"<r><t>{edge}</t><v>{v}</v><w>{w}</w></r>".encode()

    def _insist(self, name: PeerName, action: Callable[[Node], object]) -> None:
        """Do it when the peer is alive; never, if it is dead for good."""
        if name in self.world.nodes:
            self.world.act(name, action)  # type: ignore[arg-type]
        elif name not in self.dead:
            self.world.at(self.world.now + 1, partial(self._insist, name, action))

    def _plan_subscriptions(self) -> None:
        texts = QUERIES + (WINDOWS if self.size.windows else ())
        for number in range(self.random.randrange(1, self.size.subscriptions + 1)):
            at = self.random.choice(self.network.peers).name
            text = self.random.choice(texts).format(self.random.choice(sorted(self.sources)))
            one = Subscription(f"q{number}", at, "xquery", text)
            self.subscriptions[one.id] = one
            time = self.random.uniform(0, self.size.seconds * 0.7)
            self.world.at(time, partial(self._subscribe, one))

    def _subscribe(self, one: Subscription) -> None:
        self._insist(one.at, lambda node: node.subscribe(one, self.world.now, START))

    def _plan_fault(self, time: float) -> None:
        name = self.random.choice(self.network.peers).name
        lasting = self.random.uniform(0.5, 20)
        match self.random.randrange(5):
            case 0 | 1:
                self.world.at(time, partial(self.world.kill, name))
                self.world.at(time + lasting, partial(self._come_back, name))
            case 2:
                self.world.at(time, partial(self._die, name))
            case 3:
                groups = {peer.name: self.random.randrange(2) for peer in self.network.peers}
                self.world.at(time, partial(self.world.divide, groups))
                self.world.at(time + lasting, partial(self.world.divide, {}))
            case 4:
                self.world.at(time, partial(self._leave, name))

    def _come_back(self, name: PeerName) -> None:
        if name not in self.dead and name not in self.world.nodes:
            self._start(name)

    def _die(self, name: PeerName) -> None:
        self.dead.add(name)
        self.world.kill(name)

    def _leave(self, name: PeerName) -> None:
        self.world.act(name, lambda node: node.leave())
        self._die(name)

    def _heal(self) -> None:
        self.world.divide({})
        self.world.faults = Faults(delay=self.world.faults.delay)
        for peer in self.network.peers:
            self._come_back(peer.name)

    # What must be true.

    def check(self) -> None:
        """No subscriber loses or doubles an item; peers that are connected have one speaker."""
        for one in self.subscriptions.values():
            self._check_items(one)
        if self.size.shape != "one":
            self._check_subnets()
            return
        speakers = {node.membership.speaker for node in self.world.nodes.values()}
        if not any(node.membership.me.is_super for node in self.world.nodes.values()):
            return
        self._ensure(len(speakers) <= 1 and speakers <= self.world.nodes.keys(), f"speakers are {speakers}")

    def _check_items(self, one: Subscription) -> None:
        delivered = self.world.delivered.get(one.id, [])
        edges = [epoch.edge for epoch in delivered]
        self._ensure(edges == sorted(set(edges)), f"{one.id} got the edges {edges}")
        source = self.sources[one.text.split('"')[1]]
        expected = self._expected(one, source)
        items = [item for epoch in delivered for item in unpack_records(epoch.items)]
        self._ensure(items == expected[: len(items)], f"{one.id} got {items} instead of {expected}")
        if self._is_connected(one.at, source.at) and not self._is_beyond_means(one):
            self._ensure(items == expected, f"{one.id} lost items: {items} instead of {expected}")

    def _is_connected(self, a: PeerName, b: PeerName) -> bool:
        """Whether both live, a super-peer lives to plan, and living peers join them."""
        supers = {peer.name for peer in self.network.peers if peer.kind == "super"}
        if {a, b} & self.dead or supers <= self.dead:
            return False
        alive = self.network.without([peer.name for peer in self.network.peers if peer.name in self.dead])
        return alive.distance(a, b) is not None and self._are_whole(alive)

    def _are_whole(self, alive: Network) -> bool:
        """Whether the living peers of each subnet are connected among themselves, and have a speaker."""
        subnets: dict[str, list[PeerName]] = {}
        for name, node in self.world.nodes.items():
            subnets.setdefault(node.membership.subnet, []).append(name)
            if node.membership.speaker not in self.world.nodes:
                return False
        for members in subnets.values():
            own = alive.without([peer.name for peer in alive.peers if peer.name not in members])
            if any(own.distance(members[0], name) is None for name in members):
                return False
        return True

    def _check_subnets(self) -> None:
        """Every peer that knows a living super-peer has a speaker; a subnet has one."""
        nodes = self.world.nodes
        speakers: dict[str, set[PeerName]] = {}
        for name, node in nodes.items():
            member = node.membership
            known = {*self.layout.contacts[name], *member.members} & nodes.keys()
            if any(nodes[one].membership.me.is_super for one in known):
                is_led = member.speaker in nodes and nodes[member.speaker].membership.is_speaker
                self._ensure(is_led, f"{name} follows {member.speaker!r}")
                speakers.setdefault(member.subnet, set()).add(member.speaker)
        wrong = {subnet: sorted(some) for subnet, some in speakers.items() if len(some) > 1}
        self._ensure(not wrong, f"speakers are {wrong}")

    def _is_beyond_means(self, one: Subscription) -> bool:
        """Whether the planner knows no peer that could compute it."""
        speakers = [node.speaker for node in self.world.nodes.values() if node.speaker is not None]
        return any("[beyond-means]" in speaker.failures.get(one.id, "") for speaker in speakers)

    def _expected(self, one: Subscription, source: Published) -> list[bytes]:
        """The answer to the whole stream in one task."""
        log = self.stores[source.at].logs.get(source_key(source.id), MemoryLog())
        task = Task(
            "t", "", "xquery", one.text, (source.id,), "t", Properties(source.id, "xml"), Estimate(0, 0)
        )
        running, items, before = _make(task, Part()), list[bytes](), START
        for epoch in log.epochs:
            items += unpack_records(running.epoch({source.id: [epoch.items]}, before, epoch.edge))
            before = epoch.edge
        return items

    def _ensure(self, is_true: bool, what: str) -> None:
        if not is_true:
            raise Violation(f"seed {self.seed}: {what}")


def _check_flows(node: Node) -> None:
    """A stream passes a link at most once, and reaches a peer from one side only."""
    if node.speaker is None or node.speaker.deployment is _CHECKED.get(node.peer.name):
        return
    deployment = _CHECKED[node.peer.name] = node.speaker.deployment
    links = [(flow.stream, *pair) for flow in deployment.flows for pair in flow.links]
    receivers = [(stream, receiver) for stream, _, receiver in links]
    if len(set(receivers)) != len(receivers):
        raise Violation(f"a stream passes a link twice: {sorted(links)}")


_CHECKED: dict[PeerName, object] = {}


def _make(task: Task, part: Part) -> Computation:
    return computation(task, part.published, part.ancestors, {})
