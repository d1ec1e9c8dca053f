"""The picture of an explanation as SVG, by itself: no scripts, no fonts and no files from elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

from slackwater.base.span import Span
from slackwater.optimize.growth import Growth
from slackwater.physical.explain.explanation import Explanation
from slackwater.physical.explain.picture.arrange import Arranged, arranged
from slackwater.physical.explain.picture.boxes import Boxes, boxes_of
from slackwater.physical.explain.picture.cards import arrow, card, pill
from slackwater.physical.explain.picture.legend import HEIGHT as LEGEND
from slackwater.physical.explain.picture.legend import legend
from slackwater.physical.explain.picture.style import style
from slackwater.physical.explain.words import growth_in_words

_MARGIN = 22.0
_HEADER = 64.0
_GUTTER = 130.0
"""The space for the names of lanes."""
_NARROWEST = 760.0
_NOTE = 18.0
_MOST_NOTES = 12
_GROWS = '<path class="grows" d="M0 -9l5.5 10h-11z"/>'
_ANSWERED = '<path class="line" d="M4 -8v4h-8m3 -3l-3 3l3 3"/>'


def as_svg(explanation: Explanation, title: str) -> str:
    """The picture of the steps in their stages."""
    drawn = boxes_of(explanation)
    at = arranged([box.item for box in drawn.boxes], drawn.lines, len(list(explanation.parts)))
    width = max(at.width + _GUTTER + 2 * _MARGIN + 16, _NARROWEST)
    notes = _notes(explanation)
    height = _HEADER + at.height + len(notes) * _NOTE + LEGEND + _MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" role="img" aria-label={quoteattr(title)}>',
        f"<title>{escape(title)}</title><style>{style()}</style>",
        f'<rect class="paper" width="{width:.0f}" height="{height:.0f}" rx="10"/>',
        *_header(explanation, title),
        *_lanes(explanation, at, width),
        *_body(drawn, at, _MARGIN + _GUTTER + (width - _GUTTER - 2 * _MARGIN - at.width) / 2),
        *_note_lines(notes, _HEADER + at.height + 24),
        *legend(drawn, explanation, _MARGIN + 6, height - _MARGIN),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _header(explanation: Explanation, title: str) -> Iterator[str]:
    counts = {
        "query": len(explanation.queries),
        "step": len(explanation.graph.nodes),
        "stage": len(explanation.stages.stages),
        "exchange": sum(exchange.move.sums_for is None for exchange in explanation.exchanges),
    }
    shared = len(explanation.shared)
    words = [f"{count} {_plural(word, count)}" for word, count in counts.items()]
    words += [f"{shared} {_plural('step', shared)} shared"] if shared else []
    yield f'<text class="title" x="{_MARGIN}" y="32">{escape(title)}</text>'
    yield f'<text class="sub" x="{_MARGIN}" y="51">{" · ".join(words)}</text>'


def _plural(word: str, count: int) -> str:
    return word if count == 1 else "queries" if word == "query" else f"{word}s"


def _lanes(explanation: Explanation, at: Arranged, width: float) -> Iterator[str]:
    for (name, stage), (top, bottom) in zip(explanation.parts, at.bands, strict=True):
        is_single = bool(stage.works) and all(work.is_single for work in stage.works)
        below = "beside the sources" if name == "scan" else "in one partition" if is_single else ""
        y = _HEADER + top
        yield (
            f'<rect class="band" x="{_MARGIN}" y="{y:.1f}" width="{width - 2 * _MARGIN:.1f}" '
            f'height="{bottom - top:.1f}" rx="8"/>'
        )
        yield f'<text class="lane" x="{_MARGIN + 12}" y="{y + 24:.1f}">{name}</text>'
        if below:
            yield f'<text class="note" x="{_MARGIN + 12}" y="{y + 41:.1f}">{below}</text>'


def _body(drawn: Boxes, at: Arranged, left: float) -> Iterator[str]:
    yield f'<g transform="translate({left:.1f} {_HEADER:.1f})">'
    for (source, target), points in zip(drawn.lines, at.lines, strict=True):
        yield arrow(drawn.boxes[source], drawn.boxes[target], points)
    for box, place in zip(drawn.boxes, at.places, strict=True):
        yield pill(box, place) if box.is_exchange else card(box, place)
    yield "</g>"


def _notes(explanation: Explanation) -> list[tuple[str, str]]:
    """What is answered from what, and what grows without bound, with what would bound it, and their signs."""
    first: dict[Span | None, Growth] = {}
    for growth in (growth for several in explanation.growing.values() for growth in several):
        first.setdefault(growth.window, growth)
    return [
        *((_ANSWERED, f"{one.query}: {one}") for one in explanation.rewritings[:_MOST_NOTES]),
        *((_GROWS, growth_in_words(growth)) for growth in first.values()),
    ]


def _note_lines(notes: list[tuple[str, str]], top: float) -> Iterator[str]:
    for number, (sign, note) in enumerate(notes):
        x, y = _MARGIN + 12, top + number * _NOTE
        yield f'<g transform="translate({x:.1f} {y:.1f})">{sign}</g>'
        yield f'<text class="note" x="{x + 14:.1f}" y="{y:.1f}">{escape(note)}</text>'
