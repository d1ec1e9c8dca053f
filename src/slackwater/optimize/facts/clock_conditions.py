"""Conditions on the clock as sets of time points: Timepoint MOD 5 = 1 AND Timepoint > 9.      SyncSQL 3.2"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeGuard, cast

from slackwater.algebra.expressions import Call, Cast, Column, Expression, Literal
from slackwater.algebra.instants import instant_at
from slackwater.algebra.points import ALL, MOST_CLASSES, NEVER, Class, Points
from slackwater.algebra.types import BOOLEAN
from slackwater.base.moments import parse_timestamp

_SECOND = 1_000_000
"""The chronons of a second of timestamps."""
_MIRRORED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}
_COMPARED: dict[str, Callable[[int, int], bool]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}


def satisfying(predicate: Expression, name: str) -> Points | None:
    """The points that a condition on the column accepts; None where they cannot be written.

    Integer time begins at 0, where a remainder is never negative.
    """
    match predicate:
        case Literal(value=bool() as value):
            return ALL if value else NEVER
        case Call(function="and" | "or" as logic, arguments=(one, other)):
            left, right = satisfying(one, name), satisfying(other, name)
            if left is None or right is None:
                return None
            return left & right if logic == "and" else left | right
        case Call(function="not", arguments=(operand,)):
            inside = satisfying(operand, name)
            return None if inside is None else ~inside
        case Call(function="in_list", arguments=(operand, *items)):
            parts = [satisfying(Call(BOOLEAN, "eq", (operand, item)), name) for item in items]
            return None if None in parts else Points.of(one for part in parts if part for one in part.classes)
        case Call(function=function, arguments=(one, other)) if function in _COMPARED:
            if _constant(one) is not None:
                function, one, other = _MIRRORED.get(function, function), other, one
            constant = _constant(other)
            return None if constant is None else _compared(function, one, constant, name)
    return None


def _constant(expr: Expression) -> object:
    """The value of a literal, also of one that is cast to the type it is compared with; else None."""
    match expr:
        case Literal():
            return cast(object, expr.value)
        case Cast(operand=Literal(value=str() as text)) if expr.type.is_time:
            try:
                return parse_timestamp(text)
            except ValueError:
                return None
        case Cast(operand=Literal(value=int() as number)):
            return number
    return None


def _compared(function: str, operand: Expression, value: object, name: str) -> Points | None:
    match operand:
        case Column() if operand.name == name and (operand.type.is_integer or operand.type.is_time):
            return _interval(function, instant_at(value)) if _is_instant(value) else None  # type: ignore[arg-type]
        case Call(function="modulo", arguments=(Column() as point, Literal(value=int() as period))):
            if point.name != name or not isinstance(value, int) or period == 0:
                return None
            return _remainders(function, abs(period), value)
        case Call(
            function="modulo", arguments=(Call(function="epoch", arguments=(Column() as point,)), divisor)
        ):
            # Of a timestamp, whole seconds: EXTRACT(EPOCH FROM Timepoint) MOD 300 = 0.
            seconds = _constant(divisor)
            if point.name != name or function != "eq" or not (_is_whole(seconds) and _is_whole(value)):
                return None
            if not seconds:
                return None
            accepted = _remainders("eq", abs(int(seconds)) * _SECOND, int(value) * _SECOND)
            # Before 1970 a remainder is not positive.
            return accepted & Points.between(0) if accepted and value else accepted
    return None


def _is_whole(value: object) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and float(value).is_integer()


def _is_instant(value: object) -> bool:
    return isinstance(value, int) or hasattr(value, "hour")


def _interval(function: str, t: int) -> Points:
    match function:
        case "eq":
            return Points.between(t, t + 1)
        case "ne":
            return Points.between(until=t) | Points.between(t + 1)
        case "lt" | "le":
            return Points.between(until=t + (function == "le"))
        case _:
            return Points.between(t + (function == "gt"))


def _remainders(function: str, period: int, value: int) -> Points | None:
    if function == "eq":
        return Points((Class(period, value),)) if 0 <= value < period else NEVER
    if period > MOST_CLASSES:
        return None
    accepted = [r for r in range(period) if _COMPARED[function](r, value)]
    return Points.of(Class(period, r) for r in accepted)
