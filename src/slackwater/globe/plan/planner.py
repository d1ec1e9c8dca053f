"""Registers subscriptions, takes them down, plans all of them anew: a deployment in, a deployment out.

A planner is a deployment with its index, for many changes in a row; the functions are for single ones.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from slackwater.base.diagnostic import QueryError
from slackwater.globe.model import Deployment, PeerName, Properties, Subscription
from slackwater.globe.plan import problems
from slackwater.globe.plan.apply import Applied, without_detour
from slackwater.globe.plan.branches import Branches
from slackwater.globe.plan.choose import Chooser
from slackwater.globe.plan.cost import Weights
from slackwater.globe.plan.estimate import of_filter
from slackwater.globe.plan.explanation import Alternative, Explanation
from slackwater.globe.plan.merge import merged
from slackwater.globe.plan.state import State
from slackwater.globe.split import parts_of

DEFAULT = Weights()
_SHOWN = 4
"""How many rejected plans an explanation has."""


class Planner:
    """A deployment that changes."""

    def __init__(self, deployment: Deployment, weights: Weights = DEFAULT) -> None:
        self.weights = weights
        self.state = State(deployment)

    @property
    def deployment(self) -> Deployment:
        """What runs now."""
        return self.state.deployment()

    @property
    def cost(self) -> float:
        """Shares of all links and peers that are in use, together."""
        return self.state.cost(self.weights)

    def register(self, subscription: Subscription) -> Explanation:
        """Fit a subscription into what runs; QueryError where it is wrong or no peer can compute it."""
        if subscription.id in self.state.subscriptions:
            raise QueryError(problems.KNOWN_SUBSCRIPTION.at(where=subscription.id, name=subscription.id))
        if subscription.at not in self.state.network:
            raise QueryError(problems.UNKNOWN_PEER.at(where=subscription.id, name=subscription.at))
        parts = parts_of(subscription, self.state.published)
        if subscription.need is not None:
            return self._bring(subscription, subscription.need)
        chosen, others = Chooser(Branches(self.state, self.weights), subscription, parts).choose()
        applied = Applied(self.state, subscription, parts)
        applied.apply(chosen)
        return Explanation(
            subscription.id,
            chosen.alternative,
            tuple(other.alternative for other in others[:_SHOWN]),
            tuple(applied.tasks.values()),
            tuple(applied.changed.values()),
            tuple(applied.flows),
        )

    def _bring(self, subscription: Subscription, need: Properties) -> Explanation:
        """Deliver a part of a stream; QueryError where that cannot be done."""
        ways = Branches(self.state, self.weights).delivering(need, subscription.at)
        if not ways:
            raise QueryError(problems.OVERLOAD.at(where=subscription.id, name=subscription.id))
        applied = Applied(self.state, subscription, parts_of(subscription, self.state.published))
        applied.deliver(ways[0])
        first, *others = [Alternative((way.stream,), subscription.at, way.cost.total) for way in ways]
        return Explanation(
            subscription.id, first, tuple(others[:_SHOWN]), tuple(applied.tasks.values()),
            tuple(applied.changed.values()), tuple(applied.flows),
        )  # fmt: skip

    def unregister(self, name: str) -> None:
        """Take a subscription down, and everything that only it needs."""
        if name not in self.state.subscriptions:
            raise QueryError(problems.UNKNOWN_SUBSCRIPTION.at(where=name, name=name))
        subscription = self.state.subscriptions[name]
        used = self.state.uses(subscription)
        self.state.drop(subscription)
        for stream in sorted(used):
            without_detour(self.state, stream)

    def register_all(self, subscriptions: Iterable[Subscription]) -> list[str]:
        """Register those that can be; the names of those that cannot."""
        refused: list[str] = []
        for subscription in subscriptions:
            try:
                self.register(subscription)
            except QueryError:
                refused.append(subscription.id)
        return refused

    def without(self, peer: PeerName) -> list[str]:
        """Go on without a peer; the names of the subscriptions that are lost with it.

        Only what used the peer is planned anew.
        """
        state = self.state
        touched = {name for name, stream in state.streams.items() if peer in stream.parents}
        affected = [
            one for one in state.subscriptions.values() if one.at == peer or state.uses(one) & touched
        ]
        for one in affected:
            state.drop(one)
        deployment = state.deployment()
        published = tuple(one for one in deployment.published if one.at != peer)
        network = deployment.network.without((peer,))
        self.state = State(replace(deployment, network=network, published=published))
        return self.register_all(replace(one, result="") for one in affected)


def register(
    deployment: Deployment, subscription: Subscription, weights: Weights = DEFAULT
) -> tuple[Deployment, Explanation]:
    """The deployment with one more subscription, and how it is computed."""
    planner = Planner(deployment, weights)
    explanation = planner.register(subscription)
    return planner.deployment, explanation


def unregister(deployment: Deployment, name: str) -> Deployment:
    """The deployment without a subscription and without what only it needed."""
    planner = Planner(deployment)
    planner.unregister(name)
    return planner.deployment


def without_peer(
    deployment: Deployment, peer: PeerName, weights: Weights = DEFAULT
) -> tuple[Deployment, list[str]]:
    """The deployment when a peer is gone, and the names of the subscriptions that are lost with it."""
    planner = Planner(deployment, weights)
    lost = planner.without(peer)
    return planner.deployment, lost


def reoptimize(deployment: Deployment, weights: Weights = DEFAULT) -> Deployment:
    """All subscriptions planned anew in an empty network, if that is cheaper than what runs.

    Those that carry most come first: what they need contains what others need. Then streams that overlap are
    merged as far as they go the same way.
    """
    current = Planner(deployment, weights)
    empty = replace(deployment, tasks=(), flows=(), subscriptions=())
    best = current
    for subscriptions in (deployment.subscriptions, _widest_first(deployment)):
        planner = Planner(empty, weights)
        refused = planner.register_all(replace(one, result="") for one in subscriptions)
        if not refused and planner.cost < best.cost:
            best = planner
    return merged(best.deployment, weights)


def _widest_first(deployment: Deployment) -> list[Subscription]:
    published = {one.id: one for one in deployment.published}

    def carried(subscription: Subscription) -> float:
        needs = parts_of(subscription, published).needs
        return -sum(of_filter(need, published[need.source]).bytes_per_second for need in needs)

    return sorted(deployment.subscriptions, key=carried)
