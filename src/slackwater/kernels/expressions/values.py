"""The algebra's types and values in Polars."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import polars as pl

from slackwater.algebra.column_types import dtype, field_names
from slackwater.algebra.expressions.casts import inner_types
from slackwater.algebra.types import Type, entries_of
from slackwater.algebra.values import canonical

__all__ = ["NESTED", "column_of", "dtype", "literal", "values_of"]

NESTED: Final = ("array", "struct", "map")
"""Types whose values are made of others."""


def literal(value: Any, type_: Type) -> pl.Expr:
    """The same value in every row."""
    if type_.name in NESTED and value is not None:
        return pl.lit(column_of([value], type_)).first()
    return pl.lit(canonical(value), dtype=dtype(type_))


def column_of(values: Iterable[Any], type_: Type) -> pl.Series:
    """Values of the algebra as a column."""
    return pl.Series("", [_stored(value, type_) for value in values], dtype=dtype(type_), strict=True)


def values_of(column: pl.Series, type_: Type) -> list[Any]:
    """A column as values of the algebra."""
    values = column.to_list()
    if type_.is_floating or type_.name in NESTED:
        return [canonical(_plain(value, type_)) for value in values]
    return values


def _stored(value: Any, type_: Type) -> Any:
    if value is None or type_.name not in NESTED:
        return value
    type_ = entries_of(type_) if type_.name == "map" else type_
    inner = inner_types(type_)
    if type_.name == "array":
        return [_stored(part, inner[0]) for part in value]
    return {n: _stored(v, t) for n, v, t in zip(field_names(type_), value, inner, strict=True)}


def _plain(value: Any, type_: Type) -> Any:
    if value is None or type_.name not in NESTED:
        return value
    if type_.name == "map":
        return _plain(_entries(value), entries_of(type_))
    inner = inner_types(type_)
    if type_.name == "array":
        return tuple(_plain(part, inner[0]) for part in value)
    return tuple(_plain(v, t) for v, t in zip(value.values(), inner, strict=True))


def _entries(value: Any) -> Any:
    """The entries of a map, which a column of Polars' own type has as a dict."""
    return [{"key": k, "value": v} for k, v in value.items()] if isinstance(value, dict) else value
