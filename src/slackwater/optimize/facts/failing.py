"""Which expressions may fail: overflow, a bad pattern, a cast that does not fit, a subquery with two rows.

A rule may let such an expression see fewer rows than before, never more: an error that the query as
it was written does not have must not come out of optimizing it.
"""

from __future__ import annotations

from slackwater.algebra import Assign, Operator, Recognize, Recursion, Sessions, Single
from slackwater.algebra.aggregations import aggregations_of
from slackwater.algebra.expressions import Call, Case, Cast, Expression, Literal, Scalar, Subquery, UserCall
from slackwater.algebra.expressions.bounds import may_overflow
from slackwater.algebra.expressions.functions import FUNCTIONS, UNITS
from slackwater.algebra.expressions.signatures import shared
from slackwater.algebra.operator import once
from slackwater.algebra.patterns import Skip
from slackwater.algebra.types import INTEGER_DIGITS, STRING, TIMESTAMP, TIMESTAMP_NTZ, Type, common
from slackwater.optimize.facts.keys import has_one_row


def may_fail(expr: Expression) -> bool:
    """Whether some row could make the expression an error; False is a promise."""
    return any(_may_fail(node) for node in expr.walk())


@once
def plan_may_fail(plan: Operator) -> bool:
    """Whether some input could make the plan an error; sums are taken to fit."""
    return any(
        _operator_may_fail(below) or any(map(may_fail, below.expressions)) or calls_user(below)
        for below in plan.walk()
    )


def _operator_may_fail(plan: Operator) -> bool:
    """Whether an operator has errors of its own.

    The end of a window may lie beyond the last time or number, a recursion may have no end, and after a match
    the search may go back to where it began.
    """
    match plan:
        case Single() | Assign() | Sessions() | Recursion():
            return True
        case Recognize():
            return plan.skip in (Skip.TO_FIRST, Skip.TO_LAST)
        case _:
            return False


def calls_user(plan: Operator) -> bool:
    """Whether the operator computes an aggregate of a user, which may fail."""
    return any(call.user is not None for call in aggregations_of(plan))


def _may_fail(node: Expression) -> bool:
    match node:
        case Scalar() if not has_one_row(node.plan):
            return True
        case Subquery():
            return plan_may_fail(node.plan)
        case Cast():
            return not node.lenient and not _always_fits(node.operand.type, node.type)
        case Case(branches=branches, otherwise=otherwise):
            results = (*(then for _, then in branches), otherwise)
            return not all(_always_fits(result.type, node.type) for result in results)
        case UserCall():
            return True
        case Call():
            return _call_may_fail(node) or _conversion_may_fail(node)
        case _:
            return False


def _call_may_fail(call: Call) -> bool:
    match FUNCTIONS[call.function].error:
        case "arithmetic-overflow":
            return not call.type.is_floating and (not call.type.is_integer or may_overflow(call))
        case "bad-pattern":
            return len(call.arguments) > 2
        case "unknown-unit":
            unit = call.arguments[0]
            return not (isinstance(unit, Literal) and unit.value in UNITS)
        case _:
            return False


def _conversion_may_fail(call: Call) -> bool:
    """Whether the type in common may lack room: 38 digits do not hold a decimal(38, 0) and its cents."""
    if not FUNCTIONS[call.function].converts:
        return False
    types = [part.type for part in call.arguments]
    target = shared(types)
    return target is not None and not all(_always_fits(type_, target) for type_ in types)


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
            return common(source, target) == target
        if source.is_integer and target.is_decimal:
            return INTEGER_DIGITS[source.name] <= target.precision - target.scale
        whole, room = source.precision - source.scale, target.precision - target.scale
        return source.is_decimal and target.is_decimal and whole <= room and source.scale <= target.scale
    return source.name == "boolean" and target.is_integer
