"""Which expressions may fail: overflow, a cast that does not fit, a subquery with two rows.

A rule may let such an expression see fewer rows than before, never more: an error that the query as
it was written does not have must not come out of optimizing it.
"""

from __future__ import annotations

from slackwater.algebra import Operator, Single
from slackwater.algebra.expressions import Call, Cast, Expression, Literal, Scalar, Subquery
from slackwater.algebra.operator import once
from slackwater.algebra.types import STRING, TIMESTAMP, TIMESTAMP_NTZ, Type
from slackwater.optimize.facts.keys import has_one_row

_CHECKED = frozenset(("add", "subtract", "multiply", "divide", "modulo", "negate", "abs",
                      "ceil", "floor", "round", "truncate"))  # fmt: skip
_LARGEST = {"tinyint": 1 << 7, "smallint": 1 << 15, "int": 1 << 31, "bigint": 1 << 63}
_DIGITS = {"tinyint": 3, "smallint": 5, "int": 10, "bigint": 19}


def may_fail(expr: Expression) -> bool:
    """Whether some row could make the expression an error; False is a promise."""
    return any(_may_fail(node) for node in expr.walk())


@once
def plan_may_fail(plan: Operator) -> bool:
    """Whether some input could make the plan an error; sums are taken to fit."""
    return any(isinstance(below, Single) or any(map(may_fail, below.expressions)) for below in plan.walk())


def _may_fail(node: Expression) -> bool:
    match node:
        case Scalar() if not has_one_row(node.plan):
            return True
        case Subquery():
            return plan_may_fail(node.plan)
        case Cast():
            return not node.lenient and not _always_fits(node.operand.type, node.type)
        case Call() if node.function in _CHECKED:
            return not node.type.is_floating and largest(node) >= 1 << 63
        case _:
            return False


def largest(expr: Expression) -> int:
    """A bound on the size of an integer value; 2⁶³ or more where none is known to fit 64 bits."""
    if not expr.type.is_integer:
        return 1 << 63
    match expr:
        case Literal(value=int() as value):
            return abs(value)
        case Call(function="add" | "subtract", arguments=(one, other)):
            return largest(one) + largest(other)
        case Call(function="multiply", arguments=(one, other)):
            return largest(one) * largest(other)
        case Call(function="divide" | "modulo", arguments=(one, _)):
            return largest(one)
        case Call(function="negate" | "abs" | "ceil" | "floor", arguments=(one,)):
            return largest(one)
        case Cast(operand=operand) if operand.type.is_integer:
            return min(largest(operand), _LARGEST[expr.type.name])
        case _:
            return _LARGEST[expr.type.name]


def _always_fits(source: Type, target: Type) -> bool:
    if (
        source == target
        or source.name == "null"
        or (target in (STRING, TIMESTAMP, TIMESTAMP_NTZ) and source != STRING)
    ):
        return True
    if source.is_numeric and target.is_numeric:
        if target.name == "double":
            return True
        if source.is_integer and target.is_integer:
            return _LARGEST[source.name] <= _LARGEST[target.name]
        if source.is_integer and target.is_decimal:
            return _DIGITS[source.name] <= target.precision - target.scale
        whole, room = source.precision - source.scale, target.precision - target.scale
        return source.is_decimal and target.is_decimal and whole <= room and source.scale <= target.scale
    return source.name == "boolean" and target.is_integer
