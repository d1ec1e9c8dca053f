"""The legend of a picture: what occurs in it."""

from __future__ import annotations

from collections.abc import Iterator

from slackwater.physical.explain.explanation import Explanation
from slackwater.physical.explain.picture.boxes import Boxes
from slackwater.physical.explain.picture.cards import disk, mark
from slackwater.physical.explain.picture.labels import FAMILIES

HEIGHT = 46.0
_CHARACTER = 6.0
_BETWEEN = 18.0


def legend(drawn: Boxes, explanation: Explanation, x: float, y: float) -> Iterator[str]:
    """The signs of the picture in a line, from x on, with y as its middle."""
    for sign, width, text in _entries(drawn, explanation, y):
        yield f'<g transform="translate({x:.1f} 0)">{sign}</g>'
        yield f'<text class="note" x="{x + width + 6:.1f}" y="{y + 4:.1f}">{text}</text>'
        x += width + 6 + len(text) * _CHARACTER + _BETWEEN


def _entries(drawn: Boxes, explanation: Explanation, y: float) -> Iterator[tuple[str, float, str]]:
    """Each sign, drawn from 0 on, its width, and its meaning."""
    used = {box.family for box in drawn.boxes}
    lines = [line for box in drawn.boxes for line in box.lines]
    styles = {line.style for line in lines}
    for name, text in FAMILIES.items():
        if name in used:
            yield f'<rect class="{name}" x="0" y="{y - 6:.1f}" width="5" height="12" rx="2"/>', 5, text
    if "exchange" in used:
        yield f'<rect class="pill" x="0" y="{y - 6:.1f}" width="22" height="12" rx="6"/>', 22, "exchange"
    if any(line.style == "exchange" and line.word.endswith("Σ") for line in lines):
        yield f'<text class="way" x="0" y="{y + 4:.1f}">Σ</text>', 8, "or partial sums, if fewer"
    if "state" in styles:
        yield disk(0, y), 12, "state"
    if "grows" in styles:
        yield f'<path class="grows" d="M6 {y - 5.5:.1f}l5.5 10h-11z"/>', 12, "grows without bound"
    if explanation.shared:
        yield mark(8, y, 0) + mark(22, y, 1), 30, "shared by these queries"
