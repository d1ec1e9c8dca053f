"""Casts in plain Python: from a value of one type to the equal, or nearest, value of another."""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable
from datetime import datetime
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Any

from slackwater.algebra.expressions.casts import castable, inner_types
from slackwater.algebra.types import Type, entries_of
from slackwater.algebra.values import NAN, canonical
from slackwater.base.moments import parse_date, parse_timestamp
from slackwater.reference.comparison import as_timestamp

Conversion = Callable[[Any], Any]

EXACT = Context(prec=200, rounding=ROUND_HALF_UP, Emax=999_999, Emin=-999_999)
"""Room for every sum and product of two decimals, so that rounding happens once, at the scale."""

_BITS = {"tinyint": 8, "smallint": 16, "int": 32, "bigint": 64}
_INTEGER = re.compile(r"[+-]?[0-9]+")
_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,5})?")
_SPECIAL = {"nan": NAN, "inf": math.inf, "infinity": math.inf}
_TRUTHS = {
    **dict.fromkeys(("true", "t", "yes", "y", "1"), True),
    **dict.fromkeys(("false", "f", "no", "n", "0"), False),
}


def conversion(source: Type, target: Type) -> Conversion | None:
    """The function that converts a value that is not NULL, or raises ValueError; None if none is needed."""
    if source == target or source.name in ("null", "unknown") or target.name == "unknown":
        return None
    if not castable(source, target):
        return None if source.name == target.name else _impossible(source, target)
    if source.is_integer and target.is_integer and _BITS[source.name] <= _BITS[target.name]:
        return None
    if source.name == "map":
        return _nested(entries_of(source), entries_of(target))
    if source.name in ("array", "struct"):
        return _nested(source, target)
    return _TO[target.name](source, target)


def _impossible(source: Type, target: Type) -> Conversion:
    def fail(value: Any) -> Any:
        raise ValueError(f"no {source} is a {target}")

    return fail


def _nested(source: Type, target: Type) -> Conversion:
    inside = [conversion(a, b) for a, b in zip(inner_types(source), inner_types(target), strict=True)]
    is_array = source.name == "array"

    def convert(values: tuple[Any, ...]) -> tuple[Any, ...]:
        conversions = inside * len(values) if is_array else inside
        pairs = zip(values, conversions, strict=True)
        return tuple(part if part is None or of_part is None else of_part(part) for part, of_part in pairs)

    return convert


def _to_integer(source: Type, target: Type) -> Conversion:
    half = 1 << (_BITS[target.name] - 1)

    def convert(value: Any) -> int:
        number = _parse_integer(value) if isinstance(value, str) else _truncated(value)
        if not -half <= number < half:
            raise ValueError("out of range")
        return number

    return convert


def _parse_integer(text: str) -> int:
    if not _INTEGER.fullmatch(text.strip()):
        raise ValueError("no integer")
    return int(text)


def _truncated(value: Any) -> int:
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("not finite")
    return int(value)


def _to_double(source: Type, target: Type) -> Conversion:
    convert = _parse_double if source.name == "string" else float
    return convert if target.name == "double" else lambda value: single(convert(value))


def _parse_double(text: str) -> float:
    word = text.strip()
    special = _SPECIAL.get(word.lower().lstrip("+-"))
    if special is not None and len(word) - len(word.lstrip("+-")) <= 1:
        return canonical(-special if word.startswith("-") else special)  # type: ignore[no-any-return]
    if not _NUMBER.fullmatch(word):
        raise ValueError("no number")
    return float(word) + 0.0


def single(value: float) -> float:
    """The nearest number of 32 bits; one too large is an infinity."""
    try:
        return canonical(struct.unpack("f", struct.pack("f", value))[0])  # type: ignore[no-any-return]
    except OverflowError:
        return math.copysign(math.inf, value)


def _to_decimal(source: Type, target: Type) -> Conversion:
    def convert(value: Any) -> Decimal:
        return fitted(_as_decimal(value), target)

    return convert


def _as_decimal(value: Any) -> Decimal:
    if isinstance(value, str):
        if not _NUMBER.fullmatch(value.strip()):
            raise ValueError("no number")
        return Decimal(value.strip())
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError("not finite")
        return Decimal(repr(value))
    return Decimal(value)


def fitted(value: Decimal, target: Type) -> Decimal:
    """The decimal at the type's scale, halves away from zero; ValueError if it has too many digits."""
    if value and value.adjusted() >= target.precision - target.scale + 1:
        raise ValueError("out of range")
    scaled = value.quantize(Decimal((0, (1,), -target.scale)), context=EXACT)
    if scaled and scaled.adjusted() >= target.precision - target.scale:
        raise ValueError("out of range")
    return scaled if scaled else scaled.copy_abs()


def _to_boolean(source: Type, target: Type) -> Conversion:
    return _parse_boolean if source.name == "string" else bool


def _parse_boolean(text: str) -> bool:
    truth = _TRUTHS.get(text.strip().lower())
    if truth is None:
        raise ValueError("no boolean")
    return truth


def _to_string(source: Type, target: Type) -> Conversion:
    match source.name:
        case "boolean":
            return lambda value: "true" if value else "false"
        case "float" | "double":
            return lambda value: _float_text(value, source.name == "float")
        case "decimal":
            return lambda value: format(value, "f")
        case "binary":
            return lambda value: value.decode()
        case "timestamp" | "timestamp_ntz":
            return _timestamp_text
        case "date":
            return lambda value: value.isoformat()
    return str


def _float_text(value: float, is_single: bool) -> str:
    if not math.isfinite(value):
        return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"
    if is_single:
        texts = (f"{value:.{digits}g}" for digits in range(1, 10))
        value = next((float(text) for text in texts if single(float(text)) == value), value)
    return repr(value)


def _timestamp_text(value: datetime) -> str:
    text = value.isoformat(sep=" ")
    return text.rstrip("0") if value.microsecond else text


def _to_date(source: Type, target: Type) -> Conversion:
    return parse_date if source.name == "string" else lambda value: value.date()


def _to_timestamp(source: Type, target: Type) -> Conversion:
    return parse_timestamp if source.name == "string" else as_timestamp


_TO: dict[str, Callable[[Type, Type], Conversion]] = {
    **dict.fromkeys(_BITS, _to_integer),
    **dict.fromkeys(("float", "double"), _to_double),
    "decimal": _to_decimal,
    "boolean": _to_boolean,
    "string": _to_string,
    "binary": lambda source, target: lambda text: text.encode(),
    "date": _to_date,
    "timestamp": _to_timestamp,
    "timestamp_ntz": _to_timestamp,
}
