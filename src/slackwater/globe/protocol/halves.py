"""A subnet in two halves, each of them connected where that is possible."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from slackwater.globe.model import PeerName
from slackwater.globe.protocol.messages import Member, Profile

_LEAST = 3
"""A half has at least one of so many members."""


def halves(
    members: Mapping[PeerName, Member], profiles: Iterable[Profile], speaker: PeerName
) -> tuple[list[PeerName], list[PeerName]]:
    """The members that stay with the speaker, and those that leave.

    Both halves grow along links, from the speaker and from the super-peer that is farthest from it, so that
    streams inside a half need not pass through the other. A star has no such halves: the farther peers leave.
    """
    links = _links(members, profiles)
    order = _by_distance(links, speaker)
    supers = [name for name in order if members[name].is_super and name != speaker]
    if supers:
        staying, leaving = _grown(links, speaker, supers[-1])
        if len(leaving) * _LEAST >= len(order):
            return staying, leaving
    half = len(order) // 2 + len(order) % 2
    return order[:half], order[half:]


def _grown(
    links: Mapping[PeerName, set[PeerName]], one: PeerName, other: PeerName
) -> tuple[list[PeerName], list[PeerName]]:
    """The smaller half takes the next peer that is linked to it; what is linked to neither stays."""
    halves, placed, places = ([one], [other]), {one, other}, [0, 0]
    while True:
        nexts = []
        for number, half in enumerate(halves):
            while places[number] < len(half) and links[half[places[number]]] <= placed:
                places[number] += 1
            if places[number] < len(half):
                nexts.append((len(half), number))
        if not nexts:
            break
        number = min(nexts)[1]
        half = halves[number]
        chosen = min(links[half[places[number]]] - placed)
        half.append(chosen)
        placed.add(chosen)
    return [*halves[0], *sorted(links.keys() - placed)], halves[1]


def _links(members: Mapping[PeerName, Member], profiles: Iterable[Profile]) -> dict[PeerName, set[PeerName]]:
    links: dict[PeerName, set[PeerName]] = {name: set() for name in members}
    for profile in profiles:
        for link in profile.links:
            if link.a in links and link.b in links:
                links[link.a].add(link.b)
                links[link.b].add(link.a)
    return links


def _by_distance(links: Mapping[PeerName, set[PeerName]], start: PeerName) -> list[PeerName]:
    """The members by their hops from one; unlinked ones last."""
    order, known = [start], {start}
    for name in order:
        nexts = sorted(links[name] - known)
        order += nexts
        known.update(nexts)
    return [*order, *sorted(links.keys() - known)]
