"""Bags of rows, and how they change in time.

A bag maps a row to the number of its copies, which is never zero. `Changes` maps an instant to the bag
of changes there: for a stream the rows that arrive, for a relation the copies inserted (positive) and
deleted (negative), so that R(t) is the sum of its changes up to t.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Row = tuple[Any, ...]
Bag = dict[Row, int]
Changes = dict[int, Bag]
Environment = Mapping[str, Any]
"""The scope around a subquery: columns of enclosing rows, and the instant."""


def add(bag: Bag, row: Row, copies: int) -> None:
    """Add copies of a row to the bag, or remove them if the number is negative."""
    total = bag.get(row, 0) + copies
    if total:
        bag[row] = total
    else:
        bag.pop(row, None)


def merge(bag: Bag, other: Mapping[Row, int], times: int = 1) -> Bag:
    """Add all of `other`, `times` times, to the bag, in place."""
    for row, copies in other.items():
        add(bag, row, copies * times)
    return bag


def difference(one: Bag, other: Bag) -> Bag:
    """The change that makes `other` into `one`; copies may be negative."""
    return merge(dict(one), other, -1)


def record(changes: Changes, instant: int, row: Row, copies: int) -> None:
    """Add a change; an instant without changes is removed."""
    bag = changes.setdefault(instant, {})
    add(bag, row, copies)
    if not bag:
        del changes[instant]


def up_to(changes: Changes, instant: int) -> Bag:
    """The sum of the changes up to and at an instant: the relation at that instant."""
    total: Bag = {}
    for at, bag in changes.items():
        if at <= instant:
            merge(total, bag)
    return total
