"""Literals: values written in the query."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from fractions import Fraction

from sqlglot import exp

from slackwater.algebra.expressions import Expression, Literal
from slackwater.algebra.types import BIGINT, DOUBLE, INT, INTERVAL, STRING, UNKNOWN, Type
from slackwater.base.moments import parse_date, parse_timestamp
from slackwater.base.span import Span
from slackwater.base.time import Duration, length_in
from slackwater.bind import errors
from slackwater.bind.binding import Binding

_LONGEST = 10**17
"""The microseconds of the longest interval."""
_DAY = 86_400 * 10**6
_MOMENTS: dict[str, Callable[[str], object]] = {
    "date": parse_date,
    "timestamp": parse_timestamp,
    "timestamp_ntz": parse_timestamp,
}
_WORD_BEFORE = 64
"""How far before a text its DATE or TIMESTAMP may begin."""
_MOMENT = re.compile(r"\b(date|timestamp(_?ntz)?)\s+$", re.IGNORECASE)


def literal(binding: Binding, node: exp.Literal, span: Span) -> Expression:
    if node.is_string:
        return Literal(STRING, node.this, origin=span)
    text = str(node.this)
    if text.isdigit():
        return integer(binding, int(text), span)
    try:
        number = float(text)
    except ValueError:
        number = float("inf")
    if number in (float("inf"), float("-inf")):
        binding.report(errors.bad_literal(text, "is not a number that a double can hold", span))
        return Literal(UNKNOWN, None, origin=span)
    return Literal(DOUBLE, number, origin=span)


def integer(binding: Binding, value: int, span: Span) -> Expression:
    if not -(2**63) <= value < 2**63:
        binding.report(errors.large_integer(value, span))
        return Literal(UNKNOWN, None, origin=span)
    return Literal(INT if -(2**31) <= value < 2**31 else BIGINT, value, origin=span)


def interval(binding: Binding, node: exp.Interval, span: Span) -> Expression:
    text = str(node.this.name if node.this else "").strip()
    unit = node.args.get("unit")
    # One number and one unit: neither `DAY TO MINUTE` nor a text with two numbers is a length.
    word = "" if unit is None or isinstance(unit, exp.IntervalSpan) else str(unit.name)
    parsed = length_in(f"{text} {word}")
    length = None if parsed is None else Duration(Fraction(parsed.amount), parsed.unit).microseconds
    if parsed is None or length is None or length.denominator != 1 or length > _LONGEST:
        why = "an interval is a number with a unit from microseconds to weeks"
        if length is not None and length > _LONGEST:
            why = f"longer than {_LONGEST // _DAY:,} days"
        binding.report(errors.bad_literal(span.content, why, span))
        return Literal(UNKNOWN, None, origin=span)
    sign = -1 if parsed.is_negative else 1
    return Literal(INTERVAL, timedelta(microseconds=sign * int(length)), origin=span)


def is_wrong_moment(operand: Expression, target: Type, span: Span) -> bool:
    """Whether this is `DATE '…'` or `TIMESTAMP '…'` with a text that is not one.

    sqlglot parses them as casts. A CAST written as such fails when it is evaluated, like any other.
    """
    parse = _MOMENTS.get(target.name)
    if parse is None or not isinstance(operand, Literal) or not isinstance(operand.value, str):
        return False
    before = span.text.content[max(0, span.start - _WORD_BEFORE) : span.start]
    if not _MOMENT.search(before):
        return False
    try:
        parse(operand.value)
    except ValueError:
        return True
    return False
