"""A peer without its network and clock: messages and time in, effects out.

handle(sender, message, now)   tick(now)   publish   append   subscribe   ─►   effects
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from slackwater.base.diagnostic import EngineError
from slackwater.globe.compute.computation import END, START
from slackwater.globe.model import Peer, PeerName, Published, StreamId, Subscription
from slackwater.globe.network import Link
from slackwater.globe.protocol import codec, problems
from slackwater.globe.protocol.backbone import Backbone
from slackwater.globe.protocol.links import Limits
from slackwater.globe.protocol.membership import Membership, Sizes, Times
from slackwater.globe.protocol.messages import (
    NONE,
    Ack,
    Alive,
    Answer,
    Assigned,
    Border,
    Coordinator,
    Data,
    Effect,
    Election,
    Epoch,
    Greeting,
    Install,
    Join,
    Knock,
    Leave,
    Message,
    Part,
    Profile,
    Pulse,
    Resume,
    Send,
    Version,
    Wish,
)
from slackwater.globe.protocol.speaker import Planning, Speaker
from slackwater.globe.protocol.store import Store
from slackwater.globe.protocol.worker import NEVER, Make, Worker, source_key

_PROFILE, _PLACE = "profile", "place"


@dataclass(slots=True)
class Node:
    """A peer."""

    peer: Peer
    store: Store
    planning: Planning
    make: Make
    links: tuple[Link, ...] = ()
    contacts: tuple[str, ...] = ()
    address: str = ""
    limits: Limits = field(default_factory=Limits)
    times: Times = field(default_factory=Times)
    sizes: Sizes = field(default_factory=Sizes)
    most_wishes: int = 10_000
    profile: Profile = field(init=False)
    worker: Worker = field(init=False)
    membership: Membership = field(init=False)
    backbone: Backbone = field(init=False)
    speaker: Speaker | None = field(init=False, default=None)
    installed: Version = field(init=False, default=NONE)
    _installed_in: str = field(init=False, default="")
    """The subnet whose speaker has sent the part."""
    part: Part = field(init=False, default_factory=Part)
    _planned: tuple[object, ...] = field(init=False, default=())
    """From what the plan was made last."""
    _planned_at: float = field(init=False, default=NEVER)
    _stored: tuple[object, ...] = field(init=False, default=())

    def __post_init__(self) -> None:
        if any(link.a == link.b for link in self.links):
            raise EngineError(problems.SELF_LINK.at(name=self.peer.name))
        self.profile = Profile(self.peer, self.links, address=self.address)
        stored = self.store.load(_PROFILE)
        if stored is not None:
            before = codec.decode(Profile, stored)
            self.profile = replace(before, peer=self.peer, links=self.links, address=self.address)
            self.profile = replace(self.profile, version=before.version + 1)
        self.worker = Worker(self.store, self.make, self.limits)
        self.membership = Membership(lambda: self.profile, self.contacts, self.times, self.sizes)
        self.backbone = Backbone(self.membership)

    def start(self, now: float) -> list[Effect]:
        """Begin, or go on after a restart."""
        stored = self.store.load(_PLACE)
        if stored is not None:
            place = codec.decode(codec.Place, stored)
            self.membership.restore(place.subnet, place.term, place.speaker, place.members, now)
        return self.tick(now)

    # What the user of this peer does.

    def publish(self, stream: Published, now: float) -> list[Effect]:
        """Announce a stream or document of this peer."""
        known = next((one for one in self.profile.published if one.id == stream.id), None)
        # Another sample has other statistics, and is the same stream.
        if known is not None and replace(known, statistics=stream.statistics) == stream:
            return []
        if known is not None:
            raise EngineError(problems.STREAM_EXISTS.at(name=stream.id))
        return self._change(replace(self.profile, published=(*self.profile.published, stream)), now)

    def append(self, name: StreamId, epoch: Epoch, now: float) -> list[Effect]:
        """Commit the next epoch of a published stream; edges must increase."""
        position = self.position(name)
        if not position < epoch.edge <= END:
            raise EngineError(problems.WRONG_EDGE.at(name=name, edge=epoch.edge, position=position))
        return self.worker.append(name, epoch, now)

    def position(self, name: StreamId) -> int:
        """The last edge of a stream that is published here."""
        if all(one.id != name for one in self.profile.published):
            raise EngineError(problems.NOT_PUBLISHED.at(name=name, peer=self.peer.name))
        return self.store.log(source_key(name)).position

    def subscribe(self, subscription: Subscription, now: float, start: int = START) -> list[Effect]:
        """Wish for a subscription at this peer, from a position on."""
        if any(wish.subscription.id == subscription.id for wish in self.profile.wishes):
            raise EngineError(problems.SUBSCRIBED.at(name=subscription.id))
        if len(self.profile.wishes) >= self.most_wishes:
            raise EngineError(problems.MANY_SUBSCRIPTIONS.at(most=self.most_wishes))
        wish = Wish(subscription, int(now * 1e6), start)
        return self._change(replace(self.profile, wishes=(*self.profile.wishes, wish)), now)

    def unsubscribe(self, id: str, now: float) -> list[Effect]:
        left = tuple(wish for wish in self.profile.wishes if wish.subscription.id != id)
        self.worker.forget(id)
        return self._change(replace(self.profile, wishes=left), now)

    def reoptimize(self, now: float) -> list[Effect]:
        """Plan everything anew, as the speaker."""
        assert self.speaker is not None
        return self._after(list(self.speaker.reoptimize()), now)

    def leave(self) -> list[Effect]:
        """Leave the network for good."""
        speaker = self.membership.speaker
        return [Send(speaker, Leave(self.peer.name))] if speaker not in ("", self.peer.name) else []

    def _change(self, profile: Profile, now: float) -> list[Effect]:
        self.profile = replace(profile, version=profile.version + 1)
        self.store.save(_PROFILE, codec.encode(self.profile))
        if self.membership.is_speaker:
            self.membership.profiles[self.peer.name] = self.profile
            return self._after([], now)
        speaker = self.membership.speaker
        return [Send(speaker, Join(self.profile))] if speaker else []

    # Time and messages.

    def tick(self, now: float) -> list[Effect]:
        effects = [*self.membership.tick(now), *self.worker.pump(now)]
        return self._after([self._informed(effect) for effect in effects], now)

    def _informed(self, effect: Effect) -> Effect:
        """A pulse says which part is installed, and where the published streams are."""
        if not isinstance(effect, Send) or not isinstance(effect.message, Pulse):
            return effect
        published = [one.id for one in self.profile.published if one.kind == "stream"]
        positions = tuple((name, self.store.log(source_key(name)).position) for name in published)
        # A version of another subnet means nothing here: its terms and numbers are counted by themselves.
        installed = self.installed if self._installed_in == self.membership.subnet else NONE
        return Send(effect.to, replace(effect.message, installed=installed, positions=positions))

    def handle(self, sender: PeerName, message: Message, now: float) -> list[Effect]:
        """What follows from a message."""
        return self._after(list(self._handle(sender, message, now)), now)

    def _handle(self, sender: PeerName, message: Message, now: float) -> Iterable[Effect]:
        member, worker = self.membership, self.worker
        match message:
            case Resume():
                return worker.resume(sender, message, now)
            case Data():
                return worker.receive(sender, message, now)
            case Ack():
                return worker.acknowledge(sender, message, now)
            case Install():
                return self._install(sender, message, now)
            case Join():
                return member.join(message, now)
            case Leave():
                return member.leave(message)
            case Pulse():
                return [*member.pulse(sender, message, now), *self._pulsed(sender, message)]
            case Alive():
                return member.alive(sender, message, now)
            case Election():
                return member.election(sender, message, now)
            case Answer():
                member.answer(message, now)
            case Coordinator():
                return member.coordinator(sender, message, now)
            case Assigned():
                return member.assigned(message, now)
            case Greeting():
                member.greeting(message)
            case Knock():
                return self.backbone.knocked(message, now)
            case Border():
                self.backbone.heard(sender, message, now)
        return []

    def _pulsed(self, sender: PeerName, message: Pulse) -> list[Effect]:
        if self.speaker is None or sender not in self.membership.members:
            return []
        self.speaker.positions.update(message.positions)
        return self.speaker.remind(sender, message.installed)

    def _install(self, sender: PeerName, message: Install, now: float) -> list[Effect]:
        is_wrong = sender != self.membership.speaker or message.subnet != self.membership.subnet
        *age, speaker = message.version
        *known, before = self.installed
        is_older = self._installed_in == message.subnet and speaker == before and age <= known
        if is_wrong or speaker != sender or is_older:
            return []
        self.installed, self._installed_in, self.part = message.version, message.subnet, message.part
        published = frozenset(one.id for one in self.profile.published if one.kind == "stream")
        return self.worker.install(message.part, published, now)

    # The speaker's part.

    def _after(self, effects: list[Effect], now: float) -> list[Effect]:
        """Plan if anything has changed, remember where this peer is, and deliver messages to itself."""
        self._remember()
        effects += self._lead(now)
        others: list[Effect] = []
        while effects:
            effect = effects.pop(0)
            if isinstance(effect, Send) and effect.to == self.peer.name:
                effects[:0] = self._handle(self.peer.name, effect.message, now)
            else:
                others.append(effect)
        return others

    def _lead(self, now: float) -> list[Effect]:
        member = self.membership
        if not member.is_speaker:
            self.speaker = None
            return []
        if self.speaker is None or (self.speaker.subnet, self.speaker.term) != (member.subnet, member.term):
            self.speaker = Speaker(self.planning, self.peer.name, member.subnet, member.term)
            self.backbone = Backbone(member)
        self.backbone.expire(now)
        grace = member.times.member * member.times.beat
        if not member.knows_all and now - member.since < grace:
            return []
        basis = (member.revision, self.profile.version, id(self.speaker), self.backbone.revision)
        is_changed = (
            basis != self._planned and now - self._planned_at >= member.times.plan * member.times.beat
        )
        if not is_changed and not self.backbone.is_due(now):
            return []
        known = {name: profile for name, profile in member.profiles.items() if name in member.members}
        known[self.peer.name] = self.profile
        planned: list[Send] = []
        if is_changed:
            planned = self._plan(self.speaker, known)
            self._planned, self._planned_at = basis, now
        return [*planned, *self.backbone.speak(known, self.speaker, now)]

    def _plan(self, speaker: Speaker, known: Mapping[PeerName, Profile]) -> list[Send]:
        own = [one.id for one in self.profile.published if one.kind == "stream"]
        speaker.positions.update({name: self.store.log(source_key(name)).position for name in own})
        return speaker.plan(known, self.backbone.outside(known, speaker))

    def _remember(self) -> None:
        """Keep the place in the network, for a restart."""
        member = self.membership
        place = (member.subnet, member.term, member.speaker, member.roster, len(member.members))
        if member.subnet and place != self._stored:
            members = tuple(member.members.values())
            record = codec.Place(member.subnet, member.term, member.speaker, members)
            self.store.save(_PLACE, codec.encode(record))
            self._stored = place
