"""Ways to bring what is needed to a peer: from which stream, along which route, filtered where.

X ══ stream ══► cut ── filtered ──► to
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

from slackwater.globe.model import Estimate, PeerName, Properties, StreamId
from slackwater.globe.plan.cost import Cost, Weights
from slackwater.globe.plan.estimate import checks, of_filter, work
from slackwater.globe.plan.state import State, Stream
from slackwater.globe.properties import is_same, remaining

MOST_STREAMS, MOST_ROUTES = 6, 2
"""How many of the nearest streams, and how many equally short routes are considered."""


@dataclass(frozen=True, slots=True)
class Branch:
    """A stream along a route, filtered at `route[cut]`; without a cut it arrives as it is."""

    need: Properties
    stream: StreamId
    route: tuple[PeerName, ...]
    cut: int | None
    items: float
    """Items a second that arrive."""
    left: int
    """Comparisons that are still to be done on them."""
    needed: float
    """Items a second that pass these."""
    cost: Cost


class Branches:
    """The branches of a state for one subscription, with what each would cost."""

    def __init__(self, state: State, weights: Weights) -> None:
        self.state, self.weights = state, weights
        self._known: dict[tuple[str, StreamId], tuple[bool, Estimate, int]] = {}

    def candidates(self, need: Properties, to: PeerName) -> list[Stream]:
        """The streams that contain what is needed: those nearest to a peer, and the original."""
        streams = [self.state.streams[name] for name in self.state.index.containing(need)]
        near = sorted(streams, key=lambda one: (self._distance(one, to), one.estimate.items_per_second))
        original = self.state.streams[need.source]
        return list({one.id: one for one in (*near[:MOST_STREAMS], original)}.values())

    def to(self, need: Properties, streams: Sequence[Stream], to: PeerName) -> Branch | None:
        """The cheapest way to bring what is needed to a peer, without overload; None if there is none."""
        every = (one for stream in streams for one in self._of(need, stream, to))
        return min(every, key=lambda one: (one.cost, one.route, one.stream), default=None)

    def delivering(self, need: Properties, to: PeerName) -> list[Branch]:
        """The ways to have exactly what is needed at a peer, without overload; the cheapest first."""
        every = [
            branch
            for stream in self.candidates(need, to)
            for branch in self._of(need, stream, to, at_end=True)
            if branch.cut is not None or self._compared(need, stream)[0]
        ]
        return sorted(every, key=lambda one: (one.cost, one.route, one.stream))

    def routes(self, stream: Stream, to: PeerName) -> Iterator[tuple[PeerName, ...]]:
        """The shortest routes from the nearest peers that have the stream, and that can filter it."""
        for holder in self._nearest(stream, to):
            yield from self.state.network.routes(holder, to, MOST_ROUTES)

    def send(self, route: Sequence[PeerName], bytes_per_second: float) -> Cost | None:
        """The cost of sending so much along a route; None if a link cannot carry it."""
        total = 0.0
        for sender, receiver in pairwise(route):
            link = self.state.network.link(sender, receiver)
            if self.state.traffic[link.ends] + bytes_per_second > link.bandwidth:
                return None
            total += bytes_per_second / link.bandwidth
        return Cost(self.weights.traffic * total, len(route) - 1)

    def compute(self, peer: PeerName, needs: Sequence[str], units: float) -> Cost | None:
        """The cost of work at a peer; None if it lacks a capability or would be overloaded."""
        known = self.state.network[peer]
        if not known.operators.issuperset(needs) or self.state.work[peer] + units > known.capacity:
            return None
        return Cost(self.weights.work * units / known.capacity, tasks=1)

    def _of(
        self, need: Properties, stream: Stream, to: PeerName, *, at_end: bool = False
    ) -> Iterator[Branch]:
        same, filtered, left = self._compared(need, stream)
        for route in self.routes(stream, to):
            arrives = self.send(route, stream.estimate.bytes_per_second)
            if arrives is not None:
                items = stream.estimate.items_per_second
                needed = filtered.items_per_second
                yield Branch(need, stream.id, route, None, items, left, needed, arrives)
            if not same:
                # What computes the rest at the last peer of the route filters at once.
                cuts = len(route) if at_end else len(route) - 1
                yield from self._filtered(need, stream, route, filtered, left, cuts)

    def _compared(self, need: Properties, stream: Stream) -> tuple[bool, Estimate, int]:
        """Whether the stream is what is needed, how much that is, and what is to be checked for it."""
        key = need.source, stream.id
        if key not in self._known:
            same = is_same(stream.properties, need)
            left = 0 if same else checks(remaining(need, stream.properties))
            self._known[key] = same, of_filter(need, self.state.published[need.source]), left
        return self._known[key]

    def _filtered(
        self, need: Properties, stream: Stream, route: tuple[PeerName, ...], filtered: Estimate, left: int,
        cuts: int,
    ) -> Iterator[Branch]:  # fmt: skip
        """The filter at each of the first peers of the route."""
        units = work("filter", stream.estimate.items_per_second, left)
        for cut in range(cuts):
            before = self.send(route[: cut + 1], stream.estimate.bytes_per_second)
            at = self.compute(route[cut], ("filter",), units)
            after = self.send(route[cut:], filtered.bytes_per_second)
            if before is None or at is None or after is None:
                continue
            items = filtered.items_per_second
            yield Branch(need, stream.id, route, cut, items, 0, items, before + at + after)

    def _nearest(self, stream: Stream, to: PeerName) -> Iterator[PeerName]:
        """The nearest peers that have the stream, and that have it and may filter it."""
        network = self.state.network
        known = sorted(
            (hops, peer) for peer in self._senders(stream) if (hops := network.distance(peer, to)) is not None
        )
        if not known:
            return
        first = [peer for hops, peer in known if hops == known[0][0]]
        yield from islice(first, MOST_ROUTES)
        filtering = (peer for _, peer in known if peer not in first and "filter" in network[peer].operators)
        if not any("filter" in network[peer].operators for peer in first):
            yield from islice(filtering, 1)

    def _senders(self, stream: Stream) -> Iterator[PeerName]:
        """Peers with one neighbour have the stream from it, unless they make it."""
        network = self.state.network
        return (
            peer
            for peer, sender in stream.parents.items()
            if sender is None or len(network.neighbours(peer)) > 1
        )

    def _distance(self, stream: Stream, to: PeerName) -> float:
        if to in stream.parents:
            return 0
        distance = self.state.network.distance
        return min(
            (h for peer in self._senders(stream) if (h := distance(peer, to)) is not None),
            default=float("inf"),
        )
