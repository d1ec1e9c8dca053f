"""Elements, the physical form of relations and streams, and their equivalence.      PIPES 5.2

An element (row, start, end, n) is n more copies of the row at every instant t, start ≤ t < end.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from slackwater.base.time import INFINITY
from slackwater.reference.bags import Bag, Changes, Row, add, record


class Element(NamedTuple):
    row: Row
    start: int
    end: int = INFINITY
    n: int = 1


def timeslice(elements: Iterable[Element], t: int) -> Bag:
    """The rows alive at t with their copies.      PIPES definition 5.1"""
    alive: Bag = {}
    for element in elements:
        if element.start <= t < element.end:
            add(alive, element.row, element.n)
    return alive


def changes_of(elements: Iterable[Element]) -> Changes:
    """The changes of elements: +n where one starts, -n where it ends."""
    changes: Changes = {}
    for row, start, end, n in elements:
        record(changes, start, row, n)
        if end < INFINITY:
            record(changes, end, row, -n)
    return dict(sorted(changes.items()))


def elements_of(changes: Changes) -> list[Element]:
    """The changes as elements, as long as possible; one that never ends has the end ∞."""
    elements: list[Element] = []
    open_since: dict[Row, list[int]] = {}
    for t in sorted(changes):
        for row, copies in changes[t].items():
            starts = open_since.setdefault(row, [])
            starts.extend([t] * copies)
            elements.extend(Element(row, starts.pop(0), t) for _ in range(-copies))
    elements.extend(Element(row, start) for row, starts in open_since.items() for start in starts)
    return elements


def snapshot_equivalent(one: Iterable[Element], other: Iterable[Element]) -> bool:
    """Whether the two bags of elements have the same rows at every instant.      PIPES (19)

    Compared through their changes, which are equal exactly when all snapshots are.
    """
    return changes_of(one) == changes_of(other)
