"""What peers say to each other.

data         Resume ──►  ◄── Data  Ack ──►                     along a stream, between neighbours
membership   Join  Pulse ──►  ◄── Alive                        members and their speaker
             Election  Answer  Coordinator                     who the speaker is
             Assigned  Greeting                                subnets that split, merge, know each other
             Knock  Border                                     speakers of subnets with links between them
plans        ◄── Install                                       what a peer runs
"""

from __future__ import annotations

from dataclasses import dataclass

from slackwater.globe.model import Peer, PeerName, Properties, Published, StreamId, Subscription, Task
from slackwater.globe.network import Link

NOW = 2**63 - 1
"""The start of a subscription that begins with the epochs to come."""

Version = tuple[int, int, PeerName]
"""Of a part: the term of the speaker, a number, and the speaker."""
NONE: Version = (0, 0, "")


@dataclass(frozen=True, slots=True)
class Epoch:
    """The packed items of a stream between the edge before and this one."""

    edge: int
    items: bytes = b""


@dataclass(frozen=True, slots=True)
class Resume:
    """The sender has committed a stream up to `after` and wants what follows."""

    stream: StreamId
    digest: str
    after: int


@dataclass(frozen=True, slots=True)
class Data:
    """All epochs of a stream between `after` and the edge of the last one."""

    stream: StreamId
    digest: str
    after: int
    epochs: tuple[Epoch, ...]


@dataclass(frozen=True, slots=True)
class Ack:
    """The sender has committed a stream up to a position and has room for so many bytes."""

    stream: StreamId
    digest: str
    position: int
    room: int


@dataclass(frozen=True, slots=True)
class Wish:
    """A subscription as its peer wants it: the order of registration, and the position it begins after."""

    subscription: Subscription
    order: int
    start: int


@dataclass(frozen=True, slots=True)
class Profile:
    """What a peer is, its links, and what it publishes and subscribes. Newer versions replace older ones.

    A speaker knows nothing else of its subnet, so that a new one learns all from the members.
    """

    peer: Peer
    links: tuple[Link, ...] = ()
    published: tuple[Published, ...] = ()
    wishes: tuple[Wish, ...] = ()
    version: int = 0
    address: str = ""


@dataclass(frozen=True, slots=True)
class Member:
    """A peer as all members of its subnet know it."""

    name: PeerName
    address: str
    is_super: bool
    capacity: float

    @property
    def rank(self) -> tuple[float, PeerName]:
        """Speakers are elected by capacity, then by name."""
        return self.capacity, self.name


@dataclass(frozen=True, slots=True)
class Neighbour:
    """The speaker of another subnet, and how many members that has."""

    subnet: str
    speaker: PeerName
    address: str
    size: int


@dataclass(frozen=True, slots=True)
class Join:
    """A profile, new or changed, on its way to the speaker."""

    profile: Profile
    hops: int = 0


@dataclass(frozen=True, slots=True)
class Leave:
    """The peer leaves for good."""

    name: PeerName


@dataclass(frozen=True, slots=True)
class Pulse:
    """A member is alive, and this is what it knows."""

    subnet: str
    term: int
    roster: int
    profile: int
    installed: Version
    positions: tuple[tuple[StreamId, int], ...] = ()
    """The last edges of the streams that it publishes."""


@dataclass(frozen=True, slots=True)
class Alive:
    """The speaker is alive; with what the member did not know."""

    subnet: str
    term: int
    roster: int
    members: tuple[Member, ...] = ()
    neighbours: tuple[Neighbour, ...] = ()
    wants_profile: bool = False


@dataclass(frozen=True, slots=True)
class Election:
    """A super-peer of lower rank misses the speaker."""

    subnet: str
    term: int


@dataclass(frozen=True, slots=True)
class Answer:
    """A super-peer of higher rank takes over the election."""

    subnet: str


@dataclass(frozen=True, slots=True)
class Coordinator:
    """The sender is the speaker."""

    subnet: str
    term: int
    rank: tuple[float, PeerName]
    address: str = ""


@dataclass(frozen=True, slots=True)
class Assigned:
    """The receiver belongs to this subnet from now on: its own was split, or merged with it."""

    subnet: str
    term: int
    speaker: PeerName
    members: tuple[Member, ...]


@dataclass(frozen=True, slots=True)
class Greeting:
    """A speaker tells another which subnets it knows, its own first."""

    subnets: tuple[Neighbour, ...]


@dataclass(frozen=True, slots=True)
class Knock:
    """A speaker looks for the subnet of peers that its members are linked to."""

    subnet: Neighbour
    ends: tuple[PeerName, ...]
    hops: int = 0


@dataclass(frozen=True, slots=True)
class Seek:
    """A stream that is not published in the subnets of the path, the last of which asks."""

    stream: StreamId
    path: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Offer:
    """A stream that comes through the subnets of the path: the first offers it, the last publishes it."""

    published: Published
    path: tuple[str, ...]
    position: int
    """Its last edge, as far as is known."""


@dataclass(frozen=True, slots=True)
class Want:
    """A part of a stream that shall pass, by this name, from a peer of another subnet to a neighbour here."""

    stream: StreamId
    need: Properties
    sender: PeerName
    receiver: PeerName


@dataclass(frozen=True, slots=True)
class Border:
    """All that a speaker has to say to that of a neighbouring subnet. It is said again and again."""

    subnet: Neighbour
    term: int
    links: tuple[Link, ...] = ()
    """The links of its members to peers outside."""
    ends: tuple[tuple[PeerName, str], ...] = ()
    """Its members at links to peers outside, with their addresses."""
    seeks: tuple[Seek, ...] = ()
    offers: tuple[Offer, ...] = ()
    wants: tuple[Want, ...] = ()
    refusals: tuple[StreamId, ...] = ()
    """What the receiver wants and no peer here can compute."""
    shape: str = ""
    """A name for the peers and links of the subnet: with others, what was refused may be possible."""


@dataclass(frozen=True, slots=True)
class StreamPart:
    """A stream at a peer: the neighbour it comes from (none if it begins here), and those it goes to.

    The digest is that of its definition: a stream with another one has other items.
    """

    id: StreamId
    digest: str
    upstream: PeerName
    downstream: tuple[PeerName, ...]


@dataclass(frozen=True, slots=True)
class Delivery:
    """A subscription of a peer, the stream that is delivered, and where it begins."""

    subscription: str
    stream: StreamId
    start: int


@dataclass(frozen=True, slots=True)
class Part:
    """What a deployment asks of one peer."""

    streams: tuple[StreamPart, ...] = ()
    tasks: tuple[Task, ...] = ()
    published: tuple[Published, ...] = ()
    """Definitions of the streams that tasks read, with those in `ancestors`."""
    ancestors: tuple[Task, ...] = ()
    deliveries: tuple[Delivery, ...] = ()
    failures: tuple[tuple[str, str], ...] = ()
    """Subscriptions of this peer that could not be registered, and why."""
    addresses: tuple[tuple[PeerName, str], ...] = ()
    """Of neighbours in other subnets."""


@dataclass(frozen=True, slots=True)
class Install:
    """Run this part instead of any before it."""

    subnet: str
    version: Version
    part: Part


Message = (
    Resume | Data | Ack | Join | Leave | Pulse | Alive | Election | Answer | Coordinator | Assigned | Greeting
    | Knock | Border | Install
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Send:
    """An effect: a message to a peer, by name or, before its name is known, by address."""

    to: PeerName
    message: Message


@dataclass(frozen=True, slots=True)
class Delivered:
    """An effect: an epoch of a subscription is committed at its peer."""

    subscription: str
    epoch: Epoch


@dataclass(frozen=True, slots=True)
class Reported:
    """An effect: something the peer's user should know."""

    code: str
    text: str


Effect = Send | Delivered | Reported
