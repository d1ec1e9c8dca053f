"""Coercion: values of different types cast to a common one."""

from __future__ import annotations

from slackwater.algebra.expressions import Cast, Expression, Literal
from slackwater.algebra.expressions.nested import alike, listed
from slackwater.algebra.expressions.signatures import Function, shared
from slackwater.algebra.types import STRING, UNKNOWN, Type


def coerced(value: Expression, target: Type) -> Expression:
    """The value as one of the target type, into which it always fits."""
    if value.type in (target, UNKNOWN):
        return value
    if isinstance(value, Literal) and value.value is None:
        return Literal(target, None, origin=value.origin)
    if isinstance(value, Literal) and target.is_integer:
        return Literal(target, value.value, origin=value.origin)
    return Cast(target, value, origin=value.origin)


def timed(values: list[Expression]) -> list[Expression]:
    """Literal texts next to a date or timestamp are cast to it: ts > '2026-01-01'."""
    times = [value.type for value in values if value.type.is_time]
    if not times:
        return values
    target = times[0]
    return [
        Cast(target, value, origin=value.origin)
        if isinstance(value, Literal) and value.type == STRING
        else value
        for value in values
    ]


def named_arguments(function: Function) -> str:
    """How a diagnostic names the arguments of a function that unifies them."""
    returns_argument = function.result in (shared, listed, alike)
    return (
        f"arguments of {function.name} of the types" if returns_argument else "compared values of the types"
    )
