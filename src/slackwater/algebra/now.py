"""Conditions on the current time: where, for one row, they can become true or false.      SyncSQL 2.2

    Now - 5 < TS AND TS <= Now        Now < TS + 5 and Now >= TS: it can change at TS + 5 and at TS

So a predicate window is a few intervals of each row, and no plan has to look at every instant.
"""

from __future__ import annotations

from typing import NamedTuple

from slackwater.algebra.expressions import Call, Cast, Expression, Now
from slackwater.algebra.expressions.signatures import added, subtracted
from slackwater.algebra.types import Type

_LOGIC = ("and", "or", "not")
_MIRRORED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}
_LATER = {
    "lt": (0,),
    "ge": (0,),
    "le": (1,),
    "gt": (1,),
    "eq": (0, 1),
    "ne": (0, 1),
    "is_not_distinct_from": (0, 1),
}
"""By comparison of Now with v: whether it changes at v, at v + 1 or at both."""


class Threshold(NamedTuple):
    """Where a condition on Now can change, for each row: at that value, or one chronon later."""

    value: Expression
    later: int


def has_now(expr: Expression) -> bool:
    """Whether the value depends on the current time."""
    return any(isinstance(part, Now) for part in expr.walk())


def thresholds(predicate: Expression) -> tuple[Threshold, ...] | None:
    """Where the condition can change; between these instants it does not. None if that is not known.

    Now has to be compared with values of the row; it may be moved by them: NOW - a < b.
    """
    if not has_now(predicate):
        return ()
    match predicate:
        case Call(function=function, arguments=arguments) if function in _LOGIC:
            parts = [thresholds(argument) for argument in arguments]
            if any(part is None for part in parts):
                return None
            return tuple(dict.fromkeys(threshold for part in parts for threshold in part or ()))
    if (compared := isolated(predicate)) is None:
        return None
    return tuple(Threshold(compared.value, later) for later in _LATER[compared.comparison])


class Compared(NamedTuple):
    """Now, compared with a value of the row: `lt` is Now < value."""

    comparison: str
    value: Expression


def isolated(condition: Expression) -> Compared | None:
    """A comparison as one of Now with a value that does not depend on it: Now - 5 < TS is Now < TS + 5."""
    match condition:
        case Call(function=function, arguments=(left, right)) if function in _LATER:
            if has_now(left) == has_now(right):
                return None
            if has_now(left):
                return _isolated(left, right, function)
            return _isolated(right, left, _MIRRORED.get(function, function))
    return None


def _isolated(side: Expression, other: Expression, comparison: str) -> Compared | None:
    """`side comparison other`, where only the side depends on Now."""
    match side:
        case Now():
            value = _comparable(other, side.type)
            return None if value is None else Compared(comparison, value)
        case Call(function="add", arguments=(left, right)):
            moving, still = (left, right) if has_now(left) else (right, left)
            return None if has_now(still) else _moved("subtract", moving, other, still, comparison)
        case Call(function="subtract", arguments=(left, right)) if not has_now(right):
            return _moved("add", left, other, right, comparison)
        case Call(function="subtract", arguments=(left, right)) if not has_now(left):
            # a - now < b is now > a - b
            return _moved("subtract", right, left, other, _MIRRORED.get(comparison, comparison))
    return None


def _moved(
    function: str, side: Expression, one: Expression, two: Expression, comparison: str
) -> Compared | None:
    """`side comparison function(one, two)`."""
    type_ = (added if function == "add" else subtracted)((one.type, two.type))
    if type_ is None:
        return None
    return _isolated(side, Call(type_, function, (one, two)), comparison)


def _comparable(value: Expression, time: Type) -> Expression | None:
    """The value as a point in time; None where it is of another kind."""
    if time.is_integer:
        return value if value.type.is_integer else None
    if value.type == time:
        return value
    return Cast(time, value) if value.type.is_time else None
