"""The speaker of a subnet: it plans for the wishes of all members and hands every peer its part.

    profiles ─► network, published streams, wishes ─► planner ─► deployment ─► parts ─► Install

All that it knows it has from the members. A plan may be replaced at any time: readers keep their positions.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from slackwater.base.diagnostic import SlackwaterError
from slackwater.globe.model import Deployment, Network, PeerName, Published, StreamId, Subscription
from slackwater.globe.network import Link
from slackwater.globe.protocol import problems
from slackwater.globe.protocol.borders import NOTHING, Outside
from slackwater.globe.protocol.crossing import crossed, exports, wants_of, wish_of, with_subnets
from slackwater.globe.protocol.messages import (
    NOW,
    Effect,
    Install,
    Part,
    Profile,
    Send,
    Version,
    Want,
    Wish,
)  # fmt: skip
from slackwater.globe.protocol.parts import Definitions, parts_of
from slackwater.globe.split import sources_of


class Planner(Protocol):
    """A deployment that changes: it decides what runs where."""

    @property
    def deployment(self) -> Deployment: ...
    def register(self, subscription: Subscription, /) -> Any:
        """Add a subscription; QueryError where it cannot be answered. Gives the explanation."""

    def unregister(self, name: str, /) -> None: ...
    def without(self, peer: PeerName, /) -> object:
        """Go on without a peer, and without the subscriptions that are lost with it."""


class Planning(Protocol):
    """How planners begin, and how all of a deployment is planned anew."""

    def Planner(self, deployment: Deployment, /) -> Planner: ...
    def reoptimize(self, deployment: Deployment, /) -> Deployment: ...


EMPTY = Deployment(Network((), ()))


@dataclass(slots=True)
class Speaker:
    """Plans and hands out; begins empty with each term."""

    planning: Planning
    name: PeerName
    subnet: str
    term: int
    local: dict[StreamId, Published] = field(default_factory=dict)
    """The streams that members publish."""
    foreign: set[StreamId] = field(default_factory=set)
    """What is read here and published by no member."""
    wants: dict[str, tuple[Want, ...]] = field(default_factory=dict)
    """What the plan takes from other subnets."""
    refusals: dict[str, tuple[StreamId, ...]] = field(default_factory=dict)
    """What other subnets want and no peer here can compute."""
    shape: str = ""
    """A name for the peers and links that plans are made for."""
    failures: dict[str, str] = field(default_factory=dict)
    """Why wishes cannot be fulfilled."""
    explanations: dict[str, Any] = field(default_factory=dict)
    """How subscriptions were placed."""
    versions: dict[PeerName, Version] = field(default_factory=dict)
    positions: dict[StreamId, int] = field(default_factory=dict)
    """The last edges of published streams, as far as is known."""
    _parts: dict[PeerName, Part] = field(default_factory=dict)
    _wishes: dict[str, Wish] = field(default_factory=dict)
    _starts: dict[str, int] = field(default_factory=dict)
    _basis: tuple[Any, ...] = ()
    number: int = 0
    """Counts the plans."""
    _outside: Outside = NOTHING
    deployment: Deployment = EMPTY
    _planner: Planner = field(init=False)

    def __post_init__(self) -> None:
        self._planner = self.planning.Planner(self.deployment)

    def plan(self, profiles: Mapping[PeerName, Profile], outside: Outside = NOTHING) -> list[Send]:
        """Bring the deployment in line with what the members are and want; hand out what has changed."""
        network, published = network_of(profiles), _published(profiles)
        wishes = {wish.subscription.id: wish for profile in profiles.values() for wish in profile.wishes}
        wishes |= {id: wish_of(id, want) for id, (_, want) in exports(outside).items()}
        self.local = {one.id: one for one in published if one.kind == "stream"}
        self.foreign = {
            name for wish in wishes.values() for name in sources_of(wish.subscription)
        } - self.local.keys()
        network, published = with_subnets(network, published, outside, self.foreign)
        basis = (network.peers, network.links, published, tuple(sorted(wishes.items(), key=_first)), outside)
        if basis == self._basis:
            return []
        self._basis, self._outside = basis, outside
        if (network, published) != (self.deployment.network, self.deployment.published):
            self._move(network, published)
        registered = {one.id for one in self.deployment.subscriptions}
        for ended in self._wishes.keys() - wishes.keys():
            self.failures.pop(ended, None)
            self._starts.pop(ended, None)
            if ended in registered:
                self._planner.unregister(ended)
        self._wishes = wishes
        self._register(wishes)
        self.deployment = self._planner.deployment
        self.refusals = self._refusals()
        return self._hand_out()

    def _refusals(self) -> dict[str, tuple[StreamId, ...]]:
        refused: dict[str, tuple[StreamId, ...]] = {}
        for id, (subnet, want) in exports(self._outside).items():
            if "[beyond-means]" in self.failures.get(id, ""):
                refused[subnet] = (*refused.get(subnet, ()), want.stream)
        return refused

    def _move(self, network: Network, published: tuple[Published, ...]) -> None:
        """Plan on another network: what is still possible stays, the rest is planned again."""
        self.failures.clear()
        self.shape = hashlib.sha256(repr((network.peers, network.links)).encode()).hexdigest()[:12]
        for peer in self.deployment.network.peers:
            if peer.name not in network:
                self._planner.without(peer.name)
        deployment = self._planner.deployment
        left = deployment.network
        is_larger = set(left.peers) <= set(network.peers) and set(left.links) <= set(network.links)
        if is_larger and set(deployment.published) <= set(published):
            self.deployment = replace(deployment, network=network, published=published)
        else:
            self.deployment = Deployment(network, published)
        self._planner = self.planning.Planner(self.deployment)

    def _register(self, wishes: Mapping[str, Wish]) -> None:
        """Register what is not yet, in the order in which it was wished."""
        known = {one.id for one in self.deployment.subscriptions}
        for id, wish in sorted(wishes.items(), key=lambda item: (item[1].order, item[0])):
            if id in known or id in self.failures:
                continue
            try:
                self.explanations[id] = self._planner.register(wish.subscription)
            except SlackwaterError as error:
                self.failures[id] = str(error.diagnostics[0])
            except Exception as error:
                # What others have published and wished must not stop the speaker.
                self.failures[id] = str(problems.CANNOT_PLAN.at(name=id, why=error))

    def reoptimize(self) -> list[Send]:
        """Plan everything anew, and switch to that if it is cheaper."""
        self.deployment = self.planning.reoptimize(self.deployment)
        self._planner = self.planning.Planner(self.deployment)
        return self._hand_out()

    def _hand_out(self) -> list[Send]:
        self.number += 1
        self.wants = wants_of(self.deployment, self._outside)
        definitions = Definitions(self.deployment)
        parts = parts_of(self.deployment, self._begin(), definitions)
        parts = crossed(parts, self.deployment, self._outside, definitions)
        changed = []
        for name in parts:
            part = replace(parts[name], failures=self._failures_at(name))
            if self._parts.get(name) != part:
                self._parts[name] = part
                self.versions[name] = (self.term, self.number, self.name)
                changed.append(name)
        return [self.install(name) for name in changed]

    def _failures_at(self, name: PeerName) -> tuple[tuple[str, str], ...]:
        wishes = self._wishes
        return tuple(
            (id, why)
            for id, why in sorted(self.failures.items())
            if wishes[id].subscription.at == name and wishes[id].subscription.need is None
        )

    def _begin(self) -> dict[str, int]:
        """The position after which each subscription begins."""
        definitions = Definitions(self.deployment)
        for one in self.deployment.subscriptions:
            start = self._wishes[one.id].start
            if start == NOW and one.id not in self._starts:
                sources = definitions.sources(one.result)
                known = [self.positions[source] for source in sources if source in self.positions]
                self._starts[one.id] = max(known, default=_BEFORE)
            elif start != NOW:
                self._starts[one.id] = start
        return self._starts

    def install(self, name: PeerName) -> Send:
        return Send(name, Install(self.subnet, self.versions[name], self._parts[name]))

    def remind(self, name: PeerName, installed: Version) -> list[Effect]:
        """A member says which version it runs: send its part again, if that is another one."""
        return [self.install(name)] if self.versions.get(name, installed) != installed else []


_BEFORE = -(2**63)


def _first(item: tuple[str, Wish]) -> str:
    return item[0]


def network_of(profiles: Mapping[PeerName, Profile]) -> Network:
    """The members and the links among them."""
    links = {
        link.ends: link
        for name in sorted(profiles)
        for link in profiles[name].links
        if link.a in profiles and link.b in profiles
    }
    peers = tuple(profiles[name].peer for name in sorted(profiles))
    return Network(peers, tuple(Link(*ends, links[ends].bandwidth) for ends in sorted(links)))


def _published(profiles: Mapping[PeerName, Profile]) -> tuple[Published, ...]:
    """What members publish; of two streams of a name, that of the first peer by name counts."""
    streams: dict[StreamId, Published] = {}
    for name in sorted(profiles):
        for stream in profiles[name].published:
            streams.setdefault(stream.id, stream)
    return tuple(streams.values())
