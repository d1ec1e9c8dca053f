"""The types of columns in Polars."""

from __future__ import annotations

import polars as pl

from slackwater.algebra.expressions.casts import inner_types
from slackwater.algebra.types import Type, entries_of
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
        return pl.Struct(dict(zip(field_names(type_), map(dtype, inner_types(type_)), strict=True)))
    if type_.name == "map":
        return dtype(entries_of(type_))
    raise Bug(f"no column has the type {type_}")


def field_names(type_: Type) -> list[str]:
    return [argument[0] for argument in type_.arguments if isinstance(argument, tuple)]
