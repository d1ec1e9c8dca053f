"""Streams between subnets in the plan of one of them.

subnet B ──► a1 ──► …      another subnet is a peer: what is offered from there begins at it, and is filtered
                           there, as early as can be; what then passes to a1 is wanted from its speaker
… ──► b1 ──► (A)           what another subnet wants is brought to the peer at the link, and sent on
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from slackwater.globe.compute.computation import START
from slackwater.globe.model import (
    Deployment,
    Network,
    Peer,
    PeerName,
    Published,
    StreamId,
    Subscription,
    Task,
)
from slackwater.globe.network import Link
from slackwater.globe.protocol.borders import Crossing, Outside
from slackwater.globe.protocol.messages import Part, StreamPart, Want, Wish
from slackwater.globe.protocol.parts import Definitions
from slackwater.globe.split import raw

_LAST = 2**62
"""The order of what other subnets want: after the wishes of members."""
_ENDLESS = 1e18
"""The capacity of a subnet: its own speaker knows what its peers can bear."""
_PREFIX = "subnet "


def as_peer(subnet: str) -> PeerName:
    """The name of a subnet among the peers of another."""
    return _PREFIX + subnet


def with_subnets(
    network: Network, published: tuple[Published, ...], outside: Outside, names: Collection[StreamId]
) -> tuple[Network, tuple[Published, ...]]:
    """The network and what is published in it, with these streams of other subnets."""
    offers = [offer for offer in outside.offers if offer.published.id in names]
    subnets = sorted({offer.path[0] for offer in offers})
    if not subnets:
        return network, published
    peers = [
        Peer(as_peer(name), "subnet", _ENDLESS, frozenset(() if name in outside.refusing else ("filter",)))
        for name in subnets
    ]
    links = [
        Link(one.inside, as_peer(one.subnet), one.bandwidth)
        for one in outside.crossings
        if one.subnet in subnets
    ]
    imports = [
        replace(offer.published, at=as_peer(offer.path[0]), origin=offer.published.at) for offer in offers
    ]
    return Network((*network.peers, *peers), (*network.links, *links)), (*published, *imports)


def exports(outside: Outside) -> dict[str, tuple[str, Want]]:
    """What other subnets want from here, as subscriptions are named."""
    return {f"{want.stream}: {want.sender} → {want.receiver}": (name, want) for name, want in outside.wants}


def wish_of(id: str, want: Want) -> Wish:
    """What another subnet wants, as a wish of the peer at the link."""
    return Wish(Subscription(id, want.sender, "xquery", "", need=want.need), _LAST, START)


def wants_of(deployment: Deployment, outside: Outside) -> dict[str, tuple[Want, ...]]:
    """By subnet, the streams that a plan takes from it."""
    contents = {one.id: raw(one) for one in deployment.published}
    contents |= {task.output: task.properties for task in deployment.tasks}
    links = _by_ends(outside.crossings)
    wants: dict[str, list[Want]] = {}
    for flow in deployment.flows:
        for pair in flow.links:
            if (one := links.get(pair)) is not None:
                want = Want(flow.stream, contents[flow.stream], one.outside, one.inside)
                wants.setdefault(one.subnet, []).append(want)
    return {name: tuple(sorted(some, key=repr)) for name, some in wants.items()}


def crossed(
    parts: Mapping[PeerName, Part], deployment: Deployment, outside: Outside, definitions: Definitions
) -> dict[PeerName, Part]:
    """The parts of the members, with the peers outside that streams come from and go to."""
    links, known = _by_ends(outside.crossings), exports(outside)
    made = {name: part for name, part in parts.items() if not name.startswith(_PREFIX)}
    addresses = {one.outside: one.address for one in outside.crossings}
    for name, part in made.items():
        if any(stream.upstream.startswith(_PREFIX) for stream in part.streams):
            made[name] = _received(name, part, links, addresses)
    for one in deployment.subscriptions:
        if one.need is not None and one.id in known:
            want = known[one.id][1]
            made[one.at] = _sent(made[one.at], one, want, definitions, addresses)
    return made


def _by_ends(crossings: Iterable[Crossing]) -> dict[tuple[PeerName, PeerName], Crossing]:
    return {(as_peer(one.subnet), one.inside): one for one in crossings}


def _received(
    name: PeerName, part: Part, links: Mapping[tuple[PeerName, PeerName], Crossing],
    addresses: Mapping[PeerName, str],
) -> Part:  # fmt: skip
    streams = []
    outside: list[PeerName] = []
    for stream in part.streams:
        if (link := links.get((stream.upstream, name))) is not None:
            outside.append(link.outside)
            streams.append(replace(stream, upstream=link.outside))
        else:
            streams.append(stream)
    return replace(part, streams=tuple(streams), addresses=_with(part, outside, addresses))


def _sent(
    part: Part, one: Subscription, want: Want, definitions: Definitions, addresses: Mapping[PeerName, str]
) -> Part:
    """What is wanted has the name that the receiver gave it, and the items of the stream that is sent."""
    to = (want.receiver,)
    streams = {stream.id: stream for stream in part.streams}
    tasks, known = part.tasks, streams.get(want.stream)
    if known is None:
        estimate = definitions.estimate(one.result)
        made = Task(
            want.stream, one.at, "forward", "", (one.result,), want.stream, want.need, estimate, "forward"
        )
        tasks, known = (*tasks, made), StreamPart(want.stream, definitions.digest(one.result), "", ())
    streams[want.stream] = replace(known, downstream=tuple(dict.fromkeys((*known.downstream, *to))))
    ordered = tuple(streams[name] for name in sorted(streams))
    return replace(part, streams=ordered, tasks=tasks, addresses=_with(part, to, addresses))


def _with(
    part: Part, names: Iterable[PeerName], addresses: Mapping[PeerName, str]
) -> tuple[tuple[PeerName, str], ...]:
    known = {name: addresses[name] for name in names if name in addresses}
    return tuple(sorted({**dict(part.addresses), **known}.items()))
