"""Links and flows: a grey line for a link, one coloured arrow beside the other for what flows over it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import hypot, log10
from xml.sax.saxutils import escape

from slackwater.globe.draw.cards import Card
from slackwater.globe.model import Deployment, PeerName, StreamId

_BESIDE = 9.0
_MOST_LABELS = 24


@dataclass(frozen=True, slots=True)
class Carried:
    """What a stream is in the picture."""

    colour: str
    bytes_per_second: float

    @property
    def width(self) -> float:
        """Thicker for more bytes, by orders of magnitude."""
        return min(8.0, max(1.4, 1.4 + 1.3 * log10(max(self.bytes_per_second, 1.0) / 10)))


def links(deployment: Deployment, cards: Mapping[PeerName, Card]) -> Iterator[str]:
    """All links between peers in the picture."""
    for link in deployment.network.links:
        if link.a in cards and link.b in cards:
            a, b = cards[link.a], cards[link.b]
            yield f'<line class="link" x1="{a.x:.1f}" y1="{a.y:.1f}" x2="{b.x:.1f}" y2="{b.y:.1f}"/>'


def flows(
    deployment: Deployment, cards: Mapping[PeerName, Card], carried: Mapping[StreamId, Carried]
) -> Iterator[str]:
    """An arrow for each stream over each link, side by side."""
    over: defaultdict[tuple[PeerName, PeerName], list[tuple[StreamId, PeerName, PeerName]]] = defaultdict(
        list
    )
    for flow in deployment.flows:
        for sender, receiver in flow.links:
            ends = (sender, receiver) if sender <= receiver else (receiver, sender)
            over[ends].append((flow.stream, sender, receiver))
    for ends, streams in over.items():
        if ends[0] not in cards or ends[1] not in cards:
            continue
        for place, (stream, sender, receiver) in enumerate(streams):
            side = (place - (len(streams) - 1) / 2) * _BESIDE
            yield _arrow(
                cards[sender], cards[receiver], side if sender == ends[0] else -side, carried[stream], stream
            )


def loads(
    deployment: Deployment, cards: Mapping[PeerName, Card], traffic: Mapping[tuple[str, str], float]
) -> Iterator[str]:
    """How much of its bandwidth a link carries, beside it; in a large picture only where that is much."""
    centre = sum(one.x for one in cards.values()) / max(len(cards), 1)
    streams = Counter(tuple(sorted(pair)) for flow in deployment.flows for pair in flow.links)
    least = 0.0 if len(traffic) <= _MOST_LABELS else 0.01
    for link in deployment.network.links:
        used = traffic.get(link.ends, 0.0)
        if used / link.bandwidth > least and link.a in cards and link.b in cards:
            text = f"{size(used)}/s, {share(used / link.bandwidth)}"
            x, y, (across, down) = _middle(cards[link.a], cards[link.b])
            # Outwards, or to the lower side.
            if (x - centre) * across < -9 or (abs((x - centre) * across) <= 9 and down < 0):
                across, down = -across, -down
            aside = 4 + streams[link.ends] * _BESIDE / 2 + abs(across) * len(text) * 3.1 + abs(down) * 6
            sides = [(x + sign * across * aside, y + sign * down * aside + 3) for sign in (1, -1)]
            first, other = sides
            x, y = other if _is_covered(first, text, cards) and not _is_covered(other, text, cards) else first
            yield f'<text class="load mid" x="{x:.1f}" y="{y:.1f}">{escape(text)}</text>'


def _is_covered(place: tuple[float, float], text: str, cards: Mapping[PeerName, Card]) -> bool:
    """Whether a label with its middle at a place would overlap a card."""
    x, y = place
    wide = len(text) * 3.1 + 3
    return any(
        abs(card.x - x) < card.width / 2 + wide and abs(card.y - y + 3) < card.height / 2 + 7
        for card in cards.values()
    )


def size(amount: float) -> str:
    """Bytes in a few characters."""
    if amount < 1:
        return "< 1 B"
    for unit in ("B", "kB", "MB", "GB"):
        if amount < 1000 or unit == "GB":
            return f"{amount:.3g} {unit}"
        amount /= 1000
    raise AssertionError


def share(part: float) -> str:
    """A part of a whole, in per cent."""
    return "< 0.1 %" if part < 0.001 else f"{100 * part:.2g} %"


def _arrow(sender: Card, receiver: Card, side: float, carried: Carried, stream: StreamId) -> str:
    """From the edge of one card to that of the other, a little beside the line between them."""
    dx, dy = receiver.x - sender.x, receiver.y - sender.y
    length = hypot(dx, dy) or 1.0
    ux, uy = dx / length, dy / length
    ox, oy = -uy * side, ux * side
    x1, y1 = sender.border(ux, uy, ox, oy)
    x2, y2 = receiver.border(-ux, -uy, ox, oy)
    head = 5.0 + 1.2 * carried.width
    bx, by = x2 - ux * head, y2 - uy * head
    wx, wy = -uy * head * 0.55, ux * head * 0.55
    return (
        f'<g fill="{carried.colour}" stroke="{carried.colour}"><title>{escape(stream)}</title>'
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{bx:.1f}" y2="{by:.1f}" stroke-width="{carried.width:.1f}"/>'
        f'<path stroke="none" d="M{x2:.1f} {y2:.1f}L{bx + wx:.1f} {by + wy:.1f}'
        f'L{bx - wx:.1f} {by - wy:.1f}z"/></g>'
    )


def _middle(a: Card, b: Card) -> tuple[float, float, tuple[float, float]]:
    """The middle of the visible part of a link, and a direction across it."""
    dx, dy = b.x - a.x, b.y - a.y
    length = hypot(dx, dy) or 1.0
    ux, uy = dx / length, dy / length
    (x1, y1), (x2, y2) = a.border(ux, uy, 0, 0), b.border(-ux, -uy, 0, 0)
    return (x1 + x2) / 2, (y1 + y2) / 2, (-uy, ux)
