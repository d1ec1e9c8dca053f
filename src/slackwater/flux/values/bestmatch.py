"""Values in the dimensions of a best-match join, their bounds and their orders (thesis 4.2.1)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from slackwater.flux.values.arithmetic import operand
from slackwater.flux.values.atomic import Atomic, Item, Items, Number, at_most_one, atomized
from slackwater.flux.values.comparison import compared, same
from slackwater.flux.values.errors import bad_bound
from slackwater.flux.values.tree import Node


def measured(items: Items) -> Number | None:
    """The number in a dimension of min or max; None, also for NaN, where there is none to compare."""
    atom = at_most_one(items, "a dimension")
    number = None if atom is None else operand(atom)
    return None if number is None or math.isnan(number) else number


def bound_of(items: Items) -> Number:
    """The bound of a dimension: one number."""
    number = operand(atomized(items)[0]) if len(items) == 1 else math.nan
    if math.isnan(number):
        raise bad_bound()
    return number


def is_within(order: str, number: Number, bound: Number) -> bool:
    """number ≤ bound for min, number ≥ bound for max; so a number is at least as good as another."""
    return compared("<=" if order == "min" else ">=", number, bound)


def common(left: Items, right: Items) -> list[Atomic]:
    """r.y ∩ s.y: the distinct values of one side that the other side has, too."""
    values: list[Atomic] = []
    for value in atomized(left):
        if not has(values, value) and has(atomized(right), value):
            values.append(value)
    return values


def has(values: Sequence[Atomic], value: Atomic) -> bool:
    return any(same(value, other) for other in values)


def includes(outer: Sequence[Atomic], inner: Sequence[Atomic]) -> bool:
    """inner ⊆ outer"""
    return all(has(outer, value) for value in inner)


def is_same_item(one: Item, other: Item) -> bool:
    """The same node, or equal values of one type."""
    if isinstance(one, Node) or isinstance(other, Node):
        return one is other
    return type(one) is type(other) and one == other
