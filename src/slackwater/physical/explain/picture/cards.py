"""The shapes of a picture: cards with the lines of a box, pills for exchanges, arrows, marks of queries."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from xml.sax.saxutils import escape

from slackwater.physical.explain.picture.arrange import Point
from slackwater.physical.explain.picture.boxes import LINE, PADDING, Box, Line
from slackwater.physical.explain.picture.style import QUERIES

_MOST_MARKS = 6
"""With more queries than these, a shared box has their number instead of a mark for each."""
_TIP = 5.0
_BASELINE = 4.0
"""How far the baseline of a text is below its middle; not every viewer centres texts."""


def arrow(source: Box, target: Box, points: list[Point]) -> str:
    """A line through the points; one that moves elements has the colour of exchanges."""
    moves = source.is_exchange or target.is_exchange
    tip = 0.0 if target.is_exchange else _TIP
    points = [*points[:-1], (points[-1][0], points[-1][1] - tip)]
    path = [f"M{points[0][0]:.1f} {points[0][1]:.1f}"]
    for (x, y), (to, end) in pairwise(points):
        middle = (y + end) / 2
        curve = f"C{x:.1f} {middle:.1f} {to:.1f} {middle:.1f} {to:.1f} {end:.1f}"
        path.append(f"V{end:.1f}" if abs(x - to) < 0.5 else curve)
    line = f'<path class="{"moves" if moves else "line"}" d="{"".join(path)}"/>'
    x, y = points[-1]
    head = (
        f'<path class="{"arrives" if moves else "head"}" d="M{x - 4:.1f} {y - 2:.1f}h8l-4 {_TIP + 2:.1f}z"/>'
    )
    return f"{line}{head}" if tip else line


def pill(box: Box, place: Point) -> str:
    """An exchange."""
    (x, y), item, (line,) = place, box.item, box.lines
    return (
        f'<g><title>{escape(line.title)}</title><rect class="pill" x="{x:.1f}" y="{y:.1f}" '
        f'width="{item.width:.1f}" height="{item.height:.1f}" rx="{item.height / 2:.1f}"/>'
        f'<text class="way mid" x="{x + item.width / 2:.1f}" y="{y + item.height / 2 + _BASELINE:.1f}">'
        f"{escape(line.word)}</text></g>"
    )


def card(box: Box, place: Point) -> str:
    """Steps that are drawn as one."""
    (x, y), item = place, box.item
    parts = [
        f'<g><rect class="card" x="{x:.1f}" y="{y:.1f}" width="{item.width:.1f}" '
        f'height="{item.height:.1f}" rx="6"/>',
        f'<path class="{box.family}" d="M{x + 5:.1f} {y:.1f}a5 5 0 0 0 -5 5v{item.height - 10:.1f}'
        'a5 5 0 0 0 5 5z"/>',
    ]
    for number, line in enumerate(box.lines):
        middle = y + PADDING - 3 + (number + 0.5) * LINE
        parts += _row(line, x + PADDING + 4, middle, item.width)
    return "".join([*parts, *_marks(box.users, x + item.width, y - 2), "</g>"])


def _row(line: Line, x: float, y: float, width: float) -> Iterator[str]:
    tip = f"<title>{escape(line.title)}</title>" if line.title else ""
    base = y + _BASELINE
    match line.style:
        case "answer":
            yield (
                f'<g>{tip}<rect x="{x - 4:.1f}" y="{y - 8:.1f}" width="{width - PADDING - 6:.1f}" '
                f'height="16" rx="8" fill="{QUERIES[line.query % len(QUERIES)]}"/>'
            )
            yield f'<text class="answer" x="{x + 6:.1f}" y="{base:.1f}">⇒ {escape(line.word)}</text>'
            end = x + width - PADDING - 16
            yield f'<text class="answer end" x="{end:.1f}" y="{base:.1f}">{line.rest}</text></g>'
        case "state":
            yield disk(x, y)
            yield f'<text class="keeps" x="{x + 17:.1f}" y="{base:.1f}">{tip}{escape(line.rest)}</text>'
        case "grows":
            yield f'<path class="grows" d="M{x + 6:.1f} {y - 5.5:.1f}l5.5 10h-11z"/>'
            yield f'<text class="grows" x="{x + 17:.1f}" y="{base:.1f}">{tip}{escape(line.rest)}</text>'
        case _:
            rest = f" {escape(line.rest)}" if line.rest else ""
            word = f'<tspan class="word">{escape(line.word)}</tspan>'
            yield f'<text x="{x:.1f}" y="{base:.1f}">{tip}{word}{rest}</text>'


def disk(x: float, y: float) -> str:
    """The sign of state."""
    shape = "a5 2 0 0 1 10 0v7a5 2 0 0 1 -10 0zm0 0a5 2 0 0 0 10 0"
    return f'<path class="disk" d="M{x + 1:.1f} {y - 3.5:.1f}{shape}"/>'


def _marks(users: tuple[int, ...], right: float, middle: float) -> Iterator[str]:
    """The queries that share a box, at its upper right corner."""
    if len(users) < 2:
        return
    if len(users) > _MOST_MARKS:
        text = f"{len(users)} queries"
        width = len(text) * 5.4 + 12
        yield (
            f'<rect class="ring" x="{right - width - 6:.1f}" y="{middle - 8:.1f}" width="{width:.1f}" '
            f'height="16" rx="8" fill="{QUERIES[-1]}"/>'
            f'<text class="who" x="{right - width / 2 - 6:.1f}" y="{middle + 3:.1f}">{text}</text>'
        )
        return
    for at, user in enumerate(reversed(users)):
        yield mark(right - 14 - at * 15, middle, user)


def mark(x: float, y: float, query: int) -> str:
    """The mark of a query: its number in its colour."""
    return (
        f'<circle class="ring" cx="{x:.1f}" cy="{y:.1f}" r="8" fill="{QUERIES[query % len(QUERIES)]}"/>'
        f'<text class="who" x="{x:.1f}" y="{y + 3:.1f}">{query + 1}</text>'
    )
