"""Dimensions of a best match that are distances |a - b| of values of both sides; how they are searched."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from slackwater.algebra.bestmatch import BestMatch, Dimension
from slackwater.algebra.expressions import Call, Column, Expression, conjuncts
from slackwater.algebra.orders import MIN
from slackwater.algebra.types import DOUBLE, Type
from slackwater.optimize.build import TRUE
from slackwater.optimize.facts.columns import columns


def distance(
    dimension: Dimension, left: Collection[str], right: Collection[str]
) -> tuple[Expression, Expression] | None:
    """The values of the left and of the right side whose distance |a - b| a dimension is, if it is one."""
    value = dimension.operands[0]
    if dimension.order != MIN or not is_number(value.type):
        return None
    match value:
        case Call(
            function="abs", arguments=(Call(function="subtract", arguments=(one, other)) as inner,)
        ) if is_number(inner.type):
            for a, b in ((one, other), (other, one)):
                if _is_of(a, left) and _is_of(b, right):
                    return a, b
    return None


def is_as_of(
    dimensions: Sequence[Dimension], rest: Expression | None, left: Collection[str], right: Collection[str]
) -> bool:
    """R ⊠ left (|a - b| MIN ε, k = l) S = R as-of S on a ≈ b by k = l, with all that are equally near

    The nearest in one dimension are neighbours in the order of that dimension: two binary searches find them,
    whatever the number of candidates. `rest` is the condition besides equal columns. With one, the nearest
    may not be a candidate: of |r.a - s.a| MIN and r.v < s.v, r = (0, 5), S = [(1, 3), (2, 7)], the best is 2
    and the nearest 1. With a second dimension the nearest is one of the best, and others are, too.
    """
    return rest is None and len(dimensions) == 1 and distance(dimensions[0], left, right) is not None


def are_searched(plan: BestMatch) -> bool:
    """Whether the best pairs are found by their distances alone, without making all candidates."""
    sides = [side.schema.names for side in plan.inputs]
    return all(distance(one, *sides) is not None for one in plan.dimensions) and all(
        _is_equation(part) or part == TRUE for part in conjuncts(plan.on)
    )


def _is_equation(part: Expression) -> bool:
    match part:
        case Call(function="eq", arguments=(Column(), Column())):
            return True
    return False


def _is_of(expr: Expression, side: Collection[str]) -> bool:
    seen = columns(expr)
    return bool(seen) and seen <= set(side) and is_number(expr.type)


def is_number(type_: Type) -> bool:
    """Whether differences of values of the type are differences of integers or doubles."""
    return type_.is_integer or type_ == DOUBLE
