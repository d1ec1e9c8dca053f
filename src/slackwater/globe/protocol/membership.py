"""Who belongs to a subnet, and who speaks for it.

    member   Pulse ──►  speaker  ──► Alive      every beat; what one does not know, the other adds
    silence of a member: dead after a while         silence of the speaker: an election

The speaker is elected by the bully algorithm (Garcia-Molina 1982): a super-peer that misses it asks those of
higher rank; if none answers, it is the speaker, of a new term. Of two speakers the one with the higher term
stays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from slackwater.globe.model import PeerName
from slackwater.globe.protocol.halves import halves
from slackwater.globe.protocol.messages import (
    NONE,
    Alive,
    Answer,
    Assigned,
    Coordinator,
    Effect,
    Election,
    Greeting,
    Join,
    Leave,
    Member,
    Neighbour,
    Profile,
    Pulse,
    Send,
)

MOST_HOPS = 4


@dataclass(frozen=True, slots=True)
class Times:
    """In beats: how long silence is borne."""

    beat: float = 1.0
    speaker: int = 4
    """Without a word of the speaker, an election begins."""
    member: int = 8
    """Without a word of a member, it is dead."""
    answer: int = 2
    """How long an election waits for peers of higher rank."""
    plan: float = 0.5
    """How long a speaker waits between two plans: many changes at once need one."""
    greeting: int = 3
    """How often speakers greet each other, and peers that were lost."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """How many members a subnet has: beyond `most` it is split, below `least` merged."""

    least: int = 1
    most: int = 1_000


@dataclass(slots=True)
class Membership:
    """A peer among others: alone, joining, a member or the speaker."""

    profile: Callable[[], Profile]
    contacts: tuple[str, ...] = ()
    """Where to join: names or addresses."""
    times: Times = field(default_factory=Times)
    sizes: Sizes = field(default_factory=Sizes)
    subnet: str = ""
    term: int = 0
    speaker: PeerName = ""
    members: dict[PeerName, Member] = field(default_factory=dict)
    roster: int = 0
    """The version of the members."""
    neighbours: dict[str, Neighbour] = field(default_factory=dict)
    profiles: dict[PeerName, Profile] = field(default_factory=dict)
    """Of the speaker: what it knows of each member."""
    revision: int = 0
    """Counts the changes of members and their profiles."""
    lost: dict[PeerName, Member] = field(default_factory=dict)
    """Peers that were members: a speaker tells them that it is one, if they are alive after all."""
    _heard: dict[PeerName, float] = field(default_factory=dict)
    _moved: dict[PeerName, Assigned] = field(default_factory=dict)
    _election: float | None = None
    """When the election that this peer has begun is over."""
    _patient_until: float = 0.0
    """While another peer holds an election, this one begins none."""
    _next_beat: float = 0.0
    _beats: int = 0
    _contact: int = 0
    since: float = 0.0
    """When this peer became the speaker."""

    @property
    def me(self) -> Member:
        profile = self.profile()
        peer = profile.peer
        return Member(peer.name, profile.address, peer.kind == "super", peer.capacity)

    @property
    def name(self) -> PeerName:
        return self.profile().peer.name

    @property
    def is_speaker(self) -> bool:
        return self.speaker == self.name

    @property
    def knows_all(self) -> bool:
        """Whether the speaker has the profile of every member."""
        return self.members.keys() <= self.profiles.keys()

    def restore(
        self, subnet: str, term: int, speaker: PeerName, members: Iterable[Member], now: float
    ) -> None:
        """Come back after a restart: the speaker speaks again, others look for it among the members."""
        self.subnet, self.term = subnet, term
        self.members = {member.name: member for member in members}
        supers = [member.name for member in self.members.values() if member.is_super]
        self.contacts = tuple(dict.fromkeys((*self.contacts, *supers)))
        self.contacts = tuple(name for name in self.contacts if name != self.name)
        if speaker == self.name:
            self._become_speaker(subnet, now)
        elif speaker:
            self.speaker, self._heard[speaker] = speaker, now

    # Time.

    def tick(self, now: float) -> list[Effect]:
        effects = list(self._finish_election(now))
        if now < self._next_beat:
            return effects
        self._next_beat, self._beats = now + self.times.beat, self._beats + 1
        if self.is_speaker:
            return [*effects, *self._lead(now)]
        if self.speaker:
            return [*effects, *self._follow(now)]
        return [*effects, *self._enter(now)]

    def _enter(self, now: float) -> list[Effect]:
        """Join through a contact; a super-peer without one is a subnet of its own."""
        if self.contacts:
            self._contact += 1
            return [Send(self.contacts[self._contact % len(self.contacts)], Join(self.profile()))]
        return self._become_speaker(self.name, now) if self.me.is_super else []

    def _follow(self, now: float) -> Iterator[Effect]:
        yield Send(self.speaker, self._pulse())
        if not self._is_silent(now) or self._election is not None or now < self._patient_until:
            return
        if self.me.is_super:
            yield from self._elect(now)
        elif now - self._heard[self.speaker] > 2 * self.times.member * self.times.beat:
            yield from self._seek()

    def _is_silent(self, now: float) -> bool:
        """Whether nothing was heard of the speaker for a while."""
        silence = now - self._heard.setdefault(self.speaker, now)
        return not self.is_speaker and silence > self.times.speaker * self.times.beat

    def _seek(self) -> Iterator[Effect]:
        """A thin peer without a speaker joins again, through any super-peer that it knows."""
        supers = [member.name for member in self.members.values() if member.is_super]
        self.contacts = tuple(dict.fromkeys((*self.contacts, *supers)))
        self.speaker = ""
        yield from (Send(name, Join(self.profile())) for name in self.contacts)

    def _pulse(self) -> Pulse:
        return Pulse(self.subnet, self.term, self.roster, self.profile().version, NONE)

    def _lead(self, now: float) -> Iterator[Effect]:
        for name in [name for name in self.members if name != self.name]:
            if now - self._heard.setdefault(name, now) > self.times.member * self.times.beat:
                self.remove(name)
        if self._beats % self.times.greeting == 0:
            yield from self._announce({*self.lost, *self.contacts} - self.members.keys())
            yield from self._greet()
        if len(self.members) > self.sizes.most:
            yield from self._split(now)
        elif len(self.members) < self.sizes.least and now - self.since > self.times.member * self.times.beat:
            yield from self._merge(now)

    # Members and their speaker.

    def join(self, message: Join, now: float) -> list[Effect]:
        """A peer enters, or its profile has changed; the speaker takes it, others pass it on."""
        profile = message.profile
        name = profile.peer.name
        if not self.is_speaker:
            is_hopeless = message.hops >= MOST_HOPS or not self.speaker
            return [] if is_hopeless else [Send(self.speaker, Join(profile, message.hops + 1))]
        self._moved.pop(name, None)
        known = self.profiles.get(name)
        if known is None or known.version <= profile.version:
            self.revision += known != profile
            self.profiles[name] = profile
        peer = profile.peer
        member = Member(name, profile.address, peer.kind == "super", peer.capacity)
        if self.members.get(name) != member:
            self.members[name] = member
            self.roster += 1
        self.lost.pop(name, None)
        self._heard[name] = now
        return [Send(name, self._alive(full=True))]

    def leave(self, message: Leave) -> list[Effect]:
        if not self.is_speaker:
            return [Send(self.speaker, message)] if self.speaker and message.name != self.speaker else []
        if message.name in self.members:
            self.remove(message.name)
            self.lost.pop(message.name, None)
        return []

    def remove(self, name: PeerName) -> None:
        member = self.members.pop(name, None)
        if member is not None:
            self.lost[name] = member
            self.roster += 1
            self.revision += 1
        self.profiles.pop(name, None)
        self._heard.pop(name, None)

    def pulse(self, sender: PeerName, message: Pulse, now: float) -> list[Effect]:
        if not self.is_speaker:
            return [Send(sender, self._coordinator(self.speaker))] if self.speaker else []
        if sender in self._moved and message.subnet == self.subnet:
            return [Send(sender, self._moved[sender])]
        self._heard[sender] = now
        if message.term > self.term and message.subnet == self.subnet:
            self.term = message.term + 1
        profile = self.profiles.get(sender)
        lacks = sender not in self.members or profile is None or profile.version != message.profile
        is_stale = (message.roster, message.term) != (self.roster, self.term)
        return [Send(sender, self._alive(full=is_stale, wants_profile=lacks))]

    def _alive(self, *, full: bool, wants_profile: bool = False) -> Alive:
        members = tuple(self.members.values()) if full else ()
        neighbours = tuple(self.neighbours.values()) if full else ()
        return Alive(self.subnet, self.term, self.roster, members, neighbours, wants_profile)

    def alive(self, sender: PeerName, message: Alive, now: float) -> list[Effect]:
        """A word of the speaker, or of the speaker of the subnet that this peer joins."""
        is_newer = message.term >= self.term or message.subnet != self.subnet or self._is_silent(now)
        if self.is_speaker or (self.speaker and sender != self.speaker and not is_newer):
            return []
        if sender != self.speaker and self.speaker and message.subnet != self.subnet:
            return []
        self.speaker, self.subnet, self.term = sender, message.subnet, message.term
        self._heard[sender], self._election = now, None
        if message.members:
            before, self.members = self.members, {member.name: member for member in message.members}
            self.lost.update({name: one for name, one in before.items() if name not in self.members})
            self.neighbours = {one.subnet: one for one in message.neighbours}
            self.roster = message.roster
        return [Send(sender, Join(self.profile()))] if message.wants_profile else []

    # Elections.

    def _elect(self, now: float) -> Iterator[Effect]:
        self._election = now + self.times.answer * self.times.beat
        for member in self.members.values():
            if member.is_super and member.rank > self.me.rank:
                yield Send(member.name, Election(self.subnet, self.term))

    def _finish_election(self, now: float) -> list[Effect]:
        if self._election is None or now < self._election:
            return []
        self._election = None
        self.remove(self.speaker)
        return self._become_speaker(self.subnet, now)

    def _become_speaker(self, subnet: str, now: float) -> list[Effect]:
        me, self._election = self.me, None
        self.subnet, self.term, self.speaker, self.since = subnet, self.term + 1, me.name, now
        self.members[me.name] = me
        self.roster += 1
        self.profiles = {me.name: self.profile()}
        self.revision += 1
        self._heard = dict.fromkeys(self.members, now)
        self._moved.clear()
        return list(self._announce({**self.members, **self.lost}))

    def _announce(self, names: Iterable[PeerName]) -> Iterator[Effect]:
        for name in sorted(names):
            if name != self.name:
                yield Send(name, self._coordinator(self.name))

    def _coordinator(self, name: PeerName) -> Coordinator:
        member = self.members.get(name) or Member(name, "", True, 0.0)
        return Coordinator(self.subnet, self.term, member.rank, member.address)

    def election(self, sender: PeerName, message: Election, now: float) -> list[Effect]:
        if message.subnet != self.subnet or not self.me.is_super:
            return []
        if self.is_speaker:
            return [Send(sender, self._coordinator(self.name))]
        begun = [] if self._election is not None else list(self._elect(now))
        return [Send(sender, Answer(self.subnet)), *begun]

    def answer(self, message: Answer, now: float) -> None:
        """A peer of higher rank takes over; if it dies meanwhile, another election begins."""
        if message.subnet == self.subnet and self._election is not None:
            self._election = None
            self._patient_until = now + self.times.speaker * self.times.beat

    def coordinator(self, sender: PeerName, message: Coordinator, now: float) -> list[Effect]:
        """Somebody speaks: of two speakers, the one of the higher term and then rank stays."""
        speaker = message.rank[1]
        if message.subnet != self.subnet or speaker == self.name:
            return []
        mine = self.members.get(self.speaker)
        is_older = (message.term, message.rank) < (self.term, mine.rank if mine else ())
        if speaker != self.speaker and is_older and not self._is_silent(now):
            return [Send(sender, self._coordinator(self.speaker))] if self.is_speaker else []
        if speaker != self.speaker:
            self.speaker, self.term, self.roster = speaker, message.term, -1
            self.profiles.clear()
            self._election = None
            self.members[speaker] = Member(speaker, message.address, True, message.rank[0])
        self._heard[speaker] = now
        return [Send(speaker, Join(self.profile()))] if sender == speaker else []

    # Subnets.

    def _greet(self) -> Iterator[Effect]:
        me = Neighbour(self.subnet, self.name, self.me.address, len(self.members))
        for one in list(self.neighbours.values()):
            yield Send(one.speaker, Greeting((me, *self.neighbours.values())))

    def greeting(self, message: Greeting) -> None:
        own, *others = message.subnets
        if self.is_speaker:
            for one in others:
                if one.subnet != self.subnet:
                    self.neighbours.setdefault(one.subnet, one)
            self.neighbours[own.subnet] = own

    def _split(self, now: float) -> Iterator[Effect]:
        """The half of the members that is farthest from the speaker becomes a subnet of its own."""
        leaving = halves(self.members, self.profiles.values(), self.name)[1]
        supers = [self.members[name] for name in leaving if self.members[name].is_super]
        if not supers:
            return
        best = max(supers, key=lambda member: member.rank)
        members = tuple(self.members[name] for name in leaving)
        message = Assigned(f"{self.subnet}/{best.name}", self.term + 1, best.name, members)
        self.neighbours[message.subnet] = Neighbour(message.subnet, best.name, best.address, len(members))
        for name in leaving:
            self.remove(name)
            self.lost.pop(name, None)
            self._moved[name] = message
            yield Send(name, message)

    def _merge(self, now: float) -> Iterator[Effect]:
        """Members move to the smallest neighbouring subnet that has room; this peer is the last."""
        fits = [one for one in self.neighbours.values() if one.size + len(self.members) <= self.sizes.most]
        if not fits:
            return
        other = min(fits, key=lambda one: (one.size, one.subnet))
        speaker = Member(other.speaker, other.address, True, 0.0)
        message = Assigned(other.subnet, self.term, other.speaker, (*self.members.values(), speaker))
        for name in [name for name in self.members if name != self.name]:
            yield Send(name, message)
        yield from self.assigned(message, now)

    def assigned(self, message: Assigned, now: float) -> list[Effect]:
        """This peer belongs to another subnet from now on."""
        if message.subnet == self.subnet and message.term <= self.term:
            return []
        self.members = {member.name: member for member in message.members}
        self.subnet, self.term, self.roster = message.subnet, message.term, -1
        self.lost.clear()
        self._election = None
        self.profiles.clear()
        if message.speaker == self.name:
            self.speaker = self.name
            return self._become_speaker(message.subnet, now)
        self.speaker = message.speaker
        self._heard[self.speaker] = now
        return [Send(self.speaker, Join(self.profile()))]
