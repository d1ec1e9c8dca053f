"""Subnets that are neighbours: what their speakers say to each other, and what follows from it.

    A  ── Knock ──►  peer of B  ──►  speaker of B            once, to find each other
    A  ◄── Border: links, seeks, offers, wants ──►  B        again and again: all that is known and wished

A stream that is not published here is sought in neighbouring subnets, which seek it in theirs. Those that
have it offer it, with the subnets on the way, so that no subnet gets it through itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from slackwater.globe.model import PeerName, StreamId
from slackwater.globe.network import Link
from slackwater.globe.protocol.messages import Border, Neighbour, Offer, Profile, Seek, Want

MOST_SUBNETS = 16
"""The longest way of a stream, in subnets."""


@dataclass(frozen=True, slots=True)
class Crossing:
    """A link to another subnet: the peer outside with its address, and the member that it is linked to."""

    subnet: str
    outside: PeerName
    address: str
    inside: PeerName
    bandwidth: float


@dataclass(frozen=True, slots=True)
class Outside:
    """What a speaker has to know of other subnets to plan for its own."""

    crossings: tuple[Crossing, ...] = ()
    """The best link from each subnet to each member."""
    offers: tuple[Offer, ...] = ()
    """The shortest way to each stream that is offered."""
    wants: tuple[tuple[str, Want], ...] = ()
    """By subnet, what they want from here."""
    refusing: frozenset[str] = frozenset()
    """Subnets that cannot compute all that is wanted from them."""


NOTHING = Outside()


@dataclass(slots=True)
class Borders:
    """What the speakers of neighbouring subnets have said lately."""

    silence: float
    """After so many seconds without a word, a subnet is no neighbour any more."""
    adjacent: dict[str, Border] = field(default_factory=dict)
    revision: int = 0
    """Counts the changes that planning depends on."""
    met: dict[str, Neighbour] = field(default_factory=dict)
    """Subnets that have knocked."""
    _heard: dict[str, float] = field(default_factory=dict)
    _refused: dict[tuple[str, StreamId], str] = field(default_factory=dict)
    """What subnets have refused as they were: a stream, or (without one) to filter."""

    def take(self, border: Border, now: float) -> None:
        """Of two speakers of a subnet, the one of the higher term counts, as long as it is heard."""
        name = border.subnet.subnet
        known = self.adjacent.get(name)
        if known is not None and border.term < known.term:
            return
        self._heard[name] = now
        self.met.pop(name, None)
        if known is None or _without_positions(known) != _without_positions(border):
            self.revision += 1
        self.adjacent[name] = border

    def expire(self, now: float) -> None:
        """Forget subnets that are silent."""
        for name in [name for name, heard in self._heard.items() if now - heard > self.silence]:
            del self._heard[name], self.adjacent[name]
            self.revision += 1

    def crossings(self, profiles: Mapping[PeerName, Profile]) -> list[Crossing]:
        """All links between a member and a peer of another subnet."""
        crossings: dict[tuple[PeerName, PeerName], Crossing] = {}
        for name, border in sorted(self.adjacent.items()):
            ends = dict(border.ends)
            for link in (*outward_links(profiles), *border.links):
                for inside, outside in ((link.a, link.b), (link.b, link.a)):
                    if inside in profiles and outside in ends and outside not in profiles:
                        one = Crossing(name, outside, ends[outside], inside, link.bandwidth)
                        crossings.setdefault((outside, inside), one)
        return list(crossings.values())

    def outside(
        self, subnet: str, profiles: Mapping[PeerName, Profile], sent: Mapping[str, Iterable[Want]]
    ) -> Outside:
        """What planning depends on. `sent` are the own wants, by subnet."""
        self._note_refusals(sent)
        best: dict[tuple[str, PeerName], Crossing] = {}
        for one in sorted(self.crossings(profiles), key=lambda one: (-one.bandwidth, one.outside)):
            best.setdefault((one.subnet, one.inside), one)
        pairs = {(one.outside, one.inside) for one in self.crossings(profiles)}
        reachable = {name for name, _ in best}
        return Outside(
            tuple(best[key] for key in sorted(best)),
            tuple(replace(one, position=0) for _, one in sorted(self.offers(subnet, reachable).items())),
            tuple(
                (name, want)
                for name in sorted(reachable)
                for want in self.adjacent[name].wants
                if (want.receiver, want.sender) in pairs
            ),
            frozenset(name for name, stream in self._refused if not stream),
        )

    def _note_refusals(self, sent: Mapping[str, Iterable[Want]]) -> None:
        """A subnet that cannot filter is asked for the whole stream; one that cannot send it, no more."""
        shapes = {name: border.shape for name, border in self.adjacent.items()}
        self._refused = {key: shape for key, shape in self._refused.items() if shapes.get(key[0]) == shape}
        for name, border in self.adjacent.items():
            for want in sent.get(name, ()):
                if want.stream in border.refusals:
                    is_whole = want.stream == want.need.source
                    self._refused[name, want.stream if is_whole else ""] = border.shape

    def offers(self, subnet: str, reachable: Iterable[str], but: str = "") -> dict[StreamId, Offer]:
        """The shortest way to each stream through one of these subnets, but not to or through one."""
        best: dict[StreamId, Offer] = {}
        for name in sorted(reachable):
            for offer in self.adjacent[name].offers:
                is_refused = (name, offer.published.id) in self._refused
                if is_refused or offer.path[:1] != (name,) or {subnet, but} & {*offer.path}:
                    continue
                known = best.get(offer.published.id)
                if known is None or len(offer.path) < len(known.path):
                    best[offer.published.id] = offer
        return best

    def seeks(
        self, subnet: str, to: str, own: Iterable[StreamId], published: Mapping[StreamId, object]
    ) -> Iterator[Seek]:
        """What is sought in a subnet: for own members, and for other neighbours."""
        paths: dict[StreamId, tuple[str, ...]] = {}
        for name, border in sorted(self.adjacent.items()):
            for seek in border.seeks if name != to else ():
                path = (*seek.path, subnet)
                is_new = seek.stream not in paths or len(path) < len(paths[seek.stream])
                if is_new and not {subnet, to} & {*seek.path} and len(path) < MOST_SUBNETS:
                    paths[seek.stream] = path
        paths |= dict.fromkeys(own, (subnet,))
        return (Seek(name, paths[name]) for name in sorted(paths) if name not in published)


def outward_links(profiles: Mapping[PeerName, Profile]) -> list[Link]:
    """The links of members to peers that are none."""
    return [
        link
        for name in sorted(profiles)
        for link in profiles[name].links
        if (link.a in profiles) != (link.b in profiles)
    ]


def positions(borders: Iterable[Border]) -> dict[StreamId, int]:
    """The last edges of streams that are offered."""
    return {offer.published.id: offer.position for border in borders for offer in border.offers}


def _without_positions(border: Border) -> Border:
    return replace(border, offers=tuple(replace(offer, position=0) for offer in border.offers))
