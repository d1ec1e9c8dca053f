"""The speaker of a subnet: it plans for the wishes of all members and hands every peer its part.

    profiles ─► network, published streams, wishes ─► planner ─► deployment ─► parts ─► Install

All that it knows it has from the members. A plan may be replaced at any time: readers keep their positions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from slackwater.base.diagnostic import SlackwaterError
from slackwater.globe.model import Deployment, Network, PeerName, Published, StreamId, Subscription
from slackwater.globe.network import Link
from slackwater.globe.protocol import problems
from slackwater.globe.protocol.messages import NOW, Effect, Install, Part, Profile, Send, Version, Wish
from slackwater.globe.protocol.parts import Definitions, parts_of


class Planner(Protocol):
    """Decides what runs where; every method gives another deployment."""

    def register(self, deployment: Deployment, subscription: Subscription, /) -> tuple[Deployment, Any]:
        """With a subscription; raises QueryError or EngineError where it cannot be answered."""

    def unregister(self, deployment: Deployment, name: str, /) -> Deployment: ...
    def without_peer(self, deployment: Deployment, peer: PeerName, /) -> tuple[Deployment, list[str]]:
        """Without a peer; the names of the subscriptions that are lost with it."""

    def reoptimize(self, deployment: Deployment, /) -> Deployment: ...


EMPTY = Deployment(Network((), ()))


@dataclass(slots=True)
class Speaker:
    """Plans and hands out; begins empty with each term."""

    planner: Planner
    name: PeerName
    subnet: str
    term: int
    deployment: Deployment = EMPTY
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
    _number: int = 0

    def plan(self, profiles: Mapping[PeerName, Profile]) -> list[Send]:
        """Bring the deployment in line with what the members are and want; hand out what has changed."""
        network, published = network_of(profiles), _published(profiles)
        wishes = {wish.subscription.id: wish for profile in profiles.values() for wish in profile.wishes}
        basis = (network.peers, network.links, published, tuple(sorted(wishes.items(), key=_first)))
        if basis == self._basis:
            return []
        self._basis = basis
        deployment = self.deployment
        if (network, published) != (deployment.network, deployment.published):
            deployment = self._moved(network, published)
        for gone in self._wishes.keys() - wishes.keys():
            deployment = self._without(deployment, gone)
        self._wishes = wishes
        self.deployment = self._with_wishes(deployment, wishes)
        return self._hand_out()

    def _moved(self, network: Network, published: tuple[Published, ...]) -> Deployment:
        """The deployment on another network: what is still possible stays, the rest is planned again."""
        self.failures.clear()
        deployment = self.deployment
        for peer in deployment.network.peers:
            if peer.name not in network:
                deployment, _ = self.planner.without_peer(deployment, peer.name)
        left = deployment.network
        is_larger = set(left.peers) <= set(network.peers) and set(left.links) <= set(network.links)
        if is_larger and set(deployment.published) <= set(published):
            return replace(deployment, network=network, published=published)
        return Deployment(network, published)

    def _without(self, deployment: Deployment, id: str) -> Deployment:
        self.failures.pop(id, None)
        self._starts.pop(id, None)
        if all(one.id != id for one in deployment.subscriptions):
            return deployment
        return self.planner.unregister(deployment, id)

    def _with_wishes(self, deployment: Deployment, wishes: Mapping[str, Wish]) -> Deployment:
        """Register what is not yet, in the order in which it was wished."""
        known = {one.id for one in deployment.subscriptions}
        for id, wish in sorted(wishes.items(), key=lambda item: (item[1].order, item[0])):
            if id in known or id in self.failures:
                continue
            try:
                deployment, self.explanations[id] = self.planner.register(deployment, wish.subscription)
            except SlackwaterError as error:
                self.failures[id] = str(error.diagnostics[0])
            except Exception as error:
                # What others have published and wished must not stop the speaker.
                self.failures[id] = str(problems.CANNOT_PLAN.at(name=id, why=error))
        return deployment

    def reoptimize(self) -> list[Send]:
        """Plan everything anew, and switch to that if it is cheaper."""
        self.deployment = self.planner.reoptimize(self.deployment)
        return self._hand_out()

    def _hand_out(self) -> list[Send]:
        self._number += 1
        parts = parts_of(self.deployment, self._begin())
        changed = []
        for name in parts:
            part = replace(parts[name], failures=self._failures_at(name))
            if self._parts.get(name) != part:
                self._parts[name] = part
                self.versions[name] = (self.term, self._number, self.name)
                changed.append(name)
        return [self.install(name) for name in changed]

    def _failures_at(self, name: PeerName) -> tuple[tuple[str, str], ...]:
        wishes = self._wishes
        return tuple(
            (id, why) for id, why in sorted(self.failures.items()) if wishes[id].subscription.at == name
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
