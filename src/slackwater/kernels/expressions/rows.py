"""Functions that Polars has no expression for: computed in Python, row by row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import polars as pl

from slackwater.algebra.expressions import Call
from slackwater.algebra.types import Type
from slackwater.algebra.values import Row
from slackwater.kernels.expressions.values import column_of, dtype, values_of


def types_of(call: Call) -> list[Type]:
    return [part.type for part in call.arguments]


def by_rows(
    function: Callable[..., Any], arguments: Sequence[pl.Expr], types: Sequence[Type], result: Type
) -> pl.Expr:
    """The function's value in every row, of type `result`; NULL where an argument is."""

    def computed(columns: Sequence[pl.Series]) -> pl.Series:
        rows = rows_of(columns, types)
        return column_of((None if None in row else function(*row) for row in rows), result)

    return pl.map_batches(arguments, computed, return_dtype=dtype(result), is_elementwise=True)


def rows_of(columns: Sequence[pl.Series], types: Sequence[Type]) -> list[Row]:
    size = max(map(len, columns)) if all(map(len, columns)) else 0
    lists = [values_of(column, type_) for column, type_ in zip(columns, types, strict=True)]
    # A literal's column has a single row, for all rows.
    return list(zip(*(values * size if len(values) < size else values for values in lists), strict=False))
