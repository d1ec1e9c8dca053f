"""Casts: a value of another type; one that does not fit is NULL, and a fault unless the cast is lenient."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Context, Decimal
from typing import Any, Final

import numpy as np
import polars as pl

from slackwater.algebra.errors import bad_cast
from slackwater.algebra.expressions import Cast, Column, Expression
from slackwater.algebra.expressions.casts import castable, inner_types
from slackwater.algebra.types import BINARY, MAX_PRECISION, NULL, STRING, UNKNOWN, Type, common, entries_of
from slackwater.algebra.values import Row
from slackwater.base.diagnostic import EngineError
from slackwater.kernels.expressions import decimals
from slackwater.kernels.expressions.arithmetic import canonical
from slackwater.kernels.expressions.decimals import to_double
from slackwater.kernels.expressions.rows import by_rows
from slackwater.kernels.expressions.spellings import PARSERS
from slackwater.kernels.expressions.terms import Fault, Term, let
from slackwater.kernels.expressions.values import column_of, dtype, literal, values_of

Conversion = Callable[[pl.Expr], pl.Expr]


def cast_to(part: Expression, term: Term, target: Type) -> Term:
    """The term as a value of the target type."""
    return term if part.type == target else cast(Cast(target, part, origin=part.origin), term)


def cast(expr: Cast, term: Term) -> Term:
    source, target = expr.operand.type, expr.type
    if source == NULL:
        return Term(literal(None, target), term.faults)
    if _is_unchanged(source, target):
        same = dtype(source) == dtype(target)
        return term if same else Term(term.value.cast(dtype(target)), term.faults)
    if not castable(source, target):
        return _checked(expr, term, lambda value: literal(None, target))
    convert = _conversion(source, target)
    if _always_fits(source, target):
        return Term(let(convert, term.value), term.faults)
    return _checked(expr, term, convert)


def _checked(expr: Cast, term: Term, convert: Conversion) -> Term:
    value = let(convert, term.value)
    if expr.lenient:
        return Term(value, term.faults)
    wrong = let(lambda x: x.is_not_null() & let(convert, x).is_null(), term.value)
    fault = Fault(wrong, lambda value: EngineError(bad_cast(expr, value)), ((term.value, expr.operand.type),))
    return Term(value, (*term.faults, fault))


def _is_unchanged(source: Type, target: Type) -> bool:
    """Whether a value of one type is a value of the other as it is: an integer of no fewer bits."""
    if source == target or UNKNOWN in (source, target):
        return True
    if source.name == target.name and not castable(source, target):
        return True
    return source.is_integer and target.is_integer and common(source, target) == target


def _always_fits(source: Type, target: Type) -> bool:
    if target.is_floating or target.name in ("boolean", "timestamp", "timestamp_ntz"):
        return source != STRING
    if target.is_decimal and not source.is_floating and source != STRING:
        widened = decimals.digits(source) - source.scale < target.precision - target.scale
        return widened or (source.scale <= target.scale and _same_room(source, target))
    return target.name == "binary" or (target.name in ("string", "date") and source not in (STRING, BINARY))


def _same_room(source: Type, target: Type) -> bool:
    return decimals.digits(source) - source.scale <= target.precision - target.scale


def _conversion(source: Type, target: Type) -> Conversion:
    """How a value of the source type is converted; NULL if it does not fit."""
    if source == STRING and target.name in PARSERS:
        return PARSERS[target.name](target)
    if target.is_integer:
        return _to_integer(source, target)
    if target.is_floating:
        return _to_double(source, target)
    if target.is_decimal:
        return _to_decimal(source, target)
    match source.name, target.name:
        case _, "boolean":
            return lambda value: (value.to_physical() if source.is_decimal else value) != 0
        case "boolean", "string":
            return lambda value: pl.when(value).then(pl.lit("true")).when(~value).then(pl.lit("false"))
        case (("timestamp" | "timestamp_ntz"), "string"):
            return _timestamp_text
        case "double", "string":
            return _float_text
        case "float", "string":
            return lambda value: _float_text(by_rows(_fewest_digits, [value], [source], source))
        case "binary", "string":
            return lambda value: by_rows(_decoded, [value], [source], target)
        case "map", _:
            return _nested(entries_of(source), entries_of(target))
        case (("array" | "struct"), _):
            return _nested(source, target)
    return lambda value: value.cast(dtype(target))


def _timestamp_text(value: pl.Expr) -> pl.Expr:
    """The fraction of a second without zeros at its end, or none."""
    return value.dt.to_string("%Y-%m-%d %H:%M:%S%.6f").str.replace(r"\.?0{0,6}$", "")


def _float_text(value: pl.Expr) -> pl.Expr:
    return value.map_batches(_float_texts, return_dtype=pl.String, is_elementwise=True)


_NAMES: Final = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}


def _float_texts(column: pl.Series) -> pl.Series:
    """The shortest digits; exponents as Python writes them, not Polars."""
    size = column.abs()
    plain = ((size >= 1e-4) & (size < 1e16)) | (size == 0.0)
    at = (~plain).fill_null(False).arg_true()
    texts = column.cast(pl.String)
    if not len(at):
        return texts
    spelled_out = [_NAMES.get(text, text) for text in map(repr, column.gather(at).to_list())]
    return texts.scatter(at, pl.Series("", spelled_out, dtype=pl.String))


def _fewest_digits(value: float) -> float:
    """The double with the fewest digits that rounds to this number of 32 bits."""
    exact = Decimal(value)
    if not exact.is_finite():
        return value
    with np.errstate(over="ignore"):
        for digits in range(1, 10):
            near = float(Context(prec=digits).create_decimal(exact))
            if np.float32(near) == value:
                return near
    return value


def _decoded(value: bytes) -> str | None:
    try:
        return str(value, "utf-8")
    except UnicodeDecodeError:
        return None


def _nested(source: Type, target: Type) -> Conversion:
    """Part by part; NULL where a part does not fit."""

    def converted(column: pl.Series) -> pl.Series:
        values = values_of(column, source)
        known = iter(_converted_rows([value for value in values if value is not None], source, target))
        return column_of([None if value is None else next(known) for value in values], target)

    return lambda value: value.map_batches(converted, return_dtype=dtype(target), is_elementwise=True)


def _converted_rows(rows: Sequence[Row], source: Type, target: Type) -> list[Row | None]:
    pairs = list(zip(inner_types(source), inner_types(target), strict=True))
    if source.name == "array":
        (pair,) = pairs
        parts = iter(_converted_column([part for row in rows for part in row], *pair))
        converted = [tuple(next(parts) for _ in row) for row in rows]
    else:
        columns = [_converted_column([row[i] for row in rows], *pair) for i, pair in enumerate(pairs)]
        converted = list(zip(*columns, strict=True))
    return [None if _loses_part(*both) else both[1] for both in zip(rows, converted, strict=True)]


def _converted_column(values: Sequence[Any], source: Type, target: Type) -> list[Any]:
    if source == NULL:
        return [None] * len(values)
    expr = Cast(target, Column(source, "part"), lenient=True)
    frame = pl.DataFrame({"part": column_of(values, source)})
    return values_of(frame.select(cast(expr, Term(pl.col("part"))).value.alias("part"))["part"], target)


def _loses_part(before: Row, after: Row) -> bool:
    return any(new is None and old is not None for old, new in zip(before, after, strict=True))


def _to_integer(source: Type, target: Type) -> Conversion:
    def convert(value: pl.Expr) -> pl.Expr:
        if source.is_decimal:
            count = value.to_physical()
            value = (
                decimals.whole_units("truncate", count, decimals.power(source.scale))
                if source.scale
                else count
            )
        if source.is_floating:
            value = value.cast(pl.Int64, strict=False)
        return value.cast(dtype(target), strict=False)

    return convert


def _to_double(source: Type, target: Type) -> Conversion:
    if target.name == "double":
        return lambda value: to_double(value, source)
    return lambda value: single(to_double(value, source))


def single(value: pl.Expr) -> pl.Expr:
    """The nearest number of 32 bits; one too large is an infinity."""
    return canonical(value.cast(pl.Float32).cast(pl.Float64))


def _to_decimal(source: Type, target: Type) -> Conversion:
    if source.is_floating:
        return lambda value: decimals.from_units(_float_units(value, target), target)
    if source.scale > target.scale:
        unit = decimals.power(source.scale - target.scale)
        return lambda value: decimals.from_units(
            decimals.whole_units("round", decimals.units(value, source), unit), target
        )
    return lambda value: decimals.from_units(_finer_units(value, source, target), target)


def _finer_units(value: pl.Expr, source: Type, target: Type) -> pl.Expr:
    """Units of the target, which has as many digits after the point or more; NULL beyond 128 bits."""
    count = decimals.units(value, source, target.scale)
    if decimals.has_room(source, target.scale):
        return count
    most = decimals.power(MAX_PRECISION - (target.scale - source.scale))
    return pl.when(decimals.units(value, source).abs() < most).then(count)


_SURE: Final = 2.0**50
"""Below so many units a double and a half next to it differ, with few exceptions."""


def _float_units(value: pl.Expr, target: Type) -> pl.Expr:
    """The double's shortest digits as units of the target, halves rounded away from zero.

    Only a double next to a half is rounded by its digits.
    """

    def computed(column: pl.Series) -> pl.Series:
        numbers = column.fill_null(0.0).to_numpy()
        with np.errstate(all="ignore"):
            size = np.abs(numbers * 10.0**target.scale)
            down = np.floor(size)
            unsure = ~(size < _SURE) | (np.abs(size - down - 0.5) <= size / _SURE)
            whole = np.where(unsure, 0.0, np.copysign(down + (size - down >= 0.5), numbers))
        result = pl.Series("", whole.astype(np.int64)).cast(pl.Int128)
        (at,) = unsure.nonzero()
        if len(at):
            exact = pl.Series(
                "", [decimals.parse_units(repr(float(x)), target) for x in numbers[at]], dtype=pl.Int128
            )
            result = result.scatter(pl.Series("", at), exact)
        return result

    count = value.map_batches(computed, return_dtype=pl.Int128, is_elementwise=True)
    return pl.when(value.is_not_null()).then(count)
