"""Formatted texts, as Java's Formatter writes them: the format is compiled to a function of the arguments."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Final

import polars as pl

from slackwater.algebra.expressions import Call, Literal
from slackwater.algebra.expressions.printf import Field, parts
from slackwater.algebra.types import Type
from slackwater.kernels.expressions.decimals import Maker
from slackwater.kernels.expressions.rows import rows_of, types_of
from slackwater.kernels.expressions.terms import Term, faults_of
from slackwater.kernels.expressions.texts.java_texts import double_text, shortened, units
from slackwater.kernels.expressions.values import column_of, dtype

_BYTES: Final = {"tinyint": 1, "smallint": 2, "int": 4, "bigint": 8}
_FIGURES: Final = re.compile(r"-?([0-9]+)\.?([0-9]*)(?:e([+-][0-9]+))?")
_DIGITS: Final = 6
"""How many digits there are after the point, unless the format says so."""

Shown = Callable[[Any], str]


def _field(field: Field, type_: Type) -> Shown:
    """The text of a value, without padding by blanks."""
    if field.kind in "oxX":
        return _base(field, _BYTES[type_.name])
    if field.kind == "d":
        return lambda value: _framed(field, value < 0, _grouped(field, str(abs(value))))
    if field.kind in "feE":
        return lambda value: _real(field, value)
    return lambda value: _word(field, value)


def _word(field: Field, value: Any) -> str:
    if isinstance(value, bool):
        text = "true" if value else "false"
    elif field.kind in "bB":
        text = "true"
    else:
        text = double_text(value) if isinstance(value, float) else str(value)
    return _cut(field, text)


def _null(field: Field) -> str:
    return _cut(field, "false" if field.kind in "bB" else "null")


def _cut(field: Field, text: str) -> str:
    text = shortened(text, field.digits) if field.digits is not None else text
    return text.upper() if field.kind.isupper() else text


def _base(field: Field, size: int) -> Shown:
    base = {"o": "o", "x": "x", "X": "X"}[field.kind]
    prefix = ("0" if base == "o" else f"0{base}") if "#" in field.flags else ""
    least = max(field.width - len(prefix), 0) if "0" in field.flags else 0

    def shown(value: int) -> str:
        unsigned = int.from_bytes(value.to_bytes(size, "big", signed=True), "big")
        return prefix + f"{unsigned:{base}}".zfill(least)

    return shown


def _grouped(field: Field, whole: str) -> str:
    if "," not in field.flags:
        return whole
    first = len(whole) % 3
    groups = [whole[at : at + 3] for at in range(first, len(whole), 3)]
    return ",".join([whole[:first], *groups] if first else groups)


def _framed(field: Field, is_negative: bool, digits: str) -> str:
    """With its sign, and with zeros between that and the digits."""
    in_brackets = is_negative and "(" in field.flags
    sign = "(" if in_brackets else "-" if is_negative else next((s for s in "+ " if s in field.flags), "")
    end = ")" if in_brackets else ""
    if "0" in field.flags:
        digits = "0" * (field.width - len(sign + digits + end)) + digits
    return sign + digits + end


def _real(field: Field, value: float) -> str:
    match = _FIGURES.fullmatch(repr(value))
    if match is None:
        name = "NaN" if value != value else "Infinity"
        if value == value:
            name = _framed(Field(0, "f", field.flags.replace("0", "")), value < 0, name)
        return name.upper() if field.kind == "E" else name
    digits = _DIGITS if field.digits is None else field.digits
    figures = (match[1] + match[2]).lstrip("0")
    point = len(figures) - len(match[2]) + int(match[3] or 0)
    if field.kind == "f":
        whole, part = _cut_at(figures, point, digits)
        text = _grouped(field, whole) + (f".{part}" if part else "")
    else:
        text = _with_exponent(figures, point, digits)
        text = text.upper() if field.kind == "E" else text
    return _framed(field, value < 0, text)


def _cut_at(figures: str, point: int, digits: int) -> tuple[str, str]:
    """The figures 0.f₁f₂… · 10^point with so many after the point, halves up."""
    size = max(point + digits, 0)
    up = point + digits >= 0 and figures[size : size + 1] >= "5"
    number = int(figures[:size].ljust(size, "0") or "0") + up
    text = str(number).rjust(digits + 1, "0")
    return (text[:-digits], text[-digits:]) if digits else (text, "")


def _with_exponent(figures: str, point: int, digits: int) -> str:
    if not figures:
        return f"0{'.' if digits else ''}{'0' * digits}e+00"
    whole, part = _cut_at(figures, 1, digits)
    power = point - 1
    if len(whole) > 1:
        whole, part, power = "1", "0" * digits, power + 1
    return f"{whole}{'.' if digits else ''}{part}e{'+' if power >= 0 else '-'}{abs(power):02d}"


def _compiled(text: str, types: Sequence[Type]) -> Callable[[Sequence[Any]], str]:
    pieces = [
        part if isinstance(part, str) else (part, _field(part, types[part.place])) for part in parts(text)
    ]

    def shown(values: Sequence[Any]) -> str:
        return "".join(piece if isinstance(piece, str) else _padded(*piece, values) for piece in pieces)

    return shown


def _padded(field: Field, show: Shown, values: Sequence[Any]) -> str:
    value = values[field.place]
    text = _null(field) if value is None else show(value)
    blanks = " " * (field.width - len(units(text)))
    return text + blanks if "-" in field.flags else blanks + text


def _format_string(call: Call, arguments: Sequence[Term]) -> Term:
    text, *_ = call.arguments
    if not isinstance(text, Literal) or text.value is None:
        return Term(pl.lit(None, dtype=dtype(call.type)), faults_of(arguments))
    types = types_of(call)[1:]
    show = _compiled(str(text.value), types)

    def computed(columns: Sequence[pl.Series]) -> pl.Series:
        return column_of(map(show, rows_of(columns[1:], types)), call.type)

    values = [argument.value for argument in arguments]
    return Term(
        pl.map_batches(values, computed, return_dtype=dtype(call.type), is_elementwise=True),
        faults_of(arguments),
    )


MAKERS: dict[str, Maker] = {"format_string": _format_string}
