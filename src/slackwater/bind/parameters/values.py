"""Values as literals of the syntax tree, and texts that are read as values of a type."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from math import isfinite
from operator import index
from typing import Any

from sqlglot import exp

from slackwater.algebra.types import MAX_PRECISION, NULL, STRING, Type
from slackwater.base.moments import parse_date, parse_timestamp
from slackwater.base.time import Duration, length_in

_INTEGER = re.compile(r"[+-]?[0-9]{1,400}")
_NUMBER = re.compile(r"[+-]?([0-9]{1,400}(\.[0-9]{0,400})?|\.[0-9]{1,400})([eE][+-]?[0-9]{1,3})?")
_UNITS = (("DAY", 86_400 * 10**6), ("HOUR", 3_600 * 10**6), ("MINUTE", 60 * 10**6), ("SECOND", 10**6))
_TRUTH = {"true": True, "false": False}


@dataclass(frozen=True, slots=True)
class Unread:
    """A text that is read as a value of the type that its place needs; from the command line."""

    text: str


def literal_node(value: Any) -> exp.Expression | None:
    """The value as a literal; None if no literal has such a value."""
    match value:
        case None:
            return exp.Null()
        case bool():
            return exp.Boolean(this=value)
        case str():
            return exp.Literal.string(value)
        case float():
            return _number(repr(float(value))) if isfinite(value) else _cast(str(float(value)), "DOUBLE")
        case Decimal():
            return _decimal(value) if value.is_finite() else None
        case datetime():
            return _moment(value)
        case date():
            return _cast(value.isoformat(), "DATE")
        case timedelta():
            return _interval(value)
    try:
        return _number(str(index(value)))
    except TypeError:
        return None


def readings(text: str) -> Iterator[Any]:
    """The values that a text may spell, apart from itself."""
    text = text.strip()
    if _INTEGER.fullmatch(text):
        yield int(text)
    if _NUMBER.fullmatch(text):
        yield float(text)
    if text.lower() in _TRUTH:
        yield _TRUTH[text.lower()]
    for parse in (parse_date, parse_timestamp):
        try:
            yield parse(text)
        except (ValueError, OverflowError):
            continue
    length = length_in(text)
    span = None if length is None or length.unit is None else Duration(Fraction(length.amount), length.unit)
    if length is not None and span is not None and span.microseconds is not None:
        sign = -1 if length.is_negative else 1
        try:
            yield sign * timedelta(microseconds=int(span.microseconds))
        except OverflowError:
            return


def read_as(text: str, type_: Type) -> Any:
    """The value of the type that a text spells; None if it spells none."""
    if type_ in (STRING, NULL):
        return text
    if type_.is_decimal:
        return Decimal(text.strip()) if _NUMBER.fullmatch(text.strip()) else None
    for value in readings(text):
        match value:
            case bool() if type_.name == "boolean":
                return value
            case bool():
                continue
            case int() if type_.is_integer:
                return value
            case float() if type_.is_floating:
                return value
            case datetime() if type_.name in ("timestamp", "timestamp_ntz"):
                return value.replace(tzinfo=UTC) if type_.name == "timestamp" else value
            case datetime():
                continue
            case date() if type_.name == "date":
                return value
            case timedelta() if type_.name == "interval":
                return value
    return None


def _number(digits: str) -> exp.Expression:
    if digits.startswith("-"):
        return exp.Neg(this=exp.Literal.number(digits[1:]))
    return exp.Literal.number(digits.removeprefix("+"))


def _cast(text: str, type_: str) -> exp.Expression:
    return exp.Cast(this=exp.Literal.string(text), to=exp.DataType.build(type_))


def _decimal(value: Decimal) -> exp.Expression | None:
    """A decimal of as many digits as the value has."""
    _, digits, exponent = value.as_tuple()
    scale = max(-int(exponent), 0)
    precision = max(len(digits) + max(int(exponent), 0), scale + 1)
    return _cast(f"{value:f}", f"DECIMAL({precision}, {scale})") if precision <= MAX_PRECISION else None


def _moment(value: datetime) -> exp.Expression:
    """An instant in UTC, or a date and time of day without a zone."""
    if value.tzinfo is None:
        return _cast(value.isoformat(" "), "TIMESTAMP_NTZ")
    return _cast(value.astimezone(UTC).replace(tzinfo=None).isoformat(" ") + "Z", "TIMESTAMP")


def _interval(value: timedelta) -> exp.Expression:
    """An interval in the longest unit of which it is a whole number."""
    amount = value // timedelta(microseconds=1)
    for unit, length in _UNITS:
        if amount and amount % length == 0:
            return _length(amount // length, unit)
    return _length(amount, "MICROSECOND")


def _length(amount: int, unit: str) -> exp.Expression:
    return exp.Interval(this=exp.Literal.string(str(amount)), unit=exp.Var(this=unit))
