"""What can go wrong while a plan is evaluated, whoever evaluates it."""

from __future__ import annotations

from typing import Any

from slackwater.algebra.expressions.nodes import Cast
from slackwater.algebra.expressions.signatures import UNITS
from slackwater.base.diagnostic import Diagnostic, did_you_mean, quoted
from slackwater.base.span import Span


def overflow(what: str, type_: object, origin: Span | None) -> Diagnostic:
    return Diagnostic(
        "arithmetic-overflow",
        f"the result does not fit into {type_}",
        span=origin,
        label=f"the result of {what} is too large here",
        hint="Cast the arguments to double, which trades exactness for range.",
    )


def bad_cast(cast: Cast, value: Any) -> Diagnostic:
    return Diagnostic(
        "bad-cast",
        f"the value {value!r} is not of type {cast.type}"
        if isinstance(value, str)
        else f"the value {value} does not fit into {cast.type}",
        span=cast.origin,
        label=f"a {cast.operand.type} is cast here",
        hint="Use TRY_CAST to get NULL for such values.",
    )


def long_escape(escape: str, origin: Span | None) -> Diagnostic:
    return _bad_pattern(f'the escape "{escape}" is not one character', origin)


def unfinished_pattern(pattern: str, origin: Span | None) -> Diagnostic:
    return _bad_pattern(f'the pattern "{pattern}" ends with its escape', origin)


def _bad_pattern(message: str, origin: Span | None) -> Diagnostic:
    hint = "Write the escape character twice to mean the character itself."
    return Diagnostic("bad-pattern", message, span=origin, hint=hint)


def unknown_unit(unit: str, origin: Span | None) -> Diagnostic:
    return Diagnostic(
        "unknown-unit",
        f'"{unit}" is not a unit of time',
        span=origin,
        detail=f"The units are {quoted(UNITS)}.",
        hint=did_you_mean(unit, UNITS),
    )


def several_rows(origin: Span | None, count: int) -> Diagnostic:
    return Diagnostic(
        "scalar-subquery-rows",
        "a subquery used as a value has more than one row",
        span=origin,
        label=f"{count} rows at this instant",
        hint="Aggregate the rows to one, or use IN or EXISTS.",
    )


def endless_stream(origin: Span | None) -> Diagnostic:
    return Diagnostic(
        "endless-stream",
        "this Rstream would repeat its relation without end",
        span=origin,
        label="the relation has rows at more instants than can be written down",
        detail="Rstream emits every row at every instant; a relation that keeps its rows has no last one.",
        hint="Apply Rstream to a [Now] window, or use Istream to stream only what is new.",
    )
