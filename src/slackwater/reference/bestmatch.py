"""The best-match join by its definitions: each pair is compared with all others.      thesis 4.2"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from slackwater.algebra import BestMatch, Dimension, Side
from slackwater.algebra.expressions import Expression
from slackwater.algebra.orders import MIN
from slackwater.algebra.schema import Schema
from slackwater.reference.bags import Row
from slackwater.reference.comparison import comparison
from slackwater.reference.orders import preference

Pair = tuple[Row, Row]
Values = tuple[tuple[Any, ...], ...]
"""The operands of each dimension."""
Value = Callable[[Expression, Schema], Callable[[Row], Any]]
"""An expression as a function of a row."""
AtLeast = Callable[[tuple[Any, ...], tuple[Any, ...]], bool]


def best_pairs(plan: BestMatch, value: Value, left: Iterable[Row], right: Iterable[Row]) -> set[Pair]:
    """The candidates that no other dominates: of all, of those of the same x, or of those of the same y."""
    pairs = _candidates(plan, value, left, right)
    orders = [_at_least(dimension) for dimension in plan.dimensions]

    def best(competes: Callable[[Pair, Pair], bool]) -> set[Pair]:
        return {
            one
            for one, values in pairs.items()
            if not any(competes(one, other) and _dominates(orders, pairs[other], values) for other in pairs)
        }

    match plan.side:
        case None:
            return best(lambda one, other: True)
        case Side.LEFT:
            return best(_same_x)
        case Side.RIGHT:
            return best(_same_y)
        case Side.FULL:
            return best(_same_x) | best(_same_y)


def _same_x(one: Pair, other: Pair) -> bool:
    return one[0] == other[0]


def _same_y(one: Pair, other: Pair) -> bool:
    return one[1] == other[1]


def _candidates(
    plan: BestMatch, value: Value, left: Iterable[Row], right: Iterable[Row]
) -> dict[Pair, Values]:
    """The pairs that satisfy the condition and every bound, with the operands of the dimensions."""
    accepts = value(plan.on, plan.pair)
    operands = [[value(operand, plan.pair) for operand in one.operands] for one in plan.dimensions]
    right = list(right)
    pairs: dict[Pair, Values] = {}
    for x in left:
        for y in right:
            if accepts(x + y) is True:
                values = tuple(tuple(operand(x + y) for operand in one) for one in operands)
                if all(map(_is_admitted, plan.dimensions, values)):
                    pairs[x, y] = values
    return pairs


def _is_admitted(dimension: Dimension, operands: tuple[Any, ...]) -> bool:
    if None in operands:
        return False
    if dimension.bound is None:
        return True
    within = comparison("le" if dimension.order == MIN else "ge")
    return within(operands[0], dimension.bound.value)


def _at_least(dimension: Dimension) -> AtLeast:
    """Whether the one is at least as good as the other in that dimension."""
    if not dimension.order.is_total:
        prefers = preference(dimension.order, dimension.operands[0].origin)
        return lambda one, other: prefers(*one, *other) is True
    type_ = dimension.operands[0].type
    compare = comparison("le" if dimension.order == MIN else "ge", type_, type_)
    return lambda one, other: compare(one[0], other[0])


def _dominates(orders: list[AtLeast], one: Values, other: Values) -> bool:
    """one ≺ other: at least as good in every dimension, and the other is not at least as good in one."""
    forth = all(order(a, b) for order, a, b in zip(orders, one, other, strict=True))
    return forth and not all(order(b, a) for order, a, b in zip(orders, one, other, strict=True))
