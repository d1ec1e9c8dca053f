"""What can go wrong while a plan is evaluated, by the reference or by kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from slackwater.algebra import problems
from slackwater.algebra.expressions.nodes import Aggregation, Cast, UserCall
from slackwater.algebra.expressions.signatures import UNITS
from slackwater.algebra.users.aggregates import Failed
from slackwater.algebra.users.functions import Rejected, shown_row
from slackwater.base.diagnostic import Diagnostic, did_you_mean, quoted
from slackwater.base.span import Span


def overflow(what: str, type_: object, origin: Span | None) -> Diagnostic:
    return problems.ARITHMETIC_OVERFLOW.at(origin, type=type_, what=what)


def bad_cast(cast: Cast, value: Any) -> Diagnostic:
    source = cast.operand.type
    if isinstance(value, str):
        return problems.BAD_CAST.at(cast.origin, value=value, type=cast.type, source=source)
    return problems.CAST_TOO_LARGE.at(cast.origin, value=value, type=cast.type, source=source)


def long_escape(escape: str, origin: Span | None) -> Diagnostic:
    return problems.BAD_ESCAPE.at(origin, escape=escape)


def unfinished_pattern(pattern: str, origin: Span | None) -> Diagnostic:
    return problems.CUT_PATTERN.at(origin, pattern=pattern)


def unknown_unit(unit: str, origin: Span | None) -> Diagnostic:
    return problems.UNKNOWN_UNIT.at(origin, unit=unit, units=quoted(UNITS), hint=did_you_mean(unit, UNITS))


def several_rows(origin: Span | None, count: int) -> Diagnostic:
    return problems.SCALAR_SUBQUERY_ROWS.at(origin, count=count)


def endless_stream(origin: Span | None) -> Diagnostic:
    return problems.ENDLESS_STREAM.at(origin)


def endless_recursion(origin: Span | None, rounds: int) -> Diagnostic:
    return problems.ENDLESS_RECURSION.at(origin, rounds=rounds)


def function_failed(call: UserCall, cause: BaseException, values: Sequence[Any]) -> Diagnostic:
    """A function of a user that raised an error, or returned what its type does not have, for a row."""
    why = str(cause) if isinstance(cause, Rejected) else f"it raised {type(cause).__name__}: {cause}"
    return function_failed_because(call, why, values)


def function_failed_because(call: UserCall, why: str, values: Sequence[Any]) -> Diagnostic:
    name, row = call.function.name, shown_row(values)
    return problems.FUNCTION_FAILED.at(call.origin, name=name, why=why, row=row)


def aggregate_failed(call: Aggregation, failed: Failed) -> Diagnostic:
    """An aggregate of a user that raised an error, or returned what its type does not have."""
    return problems.AGGREGATE_FAILED.at(
        call.origin, name=call.name, method=failed.where, why=failed.why, called=failed.called
    )


def endless_skip(origin: Span | None, variable: str) -> Diagnostic:
    return problems.ENDLESS_SKIP.at(origin, variable=variable)


def order_failed(name: str, why: str, origin: Span | None) -> Diagnostic:
    return problems.ORDER_FAILED.at(origin, name=name, why=why)
