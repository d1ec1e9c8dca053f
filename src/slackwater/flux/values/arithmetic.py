"""Arithmetic of XQuery: exact integers and decimals, IEEE 754 doubles."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_DOWN, ROUND_HALF_EVEN, Decimal
from typing import Any

from slackwater.flux.values.atomic import EXACT, Atomic, Number, Untyped, is_number, type_name
from slackwater.flux.values.casts import text_of, to_double
from slackwater.flux.values.comparison import alike
from slackwater.flux.values.errors import bad_cast, division_by_zero, wrong_type

_DIGITS = 18
"""Digits after the point of a quotient that does not terminate, plus those that the dividend has more than
the divisor. XQuery leaves this open; Saxon does the same."""

_PYTHON: dict[str, Callable[[Any, Any], Any]] = {"+": operator.add, "-": operator.sub, "*": operator.mul}
"""Operators that work on integers and doubles as in Python."""


def operand(value: Atomic) -> Number:
    """A value as a number; untyped values become doubles."""
    if isinstance(value, Untyped):
        return to_double(value)
    if not is_number(value):
        raise wrong_type(f"a value of type {type_name(value)} is not a number")
    return value


def calculated(op: str, left: Number, right: Number) -> Number:
    left, right = alike(left, right)
    if isinstance(left, float) and isinstance(right, float):
        return _double(op, left, right)
    if op == "div":
        return quotient(left, right)
    if op in ("idiv", "mod") and right == 0:
        raise division_by_zero()
    if isinstance(left, int) and isinstance(right, int):
        return _integer(op, left, right)
    return _decimal(op, Decimal(left), Decimal(right))


def negated(value: Number) -> Number:
    """Unary minus; a decimal keeps its digits."""
    return value.copy_negate() if isinstance(value, Decimal) else -value


def quotient(left: Number, right: Number) -> Number:
    """`div` of integers or decimals, a decimal."""
    if right == 0:
        raise division_by_zero()
    one, other = Decimal(left), Decimal(right)
    scale = max(_DIGITS, _DIGITS + _exponent(other) - _exponent(one))
    return EXACT.divide(one, other).quantize(Decimal(1).scaleb(-scale), ROUND_HALF_DOWN, EXACT)


def _exponent(value: Decimal) -> int:
    """The exponent of the last digit after the point, without trailing zeros."""
    exponent = EXACT.normalize(value).as_tuple().exponent
    assert isinstance(exponent, int)
    return min(exponent, 0)


def _integer(op: str, left: int, right: int) -> int:
    if op in _PYTHON:
        result: int = _PYTHON[op](left, right)
        return result
    whole = _truncated(left, right)
    return whole if op == "idiv" else left - right * whole


def _truncated(left: int, right: int) -> int:
    whole = abs(left) // abs(right)
    return whole if (left < 0) == (right < 0) else -whole


def _decimal(op: str, left: Decimal, right: Decimal) -> Number:
    match op:
        case "+":
            return EXACT.add(left, right)
        case "-":
            return EXACT.subtract(left, right)
        case "*":
            return EXACT.multiply(left, right)
        case "idiv":
            return int(EXACT.divide_int(left, right))
        case _:
            return EXACT.remainder(left, right)


def _double(op: str, left: float, right: float) -> Number:
    match op:
        case "+" | "-" | "*":
            result: float = _PYTHON[op](left, right)
            return result
        case "div":
            return _divided(left, right)
        case "mod":
            return math.nan if right == 0 or math.isinf(left) else math.fmod(left, right)
        case _:
            return _whole(left, right)


def _divided(left: float, right: float) -> float:
    if right != 0:
        return left / right
    if left == 0 or math.isnan(left):
        return math.nan
    return math.copysign(math.inf, left) * math.copysign(1, right)


def _whole(left: float, right: float) -> int:
    if right == 0:
        raise division_by_zero()
    if not math.isfinite(left) or math.isnan(right):
        raise bad_cast(text_of(left), "xs:integer")
    quotient = left / right
    if math.isinf(quotient):
        raise bad_cast(text_of(quotient), "xs:integer")
    return int(quotient)


def rounded(value: Number) -> Number:
    """Round to the nearest whole number; halves upward."""
    match value:
        case int():
            return value
        case Decimal():
            return EXACT.add(value, Decimal("0.5")).to_integral_value(ROUND_FLOOR)
        case float():
            if not math.isfinite(value) or value == 0:
                return value
            whole = math.floor(Decimal(value) + Decimal("0.5"))
            return math.copysign(float(whole), value)


def floored(value: Number) -> Number:
    return _to_whole(value, ROUND_FLOOR)


def ceiled(value: Number) -> Number:
    return _to_whole(value, ROUND_CEILING)


def _to_whole(value: Number, rounding: str) -> Number:
    match value:
        case int():
            return value
        case Decimal():
            return value.to_integral_value(rounding)
        case float():
            if not math.isfinite(value):
                return value
            return math.copysign(float(Decimal(value).to_integral_value(rounding)), value)


def half_to_even(value: Number, digits: int) -> Number:
    match value:
        case float():
            if not math.isfinite(value):
                return value
            return math.copysign(float(_even(Decimal(repr(value)), digits)), value)
        case Decimal():
            return _even(value, digits)
        case int():
            return int(_even(Decimal(value), digits))


def _even(value: Decimal, digits: int) -> Decimal:
    return value.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_EVEN, EXACT)
