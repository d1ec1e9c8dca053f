"""A speaker among speakers: it finds the subnets that its own is linked to, and keeps them informed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from slackwater.globe.model import PeerName, Published
from slackwater.globe.protocol.borders import MOST_SUBNETS, Borders, Outside, outward_links, positions
from slackwater.globe.protocol.membership import MOST_HOPS, Membership
from slackwater.globe.protocol.messages import Border, Effect, Knock, Neighbour, Offer, Profile, Send
from slackwater.globe.protocol.speaker import Speaker

_PERIOD, _SILENCE = 2, 10
"""In beats: how often all is said again, and how long silence is borne."""
_BEFORE = -(2**63)


@dataclass(slots=True)
class Backbone:
    """The neighbouring subnets of a speaker."""

    membership: Membership
    borders: Borders = field(init=False)
    _last_sent: dict[str, Border] = field(default_factory=dict)
    _next: float = 0.0

    def __post_init__(self) -> None:
        self.borders = Borders(_SILENCE * self.membership.times.beat)

    @property
    def revision(self) -> int:
        """Counts the changes that planning depends on."""
        return self.borders.revision

    def knocked(self, message: Knock, now: float) -> list[Effect]:
        """Another subnet looks for this one: its speaker answers, members pass it on."""
        member = self.membership
        if not member.is_speaker:
            is_hopeless = message.hops >= MOST_HOPS or not member.speaker
            return [] if is_hopeless else [Send(member.speaker, replace(message, hops=message.hops + 1))]
        if message.subnet.subnet != member.subnet and not member.members.keys().isdisjoint(message.ends):
            self.borders.met[message.subnet.subnet] = message.subnet
        return []

    def heard(self, sender: PeerName, border: Border, now: float) -> None:
        member = self.membership
        name = border.subnet.subnet
        if not member.is_speaker or sender != border.subnet.speaker or name == member.subnet:
            return
        member.neighbours[name] = border.subnet
        self.borders.take(border, now)

    def outside(self, profiles: Mapping[PeerName, Profile], speaker: Speaker) -> Outside:
        """What planning depends on."""
        speaker.positions.update(positions(self.borders.adjacent.values()))
        return self.borders.outside(self.membership.subnet, profiles, speaker.wants)

    def is_due(self, now: float) -> bool:
        """Whether there is something to say, even if no plan has changed."""
        return now >= self._next or bool(self.borders.met)

    def expire(self, now: float) -> None:
        self.borders.expire(now)
        for name in self._last_sent.keys() - self.borders.adjacent.keys():
            del self._last_sent[name]

    def speak(self, profiles: Mapping[PeerName, Profile], speaker: Speaker, now: float) -> Iterator[Effect]:
        """Say what is new, and from time to time everything."""
        is_time = now >= self._next
        if is_time:
            self._next = now + _PERIOD * self.membership.times.beat
            yield from self._knock(profiles)
        touched = {one.subnet for one in self.borders.crossings(profiles)}
        targets = {name: border.subnet for name, border in self.borders.adjacent.items()} | self.borders.met
        self.borders.met.clear()
        for name, neighbour in sorted(targets.items()):
            border = self._border(name, profiles, speaker)
            known = self._last_sent.get(name)
            if known is None or (is_time and name in touched) or known != border:
                self._last_sent[name] = border
                yield Send(neighbour.speaker, border)

    def _knock(self, profiles: Mapping[PeerName, Profile]) -> Iterator[Effect]:
        """At the peers that members are linked to and of which no subnet is known, and at all speakers."""
        known = {end for border in self.borders.adjacent.values() for end, _ in border.ends}
        ends = {name for link in outward_links(profiles) for name in link.ends} - profiles.keys() - known
        if ends:
            speakers = {one.speaker for one in self.membership.neighbours.values()}
            message = Knock(self._me, tuple(sorted(ends)))
            yield from (Send(name, message) for name in sorted(ends | speakers))

    @property
    def _me(self) -> Neighbour:
        member = self.membership
        return Neighbour(member.subnet, member.name, member.me.address, len(member.members))

    def _border(self, to: str, profiles: Mapping[PeerName, Profile], speaker: Speaker) -> Border:
        borders, subnet = self.borders, self.membership.subnet
        links = outward_links(profiles)
        every = (*links, *(link for border in borders.adjacent.values() for link in border.links))
        ends = sorted({name for link in every for name in link.ends} & profiles.keys())
        return Border(
            self._me,
            self.membership.term,
            tuple(links),
            tuple((name, profiles[name].address) for name in ends),
            tuple(borders.seeks(subnet, to, speaker.foreign, speaker.local)),
            tuple(self._offers(to, profiles, speaker)),
            speaker.wants.get(to, ()),
            speaker.refusals.get(to, ()),
            speaker.shape,
        )

    def _offers(self, to: str, profiles: Mapping[PeerName, Profile], speaker: Speaker) -> Iterator[Offer]:
        """Of what the other subnet seeks: the streams of members, and those that others offer."""
        border, subnet = self.borders.adjacent.get(to), self.membership.subnet
        if border is None or not border.seeks:
            return
        reachable = {one.subnet for one in self.borders.crossings(profiles)}
        further = self.borders.offers(subnet, reachable, but=to)
        for seek in border.seeks:
            published: Published | None = speaker.local.get(seek.stream)
            if published is not None:
                position = speaker.positions.get(seek.stream, _BEFORE)
                yield Offer(replace(published, location=""), (subnet,), position)
            elif (offer := further.get(seek.stream)) is not None and len(offer.path) < MOST_SUBNETS:
                yield replace(offer, path=(subnet, *offer.path))
