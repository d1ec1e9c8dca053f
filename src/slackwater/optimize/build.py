"""Expressions that rules often build."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final

from slackwater.algebra import Operator, Select
from slackwater.algebra.expressions import (
    Aggregation,
    Call,
    Case,
    Cast,
    Expression,
    Literal,
    UserCall,
    conjunction,
)
from slackwater.algebra.types import BIGINT, BOOLEAN, Type, common
from slackwater.algebra.users.aggregates import argument_types
from slackwater.algebra.users.functions import OF_NONE

TRUE = Literal(BOOLEAN, True)
FALSE = Literal(BOOLEAN, False)
UNKNOWN = Literal(BOOLEAN, None)
NEGATED = {"eq": "ne", "ne": "eq", "lt": "ge", "ge": "lt", "gt": "le", "le": "gt"}


def call(function: str, *arguments: Expression) -> Expression:
    """A call whose value is a boolean."""
    return Call(BOOLEAN, function, arguments)


def not_null(expr: Expression) -> Expression:
    return call("not", call("is_null", expr))


def same(one: Expression, other: Expression) -> Expression:
    """Equal, or both NULL."""
    return call("is_not_distinct_from", one, other)


def every(conditions: Iterable[Expression]) -> Expression:
    """All of the conditions; TRUE for none of them."""
    return conjunction(list(conditions)) or TRUE


def selected(plan: Operator, conditions: Iterable[Expression]) -> Operator:
    """The plan's rows that all conditions accept; the plan itself for no conditions."""
    condition = conjunction(list(conditions))
    return plan if condition is None else Select(plan, condition, origin=condition.origin)


def compared(function: str, xs: Iterable[Expression], ys: Iterable[Expression]) -> Expression:
    """`(x, …) = (y, …)` and the like, three-valued, each pair as values of one type."""
    pairs = [_alike(x, y) for x, y in zip(xs, ys, strict=True)]
    if len(pairs) == 1:
        return call(function, *pairs[0])
    equal = every(call("eq", x, y) for x, y in pairs)
    return equal if function == "eq" else call("not", equal)


def _alike(x: Expression, y: Expression) -> tuple[Expression, Expression]:
    target = common(x.type, y.type) or x.type
    return _as_type(x, target), _as_type(y, target)


def _as_type(expr: Expression, target: Type) -> Expression:
    return expr if expr.type == target else Cast(target, expr, origin=expr.origin)


def counted(condition: Expression) -> Aggregation:
    """How many rows the condition is true for."""
    one = Case(BIGINT, ((condition, Literal(BIGINT, 1)),), Literal(BIGINT, None))
    return Aggregation(BIGINT, "count", one)


def positive(count: Expression) -> Expression:
    return call("gt", count, Literal(BIGINT, 0))


NONE: Final[dict[str, Any]] = {
    "count": 0,
    **dict.fromkeys(("array_agg", "collect_set"), ()),
    **dict.fromkeys(("bitmap_construct_agg", "bitmap_or_agg"), bytes(4096)),
    "bitmap_and_agg": b"\xff" * 4096,
}
"""Aggregates that are not NULL of no rows, and what they are then."""


def of_none(made: Aggregation, value: Expression, size: Expression) -> Expression:
    """The aggregate of a group that an outer join may not have found; its number of rows is then NULL.

    Of no rows the aggregate of a user is what it says, one in `NONE` is that, and any other NULL.
    """
    if made.function in NONE:
        return Call(made.type, "coalesce", (value, Literal(made.type, NONE[made.function])))
    if made.user is None:
        return value
    function = replace(made.user, form=OF_NONE, arguments=argument_types(made))
    none = UserCall(made.type, function, (), origin=made.origin)
    return Case(made.type, ((call("is_null", size), none),), value)


def zero_for_null(count: Expression) -> Expression:
    return Call(count.type, "coalesce", (count, Literal(count.type, 0)))
