"""Where everything of a picture is: lanes from top to bottom, rows in them, boxes in rows, lines between."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from slackwater.physical.explain.picture.layers import Item, Layers, layered
from slackwater.physical.explain.picture.places import placed

WIDEST = 1_080.0
"""The width after which a row is continued in the next one."""
BETWEEN = 22.0
"""The distance of boxes in a row."""
_ROWS = 30.0
_SLOPE = 0.06
"""How much further rows are apart where lines go far to the side."""
_LANE = 18.0
"""The space of a lane above its first and below its last row."""
_LANES = 12.0
_PORTS = 14.0
_LOWEST = 60.0

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Arranged:
    """Places of items (left and top), bands of lanes (top and bottom), and lines as points."""

    places: list[Point]
    bands: list[tuple[float, float]]
    lines: list[list[Point]]
    width: float
    height: float


def arranged(items: Sequence[Item], lines: Sequence[tuple[int, int]], lanes: int) -> Arranged:
    """The places of items that are connected by lines, in so many lanes."""
    layers = layered(items, lines, WIDEST, BETWEEN)
    xs = placed(layers, len(items), BETWEEN)
    tops, bottoms, bands = _rows(items, layers, xs, lanes)
    rank_of = {number: rank for rank, row in enumerate(layers.rows) for number in row}
    places = [(xs[n] - item.width / 2, tops[rank_of[n]]) for n, item in enumerate(items)]
    outs, ins = _ports(layers, items, xs)
    routed = [
        list(_route(number, path, items, xs, (tops, bottoms), rank_of, (outs, ins)))
        for number, path in enumerate(layers.paths)
    ]
    width = max((xs[n] + layers.widths[n] / 2 for n in range(len(xs))), default=0.0)
    return Arranged(places, bands, routed, width, bands[-1][1] if bands else 0.0)


def _rows(
    items: Sequence[Item], layers: Layers, xs: list[float], lanes: int
) -> tuple[list[float], list[float], list[tuple[float, float]]]:
    """The top and bottom of each row, and those of each lane."""
    tops: list[float] = []
    bottoms: list[float] = []
    bands: list[tuple[float, float]] = []
    y = 0.0
    for lane in range(lanes):
        begin, y = y, y + _LANE
        own = [rank for rank, of in enumerate(layers.lanes) if of == lane]
        for rank in own:
            tops.append(y)
            y += max((items[n].height for n in layers.rows[rank] if n < len(items)), default=0.0)
            bottoms.append(y)
            y += _distance(layers, rank, xs) if rank != own[-1] else 0.0
        y = max(y + _LANE, begin + _LOWEST)
        bands.append((begin, y))
        if own:
            y += max(_LANES, _distance(layers, own[-1], xs) - 2 * _LANE)
        else:
            y += _LANES
    return tops, bottoms, bands


def _distance(layers: Layers, rank: int, xs: list[float]) -> float:
    """How far the next row is below: further where lines go far to the side."""
    far = [abs(xs[n] - xs[other]) for n in layers.rows[rank] for other in layers.below[n]]
    return _ROWS + min(_SLOPE * max(far, default=0.0), 50.0)


def _ports(
    layers: Layers, items: Sequence[Item], xs: list[float]
) -> tuple[dict[int, float], dict[int, float]]:
    """For each line the x at which it leaves its first item, and the x at which it meets its last."""
    outs: dict[int, float] = {}
    ins: dict[int, float] = {}
    for number, item in enumerate(items):
        leaving = [line for line, path in enumerate(layers.paths) if path[0] == number]
        meeting = [line for line, path in enumerate(layers.paths) if path[-1] == number]
        leaving.sort(key=lambda line: xs[layers.paths[line][1]])
        meeting.sort(key=lambda line: xs[layers.paths[line][-2]])
        for lines, ports in ((leaving, outs), (meeting, ins)):
            step = min(_PORTS, (item.width - 30) / max(len(lines), 1))
            for at, line in enumerate(lines):
                ports[line] = xs[number] + (at - (len(lines) - 1) / 2) * step
    return outs, ins


def _route(
    line: int,
    path: list[int],
    items: Sequence[Item],
    xs: list[float],
    rows: tuple[list[float], list[float]],
    rank_of: dict[int, int],
    ports: tuple[dict[int, float], dict[int, float]],
) -> list[Point]:
    """The points of a line: down from an item, through the bends, to the top of another."""
    tops, bottoms = rows
    first, last = path[0], path[-1]
    x = ports[0][line]
    points = [(x, tops[rank_of[first]] + items[first].height), (x, bottoms[rank_of[first]])]
    for bend in path[1:-1]:
        points += [(xs[bend], tops[rank_of[bend]]), (xs[bend], bottoms[rank_of[bend]])]
    return [*points, (ports[1][line], tops[rank_of[last]])]
