"""Functions of dates, timestamps and intervals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Final

import polars as pl

from slackwater.algebra.errors import unknown_unit
from slackwater.algebra.expressions import Call, Literal
from slackwater.algebra.types import STRING, Type, decimal
from slackwater.base.diagnostic import EngineError
from slackwater.kernels.expressions.decimals import Maker, from_units, quotient
from slackwater.kernels.expressions.terms import Fault, Term, faults_of, let
from slackwater.kernels.expressions.values import literal

_MICROSECOND: Final = timedelta(microseconds=1)
_FIRST_MONDAY: Final = (datetime(1, 1, 1) - datetime(1970, 1, 1)) // _MICROSECOND
_LENGTHS: Final = {
    "microsecond": ("1us", 1),
    "millisecond": ("1ms", 1_000),
    "second": ("1s", 1_000_000),
    "minute": ("1m", 60_000_000),
    "hour": ("1h", 3_600_000_000),
    "day": ("1d", 86_400_000_000),
    "week": ("1w", 7 * 86_400_000_000),
}
_MONTHS: Final = {"month": ("1mo", 1), "quarter": ("1q", 3), "year": ("1y", 12)}
_UNITS: Final = (*_LENGTHS, *_MONTHS)
_EXACT: Final = 1 << 53
"""Up to here an integer is exact as a double, and its quotient is rounded once."""


def moment(value: pl.Expr, type_: Type) -> pl.Expr:
    """A date as its midnight."""
    return value.cast(pl.Datetime("us")) if type_.name == "date" else value


def _field(read: Callable[[pl.Expr], pl.Expr], of_clock: bool = False) -> Maker:
    def make(call: Call, arguments: Sequence[Term]) -> Term:
        (argument,), (part,) = arguments, call.arguments
        value = moment(argument.value, part.type) if of_clock else argument.value
        return Term(read(value).cast(pl.Int64), argument.faults)

    return make


def _epoch(call: Call, arguments: Sequence[Term]) -> Term:
    (argument,), (part,) = arguments, call.arguments
    micros = moment(argument.value, part.type).to_physical()
    return Term(let(_seconds, micros), argument.faults)


def _seconds(micros: pl.Expr) -> pl.Expr:
    """Microseconds as seconds, the nearest double; beyond 53 bits parsed from the digits."""
    near = quotient(micros.cast(pl.Float64), pl.lit(1e6))
    is_exact = (micros <= _EXACT) & (micros >= -_EXACT)
    far = from_units(pl.when(~is_exact).then(micros), decimal(20, 6)).cast(pl.String).cast(pl.Float64)
    return pl.when(is_exact).then(near).otherwise(far)


def _with_unit(compute: Callable[..., pl.Expr]) -> Maker:
    """A function whose first argument is a unit, usually a literal."""

    def make(call: Call, arguments: Sequence[Term]) -> Term:
        unit, *parts = call.arguments
        values = [moment(a.value, part.type) for a, part in zip(arguments[1:], parts, strict=True)]
        faults = faults_of(arguments)
        if isinstance(unit, Literal) and unit.value in _UNITS:
            return Term(compute(unit.value, *values), faults)
        unit_value = arguments[0].value
        known = pl.all_horizontal([value.is_not_null() for value in (unit_value, *values)])
        wrong = known & ~unit_value.is_in(_UNITS)
        fault = Fault(
            wrong, lambda value: EngineError(unknown_unit(value, call.origin)), ((unit_value, STRING),)
        )
        result = literal(None, call.type)
        if not isinstance(unit, Literal):
            for name in _UNITS:
                result = pl.when(unit_value == name).then(compute(name, *values)).otherwise(result)
        return Term(result, (*faults, fault))

    return make


def _truncated(unit: str, value: pl.Expr) -> pl.Expr:
    every, _ = _LENGTHS.get(unit) or _MONTHS[unit]
    return value if unit == "microsecond" else value.dt.truncate(every)


def _number(unit: str, value: pl.Expr) -> pl.Expr:
    """The number of units from the beginning of the year 1 to the value."""
    if unit in _LENGTHS:
        return (value.to_physical() - _FIRST_MONDAY) // _LENGTHS[unit][1]

    def month(value: pl.Expr) -> pl.Expr:
        return (value.dt.year().cast(pl.Int64) - 1) * 12 + value.dt.month().cast(pl.Int64) - 1

    return let(month, value) // _MONTHS[unit][1]


def _make_date(call: Call, arguments: Sequence[Term]) -> Term:
    parts = (argument.value.cast(pl.Int64) for argument in arguments)
    return Term(let(day_number, *parts).cast(pl.Int32).cast(pl.Date), faults_of(arguments))


def day_number(year: pl.Expr, month: pl.Expr, day: pl.Expr) -> pl.Expr:
    """The days from 1970-01-01 to that date; NULL if there is none.

    Years are counted from March, so that the leap day is the last of its year.
    """
    leap = (year % 4 == 0) & ((year % 100 != 0) | (year % 400 == 0))
    days = pl.when(month == 2).then(28 + leap.cast(pl.Int64)).when(month.is_in([4, 6, 9, 11])).then(30)
    valid = year.is_between(1, 9999) & month.is_between(1, 12) & (day >= 1) & (day <= days.otherwise(31))
    from_march = (month + 9) % 12
    march_year = year - (month <= 2).cast(pl.Int64)
    leaps = march_year // 4 - march_year // 100 + march_year // 400
    number = march_year * 365 + leaps + (from_march * 153 + 2) // 5 + day - 719_469
    return pl.when(valid).then(number)


MAKERS: dict[str, Maker] = {
    "year": _field(lambda value: value.dt.year()),
    "month": _field(lambda value: value.dt.month()),
    "day": _field(lambda value: value.dt.day()),
    "hour": _field(lambda value: value.dt.hour(), of_clock=True),
    "minute": _field(lambda value: value.dt.minute(), of_clock=True),
    "second": _field(lambda value: value.dt.second(), of_clock=True),
    "day_of_week": _field(lambda value: value.dt.weekday()),
    "day_of_year": _field(lambda value: value.dt.ordinal_day()),
    "week": _field(lambda value: value.dt.week()),
    "quarter": _field(lambda value: value.dt.quarter()),
    "epoch": _epoch,
    "date_trunc": _with_unit(_truncated),
    "date_diff": _with_unit(lambda unit, start, end: _number(unit, end) - _number(unit, start)),
    "make_date": _make_date,
}
