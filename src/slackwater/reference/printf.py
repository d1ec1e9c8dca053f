"""Formatted texts in plain Python, as Java's Formatter writes them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Any

from slackwater.algebra.expressions.nodes import Call
from slackwater.algebra.expressions.printf import Field, parts
from slackwater.algebra.types import Type
from slackwater.algebra.values import Row
from slackwater.reference.java_texts import double_text, shortened, units
from slackwater.reference.logic import Evaluator

_WIDE = Context(prec=2000, rounding=ROUND_HALF_UP)
_BITS = {"tinyint": 8, "smallint": 16, "int": 32, "bigint": 64}


def format_string(call: Call, arguments: Sequence[Evaluator]) -> Evaluator:
    text, *others = arguments
    types = [part.type for part in call.arguments[1:]]

    def formatted(row: Row, outer: Mapping[str, Any]) -> str | None:
        pattern = text(row, outer)
        values = [other(row, outer) for other in others]
        if pattern is None:
            return None
        return "".join(
            part if isinstance(part, str) else _shown(part, values[part.place], types[part.place])
            for part in parts(pattern)
        )

    return formatted


def _shown(field: Field, value: Any, type_: Type) -> str:
    if value is None or field.kind in "sSbB":
        return _justified(field, _plain(field, value))
    if field.kind in "oxX":
        return _justified(field, _in_base(field, value % (1 << _BITS[type_.name])))
    if isinstance(value, float) and not math.isfinite(value):
        sign, end = _signs(field, value < 0)
        name = "NaN" if value != value else f"{sign}Infinity{end}"
        return _justified(field, name.upper() if field.kind == "E" else name)
    digits = _scientific(field, value) if field.kind in "eE" else _fixed(field, value)
    return _justified(field, _signed(field, value < 0, digits))


def _plain(field: Field, value: Any) -> str:
    if field.kind in "bB":
        text = str(value if isinstance(value, bool) else value is not None).lower()
    elif value is None:
        text = "null"
    else:
        text = str(value).lower() if isinstance(value, bool) else _text(value)
    text = text if field.digits is None else shortened(text, field.digits)
    return text.upper() if field.kind in "SBXE" else text


def _text(value: Any) -> str:
    return double_text(value) if isinstance(value, float) else str(value)


def _in_base(field: Field, value: int) -> str:
    prefix = {"o": "0", "x": "0x", "X": "0X"}[field.kind] if "#" in field.flags else ""
    digits = format(value, field.kind)
    return prefix + digits.rjust((field.width if "0" in field.flags else 0) - len(prefix), "0")


def _fixed(field: Field, value: Any) -> str:
    if isinstance(value, int):
        whole, point, rest = str(abs(value)), "", ""
    else:
        digits = 6 if field.digits is None else field.digits
        exact = abs(Decimal(repr(value))).quantize(Decimal((0, (1,), -digits)), context=_WIDE)
        whole, point, rest = f"{exact:f}".partition(".")
    return (f"{int(whole):,}" if "," in field.flags else whole) + point + rest


def _scientific(field: Field, value: float) -> str:
    digits = 6 if field.digits is None else field.digits
    exact = Context(prec=digits + 1, rounding=ROUND_HALF_UP).plus(abs(Decimal(repr(value))))
    power = exact.adjusted() if exact else 0
    mantissa = exact.scaleb(-power).quantize(Decimal((0, (1,), -digits)), context=_WIDE)
    text = f"{mantissa:f}e{'-' if power < 0 else '+'}{abs(power):02d}"
    return text.upper() if field.kind == "E" else text


def _signs(field: Field, is_negative: bool) -> tuple[str, str]:
    if is_negative:
        return ("(", ")") if "(" in field.flags else ("-", "")
    return ("+" if "+" in field.flags else " " if " " in field.flags else ""), ""


def _signed(field: Field, is_negative: bool, digits: str) -> str:
    sign, end = _signs(field, is_negative)
    room = field.width - len(sign) - len(end) if "0" in field.flags else 0
    return sign + digits.rjust(room, "0") + end


def _justified(field: Field, text: str) -> str:
    blanks = " " * (field.width - len(units(text)))
    return text + blanks if "-" in field.flags else blanks + text


LAZY = {"format_string": format_string}
