"""A deployment while it is planned: streams as trees over peers, and what peers and links bear."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from slackwater.globe.model import (
    Deployment,
    Estimate,
    Flow,
    Network,
    PeerName,
    Properties,
    StreamId,
    Subscription,
    Task,
)
from slackwater.globe.plan.cost import Weights
from slackwater.globe.plan.estimate import of_published
from slackwater.globe.plan.index import Index
from slackwater.globe.split import raw


@dataclass(slots=True)
class Stream:
    """A stream and the peers that have it: a tree, from the peer that makes it along neighbours."""

    id: StreamId
    properties: Properties
    estimate: Estimate
    at: PeerName
    parents: dict[PeerName, PeerName | None] = field(default_factory=dict)
    """The peers that have it, and from whom."""
    children: dict[PeerName, list[PeerName]] = field(default_factory=dict)
    users: dict[PeerName, set[str]] = field(default_factory=dict)
    """What reads it at a peer: tasks, and subscriptions that are delivered."""


class State:
    """What runs, to be changed step by step."""

    def __init__(self, deployment: Deployment) -> None:
        self.network: Network = deployment.network
        self.published = {one.id: one for one in deployment.published}
        self.streams: dict[StreamId, Stream] = {}
        self.tasks: dict[str, Task] = {}
        self.subscriptions: dict[str, Subscription] = {}
        self.work: defaultdict[PeerName, float] = defaultdict(float)
        self.traffic: defaultdict[tuple[PeerName, PeerName], float] = defaultdict(float)
        self.reading: defaultdict[tuple[PeerName, StreamId], dict[str, None]] = defaultdict(dict)
        """The tasks of a peer by the streams that they read, in the order in which they came."""
        self.index = Index()
        for one in deployment.published:
            if one.kind == "stream":
                self._stream(one.id, raw(one), of_published(one), one.at)
        for task in deployment.tasks:
            self._stream(task.output, task.properties, task.estimate, task.at)
        for flow in deployment.flows:
            self.extend(flow.stream, flow.route)
        for task in deployment.tasks:
            self._run(task)
        for subscription in deployment.subscriptions:
            self.deliver(subscription)

    def deployment(self) -> Deployment:
        """The state as a record."""
        return Deployment(
            self.network,
            tuple(self.published.values()),
            tuple(self.tasks.values()),
            tuple(flow for stream in self.streams.values() for flow in flows(stream)),
            tuple(self.subscriptions.values()),
        )

    @property
    def fits(self) -> bool:
        """Whether no peer and no link is overloaded."""
        network = self.network
        return all(units <= network[peer].capacity for peer, units in self.work.items()) and all(
            used <= network.link(*ends).bandwidth for ends, used in self.traffic.items()
        )

    def cost(self, weights: Weights) -> float:
        """Shares of all links and peers that are in use, together."""
        traffic = sum(used / self.network.link(*ends).bandwidth for ends, used in self.traffic.items())
        work = sum(units / self.network[peer].capacity for peer, units in self.work.items())
        return weights.traffic * traffic + weights.work * work

    def unused(self, name: StreamId) -> StreamId:
        """The name, with a number if there is such a stream."""
        number, known = 1, name
        while known in self.streams:
            number += 1
            known = f"{name}-{number}"
        return known

    def add(self, task: Task) -> None:
        """Run a task, whose inputs its peer has, and have its output at its peer."""
        self._stream(task.output, task.properties, task.estimate, task.at)
        self._run(task)

    def change(self, task: Task) -> None:
        """Run a task over other inputs; its output is the same."""
        old = self.tasks[task.id]
        self._run(task)
        for name in old.inputs:
            if name not in task.inputs:
                self._unuse(name, task.at, task.id)
                del self.reading[task.at, name][task.id]
        self.work[task.at] -= old.estimate.work

    def extend(self, name: StreamId, route: tuple[PeerName, ...]) -> None:
        """Send a stream along a route that begins where it is."""
        stream = self.streams[name]
        for sender, receiver in pairwise(route):
            if receiver not in stream.parents:
                stream.parents[receiver] = sender
                stream.children.setdefault(sender, []).append(receiver)
                self.traffic[_ends(sender, receiver)] += stream.estimate.bytes_per_second

    def deliver(self, subscription: Subscription) -> None:
        """Deliver the result of a subscription, which its peer has."""
        self.subscriptions[subscription.id] = subscription
        self._use(subscription.result, subscription.at, f"→{subscription.id}")

    def drop(self, subscription: Subscription) -> None:
        """Take a subscription down, and everything that only it needs."""
        del self.subscriptions[subscription.id]
        self._unuse(subscription.result, subscription.at, f"→{subscription.id}")

    def uses(self, subscription: Subscription) -> set[StreamId]:
        """The streams that a subscription is computed from."""
        streams: set[StreamId] = set()
        waiting = [subscription.result]
        while waiting:
            name = waiting.pop()
            if name not in streams:
                streams.add(name)
                waiting += self.tasks[name].inputs if name in self.tasks else ()
        return streams

    def _stream(self, name: StreamId, properties: Properties, estimate: Estimate, at: PeerName) -> None:
        self.streams[name] = Stream(name, properties, estimate, at, {at: None})
        self.index.add(name, properties)

    def _run(self, task: Task) -> None:
        self.tasks[task.id] = task
        self.work[task.at] += task.estimate.work
        for name in task.inputs:
            self._use(name, task.at, task.id)
            self.reading[task.at, name][task.id] = None

    def _use(self, name: StreamId, peer: PeerName, user: str) -> None:
        self.streams[name].users.setdefault(peer, set()).add(user)

    def _unuse(self, name: StreamId, peer: PeerName, user: str) -> None:
        """Drop the tasks and flows that have no user left."""
        stream = self.streams[name]
        users = stream.users[peer]
        users.discard(user)
        if not users:
            del stream.users[peer]
        at: PeerName | None = peer
        while at is not None and at not in stream.users and not stream.children.get(at):
            sender = stream.parents[at]
            if sender is None:
                self._end(stream)
                return
            del stream.parents[at]
            stream.children[sender].remove(at)
            self.traffic[_ends(sender, at)] -= stream.estimate.bytes_per_second
            at = sender

    def _end(self, stream: Stream) -> None:
        task = self.tasks.get(stream.id)
        if task is None:
            return
        del self.tasks[task.id]
        del self.streams[stream.id]
        self.index.remove(stream.id, stream.properties)
        self.work[task.at] -= task.estimate.work
        for name in task.inputs:
            del self.reading[task.at, name][task.id]
            self._unuse(name, task.at, task.id)


def flows(stream: Stream) -> Iterator[Flow]:
    """The tree as routes, such that each link is in one of them."""
    starts = [stream.at]
    while starts:
        start = starts.pop(0)
        for receiver in stream.children.get(start, ()):
            route = [start, receiver]
            while below := stream.children.get(route[-1], ()):
                if len(below) > 1:
                    starts.append(route[-1])
                    break
                route.append(below[0])
            yield Flow(stream.id, tuple(route))


def _ends(a: PeerName, b: PeerName) -> tuple[PeerName, PeerName]:
    return (a, b) if a <= b else (b, a)
