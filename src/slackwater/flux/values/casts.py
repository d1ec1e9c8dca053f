"""Conversions of atomic values: to text, to numbers, to the named types of XML Schema."""

from __future__ import annotations

import math
import re
from decimal import ROUND_DOWN, Decimal

from slackwater.flux.values.atomic import Atomic, Derived, Untyped
from slackwater.flux.values.errors import Wrong, bad_cast

_DOUBLE = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?")
_DECIMAL = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)")
_INTEGER = re.compile(r"[+-]?\d+")
_SPECIAL = {"INF": math.inf, "+INF": math.inf, "-INF": -math.inf, "NaN": math.nan}
_SPACE = " \t\r\n"
_BOUNDS = {
    "xs:int": (-(2**31), 2**31 - 1),
    "xs:long": (-(2**63), 2**63 - 1),
    "xs:short": (-(2**15), 2**15 - 1),
    "xs:byte": (-128, 127),
    "xs:nonNegativeInteger": (0, None),
    "xs:positiveInteger": (1, None),
    "xs:unsignedInt": (0, 2**32 - 1),
    "xs:unsignedLong": (0, 2**64 - 1),
}


def text_of(value: Atomic) -> str:
    """A value cast to xs:string."""
    match value:
        case Untyped(text):
            return text
        case str():
            return value
        case bool():
            return "true" if value else "false"
        case int():
            # Python's own str raises for very long ones.
            return f"{Decimal(value):f}"
        case Decimal():
            return _decimal_text(value)
        case float():
            return _double_text(value)


def _decimal_text(value: Decimal) -> str:
    text = f"{value:f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def _double_text(value: float) -> str:
    """Plain digits from 10⁻⁶ up to 10⁶, a mantissa and an exponent beyond."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "INF" if value > 0 else "-INF"
    if value == 0:
        return "-0" if math.copysign(1, value) < 0 else "0"
    digits = Decimal(repr(value))
    if Decimal("0.000001") <= abs(digits) < 1_000_000:
        return _decimal_text(digits)
    sign, figures, exponent = digits.normalize().as_tuple()
    assert isinstance(exponent, int)
    rest = "".join(map(str, figures[1:])) or "0"
    return f"{'-' if sign else ''}{figures[0]}.{rest}E{exponent + len(figures) - 1}"


def to_double(value: Atomic) -> float:
    match value:
        case Untyped(text) | str(text):
            trimmed = text.strip(_SPACE)
            if trimmed in _SPECIAL:
                return _SPECIAL[trimmed]
            if not _DOUBLE.fullmatch(trimmed) or not trimmed.isascii():
                raise bad_cast(text, "xs:double")
            return float(trimmed)
        case int() | Decimal():
            return _as_float(value)
        case float():
            return value


def _as_float(value: int | Decimal) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def to_number(value: Atomic | None) -> float:
    """fn:number: NaN for what is not a number."""
    if value is None:
        return math.nan
    try:
        return to_double(value)
    except Wrong:
        return math.nan


def to_decimal(value: Atomic) -> Decimal:
    match value:
        case Untyped(text) | str(text):
            trimmed = text.strip(_SPACE)
            if not _DECIMAL.fullmatch(trimmed) or not trimmed.isascii():
                raise bad_cast(text, "xs:decimal")
            return Decimal(trimmed)
        case float() if not math.isfinite(value):
            raise bad_cast(text_of(value), "xs:decimal")
        case _:
            return Decimal(value)


def to_integer(value: Atomic) -> int:
    match value:
        case Untyped(text) | str(text):
            trimmed = text.strip(_SPACE)
            if not _INTEGER.fullmatch(trimmed) or not trimmed.isascii():
                raise bad_cast(text, "xs:integer")
            return int(Decimal(trimmed))
        case float() if not math.isfinite(value):
            raise bad_cast(text_of(value), "xs:integer")
        case Decimal():
            return int(value.to_integral_value(ROUND_DOWN))
        case _:
            return int(value)


def to_boolean(value: Atomic) -> bool:
    match value:
        case Untyped(text) | str(text):
            trimmed = text.strip(_SPACE)
            if trimmed not in ("true", "1", "false", "0"):
                raise bad_cast(text, "xs:boolean")
            return trimmed in ("true", "1")
        case _:
            return bool(value) and value == value


def cast_to(value: Atomic, name: str) -> Atomic:
    """The value cast to the named type."""
    match name:
        case "xs:string":
            return text_of(value)
        case "xs:untypedAtomic":
            return Untyped(text_of(value))
        case "xs:boolean":
            return to_boolean(value)
        case "xs:double":
            return to_double(value)
        case "xs:decimal":
            return to_decimal(value)
        case "xs:integer":
            return to_integer(value)
    least, most = _BOUNDS[name]
    number = to_integer(value)
    if number < least or (most is not None and number > most):
        raise bad_cast(text_of(value), name)
    return Derived.of(number, name)
