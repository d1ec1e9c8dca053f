"""What NULLs do: which conditions refuse them, and which columns never hold one."""

from __future__ import annotations

from slackwater.algebra import Aggregate, Distinct, Group, Operator, Over, Project, Select, SemiJoin
from slackwater.algebra.expressions import Call, Cast, Column, Expression, Literal, conjuncts
from slackwater.algebra.expressions.functions import FUNCTIONS
from slackwater.algebra.expressions.over import Framed, OverCall
from slackwater.algebra.joins import AntiJoin, Join, Product
from slackwater.algebra.operator import once
from slackwater.algebra.windowing import Assign, Sessions
from slackwater.algebra.windows import Fixed, Range, Rows, Session, Sliding

_KEEPING = (Select, Group, Distinct, SemiJoin, AntiJoin, Join, Product, Range, Rows, Sliding, Fixed, Session)


def rejects_nulls(condition: Expression, names: frozenset[str]) -> bool:
    """Whether the condition is never true for a row in which all these columns are NULL."""
    match condition:
        case Call(function="and", arguments=arguments):
            return any(rejects_nulls(argument, names) for argument in arguments)
        case Call(function="or", arguments=arguments):
            return all(rejects_nulls(argument, names) for argument in arguments)
        case Call(function="not", arguments=(Call(function="is_null", arguments=(operand,)),)):
            return is_null_with(operand, names)
        case _:
            return is_null_with(condition, names)


def is_null_with(expr: Expression, names: frozenset[str]) -> bool:
    """Whether the value is NULL wherever all these columns are."""
    match expr:
        case Column():
            return expr.name in names
        case Literal():
            return expr.value is None
        case Cast():
            return is_null_with(expr.operand, names)
        case Call():
            return FUNCTIONS[expr.function].strict and any(is_null_with(a, names) for a in expr.arguments)
        case _:
            return False


@once
def never_null(plan: Operator) -> frozenset[str]:
    """Columns that hold no NULL, by the conditions below; not all of them."""
    match plan:
        case Project():
            below = never_null(plan.source)
            return frozenset(name for name, expr in plan.columns if is_never_null(expr, below))
        case Aggregate():
            below = never_null(plan.source)
            counts = {name for name, call in plan.aggregations if call.function == "count"}
            return frozenset({name for name, expr in plan.keys if is_never_null(expr, below)} | counts)
        case Assign() | Sessions():
            time = {plan.time.name} if isinstance(plan.time, Column) else set[str]()
            return never_null(plan.source) | time | {plan.start, plan.end}
        case Over():
            counted = {name for name, call in plan.calls if _is_counted(call)}
            return never_null(plan.source) | counted
        case _ if isinstance(plan, _KEEPING):
            inputs = plan.inputs[:1] if isinstance(plan, SemiJoin | AntiJoin) else plan.inputs
            below = frozenset[str]().union(*map(never_null, inputs))
            conditions = [plan.predicate] if isinstance(plan, Select) else []
            conditions += [plan.on] if isinstance(plan, Join) else []
            rejected = {name for c in conditions for name in plan.schema.names if _rejects(c, name)}
            return below | rejected
        case _:
            return frozenset()


def _is_counted(call: OverCall) -> bool:
    """Whether it is a number for every row."""
    if isinstance(call, Framed):
        return call.aggregation.function == "count"
    return call.argument is None


def _rejects(condition: Expression, name: str) -> bool:
    return any(rejects_nulls(part, frozenset((name,))) for part in conjuncts(condition))


def is_never_null(expr: Expression, names: frozenset[str]) -> bool:
    """Whether the value is never NULL where these columns are not; True is a promise.

    Only what shows it by itself: a column of an enclosing row may be NULL, and so may a partial function
    of values that are not (x / 0, NULLIF).
    """
    match expr:
        case Column():
            return expr.name in names
        case Literal():
            return expr.value is not None
        case Cast():
            return not expr.lenient and is_never_null(expr.operand, names)
        case Call():
            is_total = not FUNCTIONS[expr.function].partial
            return is_total and all(is_never_null(argument, names) for argument in expr.arguments)
        case _:
            return False
