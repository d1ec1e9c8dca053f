"""Peers on a simulated network: messages are late, lost, doubled and out of order; peers die and come back.

The same seed gives the same run.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import count
from random import Random

from slackwater.globe.model import PeerName
from slackwater.globe.protocol.messages import Delivered, Effect, Epoch, Message, Reported, Send
from slackwater.globe.protocol.node import Node

Action = Callable[[float], Iterable[Effect]]


@dataclass(frozen=True, slots=True)
class Faults:
    """How bad the network is: chances for each message, and the longest delay in seconds."""

    lost: float = 0.0
    doubled: float = 0.0
    delay: float = 0.2


@dataclass(slots=True)
class World:
    """All peers, the time, and the messages under way."""

    random: Random
    faults: Faults = field(default_factory=Faults)
    tick: float = 0.5
    now: float = 0.0
    nodes: dict[PeerName, Node] = field(default_factory=dict)
    delivered: dict[str, list[Epoch]] = field(default_factory=dict)
    """What each subscription got, in order, over all lives of its peer."""
    reports: list[Reported] = field(default_factory=list)
    messages: int = 0
    on_change: Callable[[Node], None] = lambda node: None
    _groups: dict[PeerName, int] = field(default_factory=dict)
    """During a partition: messages pass only inside a group."""
    _events: list[tuple[float, int, Callable[[], None]]] = field(default_factory=list)
    _numbers: count[int] = field(default_factory=count)
    _lives: dict[PeerName, int] = field(default_factory=dict)

    def at(self, time: float, action: Callable[[], None]) -> None:
        """Do something at a time."""
        heapq.heappush(self._events, (time, next(self._numbers), action))

    def run(self, until: float) -> None:
        """Let time pass."""
        while self._events and self._events[0][0] <= until:
            self.now, _, action = heapq.heappop(self._events)
            action()
        self.now = until

    def start(self, node: Node) -> None:
        """A peer begins, or comes back with what it has stored."""
        name = node.peer.name
        self.nodes[name] = node
        life = self._lives[name] = self._lives.get(name, 0) + 1
        self.take(name, node.start(self.now))

        def beat() -> None:
            if self._lives[name] == life and name in self.nodes:
                self.take(name, self.nodes[name].tick(self.now))
                self.at(self.now + self.tick, beat)

        self.at(self.now + self.tick * self.random.random(), beat)

    def kill(self, name: PeerName) -> None:
        """A peer dies, without a word."""
        self.nodes.pop(name, None)

    def divide(self, groups: dict[PeerName, int]) -> None:
        """Messages pass only inside groups, until `divide({})`."""
        self._groups = groups

    def act(self, name: PeerName, action: Callable[[Node], Iterable[Effect]]) -> None:
        """The user of a peer does something, if the peer is alive."""
        node = self.nodes.get(name)
        if node is not None:
            self.take(name, action(node))

    def take(self, name: PeerName, effects: Iterable[Effect]) -> None:
        """Carry out the effects of a peer."""
        for effect in effects:
            if isinstance(effect, Send):
                self._send(name, effect)
            elif isinstance(effect, Delivered):
                self.delivered.setdefault(effect.subscription, []).append(effect.epoch)
            else:
                self.reports.append(effect)
        if name in self.nodes:
            self.on_change(self.nodes[name])

    def _send(self, sender: PeerName, effect: Send) -> None:
        self.messages += 1
        copies = 1 + (self.random.random() < self.faults.doubled)
        for _ in range(copies):
            if self.random.random() >= self.faults.lost:
                delay = self.faults.delay * self.random.random() ** 2
                self.at(self.now + delay, lambda: self._arrive(sender, effect.to, effect.message))

    def _arrive(self, sender: PeerName, receiver: PeerName, message: Message) -> None:
        node = self.nodes.get(receiver)
        if node is not None and self._groups.get(sender) == self._groups.get(receiver):
            self.take(receiver, node.handle(sender, message, self.now))
