"""Peers and the links between them: an overlay, in which data passes between neighbours only."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Literal

PeerName = str

CAPABILITIES = ("filter", "transform", "aggregate", "join", "query")
"""What peers can compute: super-peers everything, thin peers what they say."""

_CACHED = 1024
"""Peers whose distances are remembered: about as many as a backbone has."""


@dataclass(frozen=True, slots=True)
class Peer:
    """A device of the network. Thin peers publish and subscribe; super-peers also compute for others.

    A `subnet` stands for all peers of another subnet: streams begin there, and none passes through it.
    """

    name: PeerName
    kind: Literal["thin", "super", "subnet"] = "super"
    capacity: float = 1e6
    """Work that it can do, in units a second: a unit is about the work of comparing one item."""
    operators: frozenset[str] = frozenset(CAPABILITIES)
    subnet: str = ""


@dataclass(frozen=True, slots=True)
class Link:
    """Two neighbours, and how many bytes a second may pass between them."""

    a: PeerName
    b: PeerName
    bandwidth: float = 1e8

    @property
    def ends(self) -> tuple[PeerName, PeerName]:
        """Both ends, in the order of their names: the same for both directions."""
        return (self.a, self.b) if self.a <= self.b else (self.b, self.a)


@dataclass(frozen=True, slots=True)
class Network:
    """Peers and links. Routes have a minimal number of hops; equally short ones are in the order of names."""

    peers: tuple[Peer, ...]
    links: tuple[Link, ...]
    _peers: Mapping[PeerName, Peer] = field(init=False, repr=False, compare=False)
    _links: Mapping[tuple[PeerName, PeerName], Link] = field(init=False, repr=False, compare=False)
    _neighbours: Mapping[PeerName, tuple[PeerName, ...]] = field(init=False, repr=False, compare=False)
    _outside: frozenset[PeerName] = field(init=False, repr=False, compare=False)
    _distances: dict[PeerName, dict[PeerName, int]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        around: dict[PeerName, set[PeerName]] = {peer.name: set() for peer in self.peers}
        for link in self.links:
            around[link.a].add(link.b)
            around[link.b].add(link.a)
        for name, value in (
            ("_peers", {peer.name: peer for peer in self.peers}),
            ("_links", {link.ends: link for link in self.links}),
            ("_neighbours", {name: tuple(sorted(others)) for name, others in around.items()}),
            ("_outside", frozenset(peer.name for peer in self.peers if peer.kind == "subnet")),
            ("_distances", {}),
        ):
            object.__setattr__(self, name, value)

    def __contains__(self, name: object) -> bool:
        return name in self._peers

    def __getitem__(self, name: PeerName) -> Peer:
        return self._peers[name]

    def link(self, a: PeerName, b: PeerName) -> Link:
        """The link between two neighbours."""
        return self._links[(a, b) if a <= b else (b, a)]

    def are_neighbours(self, a: PeerName, b: PeerName) -> bool:
        """Whether data may pass from one to the other directly."""
        return ((a, b) if a <= b else (b, a)) in self._links

    def neighbours(self, name: PeerName) -> tuple[PeerName, ...]:
        """The peers that it is linked to, by name."""
        return self._neighbours[name]

    def distance(self, a: PeerName, b: PeerName) -> int | None:
        """The number of hops between two peers; `None` if no route joins them."""
        if a == b:
            return 0
        start, before = self._inwards(a, b)
        end, after = self._inwards(b, start)
        hops = self._hops(end).get(start)
        return None if hops is None else before + hops + after

    def routes(self, a: PeerName, b: PeerName, most: int = 16) -> tuple[tuple[PeerName, ...], ...]:
        """The routes from a to b with a minimal number of hops, at most so many."""
        if a == b:
            return ((a,),)
        if self.distance(a, b) is None:
            return ()
        start, _ = self._inwards(a, b)
        end, _ = self._inwards(b, start)
        head, tail = (a,) if start != a else (), (b,) if end != b else ()
        return tuple((*head, *middle, *tail) for middle in islice(self._walks(start, end), most))

    def without(self, dead: Collection[PeerName]) -> Network:
        """The network that is left when peers are gone."""
        return Network(
            tuple(peer for peer in self.peers if peer.name not in dead),
            tuple(link for link in self.links if link.a not in dead and link.b not in dead),
        )

    def _inwards(self, name: PeerName, towards: PeerName) -> tuple[PeerName, int]:
        """A peer with one neighbour is left through it: distances are then kept for the backbone only."""
        around = self._neighbours[name]
        is_leaf = len(around) == 1 and name != towards and around[0] not in self._outside
        return (around[0], 1) if is_leaf else (name, 0)

    def _walks(self, start: PeerName, end: PeerName) -> Iterator[tuple[PeerName, ...]]:
        hops = self._hops(end)
        stack: list[tuple[PeerName, ...]] = [(start,)]
        while stack:
            walk = stack.pop()
            if walk[-1] == end:
                yield walk
                continue
            left = hops[walk[-1]] - 1
            nearer = [
                name
                for name in self._neighbours[walk[-1]]
                if hops.get(name) == left and (name == end or name not in self._outside)
            ]
            stack += [(*walk, name) for name in reversed(nearer)]

    def _hops(self, end: PeerName) -> dict[PeerName, int]:
        """Hops to `end` from every peer that has more than one neighbour, and from its own neighbours."""
        known = self._distances.get(end)
        if known is not None:
            return known
        hops, waiting = {end: 0}, deque((end,))
        while waiting:
            name = waiting.popleft()
            for other in () if name in self._outside and name != end else self._neighbours[name]:
                if other not in hops and (len(self._neighbours[other]) > 1 or name == end):
                    hops[other] = hops[name] + 1
                    waiting.append(other)
        if len(self._distances) >= _CACHED:
            self._distances.pop(next(iter(self._distances)))
        self._distances[end] = hops
        return hops
