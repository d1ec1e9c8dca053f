"""Peers as cards: a name, what is published, which tasks run, which subscriptions are delivered."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from xml.sax.saxutils import escape

from slackwater.globe.model import Deployment, Peer, PeerName

_LINE, _HEAD, _PAD = 16.0, 24.0, 10.0
_CHARACTER = 6.7
_MOST_ROWS = 9


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a card: its kind, and its text."""

    kind: str
    text: str
    colour: str = ""


@dataclass(frozen=True, slots=True)
class Card:
    """A card and its place: x and y are its centre."""

    peer: Peer
    rows: tuple[Row, ...]
    load: float
    x: float = 0.0
    y: float = 0.0

    @property
    def width(self) -> float:
        longest = max([len(self.peer.name) + 6, *(len(row.text) + 3 for row in self.rows)])
        return max(64.0, longest * _CHARACTER + 2 * _PAD)

    @property
    def height(self) -> float:
        return _HEAD + len(self.rows) * _LINE + (8.0 if self.rows else 4.0)

    def border(self, ux: float, uy: float, ox: float, oy: float) -> tuple[float, float]:
        """Where a line in a direction leaves the card, if it is moved aside by ox, oy."""
        limits = []
        for direction, aside, half in ((ux, ox, self.width / 2), (uy, oy, self.height / 2)):
            if abs(direction) > 1e-9:
                limits.append((half - (aside if direction > 0 else -aside)) / abs(direction))
        far = max(0.0, min(limits)) + 3
        return self.x + ox + ux * far, self.y + oy + uy * far


_MARKS = {"more": "…", "published": "◉", "document": "▤", "task": "ƒ", "delivered": "▸"}


def rows_of(deployment: Deployment, colours: dict[str, str]) -> dict[PeerName, tuple[Row, ...]]:
    """What is to be said of each peer."""
    rows: dict[PeerName, list[Row]] = {peer.name: [] for peer in deployment.network.peers}
    for one in deployment.published:
        if one.kind == "module":
            continue
        kind = "published" if one.kind == "stream" else "document"
        rows[one.at].append(Row(kind, one.id, colours.get(one.id, "")))
    for task in deployment.tasks:
        rows[task.at].append(Row("task", task.id, colours.get(task.output, "")))
    for subscription in deployment.subscriptions:
        rows[subscription.at].append(Row("delivered", subscription.id, colours.get(subscription.result, "")))
    return {name: _shortened(some) for name, some in rows.items()}


def _shortened(rows: list[Row]) -> tuple[Row, ...]:
    if len(rows) <= _MOST_ROWS:
        return tuple(rows)
    return (*rows[: _MOST_ROWS - 1], Row("more", f"{len(rows) - _MOST_ROWS + 1} more"))


def card(one: Card) -> Iterator[str]:
    """The card as SVG."""
    left, top = one.x - one.width / 2, one.y - one.height / 2
    radius = 7 if one.peer.kind == "super" else 14
    yield (
        f'<rect class="card {one.peer.kind}" x="{left:.1f}" y="{top:.1f}" width="{one.width:.1f}" '
        f'height="{one.height:.1f}" rx="{radius}"/>'
    )
    yield f'<text class="name" x="{left + _PAD:.1f}" y="{top + 17:.1f}">{escape(one.peer.name)}</text>'
    if one.load:
        full = one.width - 2 * _PAD
        used = max(2.0, full * min(1.0, one.load))
        place = f'x="{left + _PAD:.1f}" y="{top + 22:.1f}" height="2.5" rx="1"'
        yield f'<rect class="gauge" {place} width="{full:.1f}"/>'
        yield f'<rect class="used" {place} width="{used:.1f}"/>'
    for number, row in enumerate(one.rows):
        y = top + _HEAD + 14 + number * _LINE
        style = f' style="fill:{row.colour}"' if row.colour else ""
        yield (
            f'<text class="mark" x="{left + _PAD:.1f}" y="{y:.1f}"{style}>{_MARKS[row.kind]}</text>'
            f'<text class="{row.kind}" x="{left + _PAD + 14:.1f}" y="{y:.1f}">{escape(row.text)}</text>'
        )
