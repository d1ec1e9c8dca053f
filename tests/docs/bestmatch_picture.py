"""docs/pictures/bestmatch.svg: figure 4.1 of the thesis, points and the best pairs that the reference finds.

`make golden` rewrites it.
"""

from __future__ import annotations

from slackwater.base.span import Text
from slackwater.bind.catalog import Catalog
from slackwater.bind.program import bind
from slackwater.reference.bags import Changes
from slackwater.reference.history import Histories

POINTS = {
    "R": {"A": (10, 10), "B": (36, 34)},
    "S": {"a": (16, 16), "b": (24, 10), "c": (10, 24), "d": (42, 44)},
}
QUERY = """
CREATE RELATION R (name STRING, y1 INT, y2 INT);
CREATE RELATION S (name STRING, y1 INT, y2 INT);
SELECT R.name AS r, S.name AS s
FROM R {side} BESTMATCH JOIN S ON (ABS(R.y1 - S.y1)) MIN, (ABS(R.y2 - S.y2)) MIN;
"""
_CELL, _MARGIN, _SIZE = 5, 30, 50
_STYLE = (
    "text{font:13px sans-serif;fill:#333} .r{stroke:#c0392b;stroke-width:2} .s{fill:none;stroke:#2471a3;"
    "stroke-width:2} .best{stroke:#7f8c8d;stroke-width:6;stroke-linecap:round;opacity:.35} .axis{stroke:#999}"
)


def best_pairs(side: str) -> list[tuple[str, str]]:
    """The pairs in the answer, by name."""
    (query,) = bind(Text("figure.cql", QUERY.format(side=side)), Catalog())
    data: dict[str, Changes] = {
        name: {0: {(point, *place): 1 for point, place in points.items()}} for name, points in POINTS.items()
    }
    return sorted(Histories(data).changes(query.plan)[0])  # type: ignore[arg-type]


def picture() -> str:
    """Both parts of the figure, side by side."""
    width = 2 * _MARGIN + _SIZE * _CELL
    parts = [_part("(a) BESTMATCH JOIN", "", 0), _part("(b) LEFT OUTER BESTMATCH JOIN", "LEFT OUTER", width)]
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {2 * width} {width + 10}" role="img">'
    return "\n".join([head, f"<style>{_STYLE}</style>", *parts, "</svg>\n"])


def _part(title: str, side: str, left: int) -> str:
    high = _MARGIN + _SIZE * _CELL
    lines = [
        f'<path class="axis" fill="none" d="M{left + _MARGIN} {_MARGIN}V{high}H{left + high}"/>',
        f'<text x="{left + high - 20}" y="{high + 18}">y1</text>',
        f'<text x="{left + 8}" y="{_MARGIN + 14}">y2</text>',
        f'<text x="{left + _MARGIN}" y="{_MARGIN - 12}">{title}</text>',
    ]
    for r, s in best_pairs(side):
        (x, y), (u, v) = _place("R", r, left), _place("S", s, left)
        lines.append(f'<line class="best" x1="{x}" y1="{y}" x2="{u}" y2="{v}"/>')
    for name, points in POINTS.items():
        for point in points:
            x, y = _place(name, point, left)
            cross = f'<path class="r" d="M{x - 4} {y - 4}l8 8m0 -8l-8 8"/>'
            lines.append(cross if name == "R" else f'<circle class="s" cx="{x}" cy="{y}" r="4"/>')
            lines.append(f'<text x="{x + 7}" y="{y - 6}">{point}</text>')
    return "\n".join(lines)


def _place(name: str, point: str, left: int) -> tuple[int, int]:
    y1, y2 = POINTS[name][point]
    return left + _MARGIN + y1 * _CELL, _MARGIN + (_SIZE - y2) * _CELL
