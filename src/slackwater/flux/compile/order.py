"""`order by`: the keys of tuples, and how tuples are sorted by them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cmp_to_key

from slackwater.flux.values.atomic import Atomic, Items, Untyped, at_most_one
from slackwater.flux.values.comparison import ordered
from slackwater.language.xquery import syntax as ast

Keys = list[Atomic | None]
Row = tuple[list[object], Keys]
"""The values of a tuple's variables, and its keys."""


def order_key(items: Items) -> Atomic | None:
    """The value that a key gives for a tuple; untyped values are compared as texts."""
    value = at_most_one(items, "order by")
    return value.text if isinstance(value, Untyped) else value


def sorter(keys: Sequence[ast.OrderKey], *, empty_greatest: bool) -> Callable[[list[Row]], list[Row]]:
    """Stable; texts and doubles are sorted as they are, everything else by comparing it."""
    greatest = [empty_greatest if key.empty_greatest is None else key.empty_greatest for key in keys]

    def compare(one: Row, other: Row) -> int:
        for key, least, left, right in zip(keys, greatest, one[1], other[1], strict=True):
            if order := ordered(left, right, empty_greatest=least):
                return -order if key.descending else order
        return 0

    def sort(rows: list[Row]) -> list[Row]:
        if len(keys) == 1 and _are_alike([row[1][0] for row in rows]):
            return sorted(rows, key=lambda row: row[1][0], reverse=keys[0].descending)  # type: ignore[arg-type, return-value]
        return sorted(rows, key=cmp_to_key(compare))

    return sort


def _are_alike(values: Keys) -> bool:
    return all(type(value) is str for value in values) or all(
        type(value) is float and value == value for value in values
    )
