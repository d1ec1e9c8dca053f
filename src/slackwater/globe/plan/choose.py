"""The cheapest way to compute a subscription: where its streams meet, and how they come there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from slackwater.base.diagnostic import Diagnostic, QueryError
from slackwater.globe.model import Estimate, PeerName, StreamId, Subscription
from slackwater.globe.plan import problems
from slackwater.globe.plan.branches import MOST_ROUTES, Branch, Branches
from slackwater.globe.plan.cost import NOTHING, Cost
from slackwater.globe.plan.estimate import of_filter, of_result, work_over
from slackwater.globe.plan.explanation import Alternative
from slackwater.globe.plan.state import State, Stream
from slackwater.globe.split import Parts


@dataclass(frozen=True, slots=True)
class Choice:
    """A plan of a subscription: branches to a peer, the rest of it there, its result to the subscriber.

    Without branches the result flows already, from `route[0]`.
    """

    branches: tuple[Branch, ...]
    route: tuple[PeerName, ...]
    result: Estimate
    cost: Cost
    stream: StreamId = ""

    @property
    def alternative(self) -> Alternative:
        streams = tuple(branch.stream for branch in self.branches) or (self.stream,)
        return Alternative(streams, self.route[0], self.cost.total)


class Chooser:
    """Enumerates plans for one subscription in a state."""

    def __init__(self, branches: Branches, subscription: Subscription, parts: Parts) -> None:
        self.branches, self.state = branches, branches.state
        self.subscription, self.parts = subscription, parts
        self.at = subscription.at
        self.streams = [branches.candidates(need, self.at) for need in parts.needs]
        self.result = _result(self.state, parts)

    def choose(self) -> tuple[Choice, list[Choice]]:
        """The cheapest plan, and the others; QueryError where there is none."""
        choices = sorted([*self._known(), *self._new()], key=lambda one: (one.cost, one.route))
        if not choices:
            raise QueryError(self._refusal())
        return choices[0], choices[1:]

    def _known(self) -> Iterator[Choice]:
        """The results of equal subscriptions."""
        for name in self.state.index.computed(self.parts.result):
            stream = self.state.streams[name]
            for route in self.branches.routes(stream, self.at):
                cost = self.branches.send(route, stream.estimate.bytes_per_second)
                if cost is not None:
                    yield Choice((), route, stream.estimate, cost, name)

    def _new(self) -> list[Choice]:
        if self.parts.documents:
            places = {self.state.published[name].at for name in self.parts.documents}
            return [*self._at(places.pop())] if len(places) == 1 else []
        peers = self._between()
        if self._reduces:
            return [choice for peer in peers for choice in self._at(peer)]
        # A part that reduces nothing runs as near to the subscriber as it can.
        for peer in peers:
            if choices := [*self._at(peer)]:
                return choices
        return []

    @property
    def _reduces(self) -> bool:
        """Whether the rest of the subscription carries less than what it needs (definition 2.3.1)."""
        needed = sum(
            of_filter(need, self.state.published[need.source]).bytes_per_second for need in self.parts.needs
        )
        return len(self.parts.needs) > 1 or self.result.bytes_per_second < needed

    def _between(self) -> list[PeerName]:
        """The peers on the shortest routes from the streams to the subscriber, the nearest to it first."""
        every = (
            (len(route) - place, peer)
            for streams in self.streams
            for stream in streams
            for route in self.branches.routes(stream, self.at)
            for place, peer in enumerate(route, start=1)
        )
        return [peer for _, peer in sorted({(hops, peer) for hops, peer in every})]

    def _at(self, peer: PeerName) -> Iterator[Choice]:
        """The plan that computes the rest at a peer, for each stream that it may be computed from."""
        if len(self.parts.needs) == 1:
            for stream in self.streams[0]:
                yield from self._joined(peer, [[stream]])
        else:
            yield from self._joined(peer, self.streams)

    def _joined(self, peer: PeerName, streams: list[list[Stream]]) -> Iterator[Choice]:
        ways = [
            self.branches.to(need, some, peer) for need, some in zip(self.parts.needs, streams, strict=True)
        ]
        branches = tuple(branch for branch in ways if branch is not None)
        routes = self.state.network.routes(peer, self.at, MOST_ROUTES)
        if len(branches) < len(ways) or not routes:
            return
        role = self.parts.outline.role
        units = sum(work_over(role, branch.items, branch.left, branch.needed) for branch in branches)
        filters = ("filter",) if any(branch.left for branch in branches) else ()
        here = self.branches.compute(peer, (role, *filters), units)
        if here is None:
            return
        sent = [(cost, route) for route in routes
                if (cost := self.branches.send(route, self.result.bytes_per_second)) is not None]  # fmt: skip
        if sent:
            cost, route = min(sent)
            total = sum((branch.cost for branch in branches), NOTHING) + here + cost
            yield Choice(branches, route, self.result, total)

    def _refusal(self) -> Diagnostic:
        network, name = self.state.network, self.subscription.id
        for streams, need in zip(self.streams, self.parts.needs, strict=True):
            if not any(True for stream in streams for _ in self.branches.routes(stream, self.at)):
                return problems.NO_ROUTE.at(where=name, source=need.source, peer=self.at)
        role = self.parts.outline.role
        able = [peer for peer in self._between() if role in network[peer].operators]
        if not able:
            return problems.NO_CAPABILITY.at(where=name, name=name, peer=self.at, role=role)
        return problems.OVERLOAD.at(where=name, name=name)


def _result(state: State, parts: Parts) -> Estimate:
    published = [state.published[need.source] for need in parts.needs]
    documents = [state.published[name] for name in parts.documents]
    every = [
        of_result(parts.outline, need, one, documents)
        for need, one in zip(parts.needs, published, strict=True)
    ]
    return Estimate(sum(one.items_per_second for one in every), sum(one.bytes_per_second for one in every))
