"""A layered layout: items in rows, each below all that it uses, with few crossings of lines.

    lane 0   [a]  [b]           K. Sugiyama, S. Tagawa, M. Toda: Methods for visual understanding of
              │ ╲  │            hierarchical system structures. Rows are limited in width, as in the
    lane 1   [c]  [d]           layering of Coffman and Graham.

A line that passes a row without an item there has a *bend* in it, which takes part in the layout as a narrow
item.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

_ORDERINGS = 16
"""How often all rows are sorted, alternately from above and from below."""
BEND = 10.0
"""The width of a bend."""


@dataclass(frozen=True, slots=True)
class Item:
    """What is placed: its size, the lane in which it has to be, and whether it is at the top of it."""

    width: float
    height: float
    lane: int
    is_first: bool = False


@dataclass(slots=True)
class Layers:
    """Items and bends in rows, from left to right, and the lines between rows that are next to each other."""

    rows: list[list[int]]
    lanes: list[int]
    """The lane of each row."""
    widths: list[float]
    """Of each item, then of each bend."""
    paths: list[list[int]]
    """For each line the items and bends it connects, from the first to the last."""
    above: list[list[int]] = field(default_factory=list)
    below: list[list[int]] = field(default_factory=list)


def layered(items: Sequence[Item], lines: Sequence[tuple[int, int]], widest: float, gap: float) -> Layers:
    """The rows of the items. Lines lead from an earlier item to a later one, never to an earlier lane."""
    ranks, lanes = _ranked(items, lines, widest, gap)
    layers = Layers([[] for _ in lanes], lanes, [item.width for item in items], [])
    for number, rank in enumerate(ranks):
        layers.rows[rank].append(number)
    for source, target in lines:
        layers.paths.append([source, *_bends(layers, ranks[source], ranks[target]), target])
    _link(layers)
    _order(layers)
    return layers


def _ranked(
    items: Sequence[Item], lines: Sequence[tuple[int, int]], widest: float, gap: float
) -> tuple[list[int], list[int]]:
    """The row of each item, and the lane of each row; no row is much wider than `widest`."""
    ranks = [0] * len(items)
    lanes: list[int] = []
    for lane in sorted({item.lane for item in items}):
        for is_first in (True, False):
            own = [n for n, item in enumerate(items) if (item.lane, item.is_first) == (lane, is_first)]
            first, used = len(lanes), list[float]()
            for number in own:
                rank = max(
                    [first, *(ranks[s] + 1 for s, t in lines if t == number and items[s].lane == lane)]
                )
                while rank - first < len(used) and used[rank - first] + items[number].width > widest:
                    rank += 1
                used += [0.0] * (rank - first + 1 - len(used))
                used[rank - first] += items[number].width + gap
                ranks[number] = rank
            lanes += [lane] * len(used)
    return ranks, lanes


def _bends(layers: Layers, first: int, last: int) -> list[int]:
    bends = []
    for rank in range(first + 1, last):
        bends.append(len(layers.widths))
        layers.widths.append(BEND)
        layers.rows[rank].append(bends[-1])
    return bends


def _link(layers: Layers) -> None:
    layers.above = [[] for _ in layers.widths]
    layers.below = [[] for _ in layers.widths]
    for path in layers.paths:
        for one, other in pairwise(path):
            layers.below[one].append(other)
            layers.above[other].append(one)


def _order(layers: Layers) -> None:
    """Sort each row by the means of the neighbours' positions; keep the order with the fewest crossings."""
    best = [list(row) for row in layers.rows]
    fewest = crossings(layers)
    for turn in range(_ORDERINGS):
        down = turn % 2 == 0
        for rank in range(len(layers.rows)) if down else reversed(range(len(layers.rows))):
            near = layers.above if down else layers.below
            layers.rows[rank].sort(key=_mean_place(layers, near))
        if (count := crossings(layers)) < fewest:
            best, fewest = [list(row) for row in layers.rows], count
    layers.rows = best


def _mean_place(layers: Layers, near: list[list[int]]) -> Callable[[int], float]:
    places = {number: at for row in layers.rows for at, number in enumerate(row)}

    def mean(number: int) -> float:
        others = near[number]
        return sum(places[other] for other in others) / len(others) if others else places[number]

    return mean


def crossings(layers: Layers) -> int:
    """How many pairs of lines cross."""
    places = {number: at for row in layers.rows for at, number in enumerate(row)}
    count = 0
    for row in layers.rows:
        ends: list[int] = []
        for number in row:
            others = sorted(places[other] for other in layers.below[number])
            count += sum(len(ends) - bisect_right(ends, other) for other in others)
            for other in others:
                insort(ends, other)
    return count
