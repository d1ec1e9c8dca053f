"""The algebra's types and values in Polars."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import polars as pl

from slackwater.algebra.expressions.casts import inner_types
from slackwater.algebra.types import Type
from slackwater.algebra.values import canonical
from slackwater.base.diagnostic import Bug

_PLAIN: dict[str, pl.DataType] = {
    "boolean": pl.Boolean(),
    "tinyint": pl.Int8(),
    "smallint": pl.Int16(),
    "int": pl.Int32(),
    "bigint": pl.Int64(),
    "float": pl.Float64(),
    "double": pl.Float64(),
    "string": pl.String(),
    "binary": pl.Binary(),
    "date": pl.Date(),
    "timestamp": pl.Datetime("us"),
    "timestamp_ntz": pl.Datetime("us"),
    "interval": pl.Duration("us"),
    "null": pl.Null(),
}


def dtype(type_: Type) -> pl.DataType:
    """How Polars holds a column of the type; a float is held as the double it equals."""
    if type_.name in _PLAIN:
        return _PLAIN[type_.name]
    if type_.is_decimal:
        return pl.Decimal(type_.precision, type_.scale)
    if type_.name == "array":
        return pl.List(dtype(inner_types(type_)[0]))
    if type_.name == "struct":
        return pl.Struct(dict(zip(_field_names(type_), map(dtype, inner_types(type_)), strict=True)))
    raise Bug(f"no column has the type {type_}")


def _field_names(type_: Type) -> list[str]:
    return [argument[0] for argument in type_.arguments if isinstance(argument, tuple)]


def literal(value: Any, type_: Type) -> pl.Expr:
    """The same value in every row."""
    if type_.name in ("array", "struct") and value is not None:
        return pl.lit(column_of([value], type_)).first()
    return pl.lit(canonical(value), dtype=dtype(type_))


def column_of(values: Iterable[Any], type_: Type) -> pl.Series:
    """Values of the algebra as a column."""
    return pl.Series("", [_stored(value, type_) for value in values], dtype=dtype(type_), strict=True)


def values_of(column: pl.Series, type_: Type) -> list[Any]:
    """A column as values of the algebra."""
    values = column.to_list()
    if type_.is_floating or type_.name in ("array", "struct"):
        return [canonical(_plain(value, type_)) for value in values]
    return values


def _stored(value: Any, type_: Type) -> Any:
    if value is None or type_.name not in ("array", "struct"):
        return value
    inner = inner_types(type_)
    if type_.name == "array":
        return [_stored(part, inner[0]) for part in value]
    return {n: _stored(v, t) for n, v, t in zip(_field_names(type_), value, inner, strict=True)}


def _plain(value: Any, type_: Type) -> Any:
    if value is None or type_.name not in ("array", "struct"):
        return value
    inner = inner_types(type_)
    if type_.name == "array":
        return tuple(_plain(part, inner[0]) for part in value)
    return tuple(_plain(v, t) for v, t in zip(value.values(), inner, strict=True))
