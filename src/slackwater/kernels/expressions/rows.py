"""What has no vectorized counterpart: the reference's own function, row by row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from slackwater.algebra.expressions import Call, Cast, Column, Expression
from slackwater.algebra.schema import Schema
from slackwater.base.diagnostic import Bug, EngineError
from slackwater.kernels.expressions.terms import Fault, Term, faults_of
from slackwater.kernels.expressions.values import column_of, dtype, values_of
from slackwater.reference.expressions import compiled

Row = tuple[Any, ...]


def error_of(expr: Call | Cast) -> Callable[..., EngineError]:
    """The error that the reference raises for these arguments, known to be wrong."""

    def error(*row: Any) -> EngineError:
        found = _error(_function(expr), row)
        if found is None:
            raise Bug(f"the reference finds nothing wrong with {row} in {expr}")
        return found

    return error


def by_rows(expr: Call | Cast, arguments: Sequence[Term], raises: bool = False) -> Term:
    """The call or cast, of arguments already computed; `raises` if the reference's function may."""
    types = [part.type for part in expr.parts]
    evaluate = _function(expr)
    values = [argument.value for argument in arguments]

    def computed(columns: Sequence[pl.Series]) -> pl.Series:
        rows = _rows(columns, types)
        return column_of((_none_if_wrong(evaluate, row) for row in rows), expr.type)

    def wrong(columns: Sequence[pl.Series]) -> pl.Series:
        return pl.Series("", [_error(evaluate, row) is not None for row in _rows(columns, types)], pl.Boolean)

    value = pl.map_batches(values, computed, return_dtype=dtype(expr.type), is_elementwise=True)
    faults = faults_of(arguments)
    if raises:
        where = pl.map_batches(values, wrong, return_dtype=pl.Boolean, is_elementwise=True)
        faults += (Fault(where, error_of(expr), tuple(zip(values, types, strict=True))),)
    return Term(value, faults)


def _function(expr: Call | Cast) -> Callable[[Row], Any]:
    columns: list[Expression] = [Column(part.type, str(i)) for i, part in enumerate(expr.parts)]
    schema = Schema(tuple((str(i), part.type) for i, part in enumerate(expr.parts)))
    over_columns: Expression = (
        replace(expr, arguments=tuple(columns))
        if isinstance(expr, Call)
        else replace(expr, operand=columns[0])
    )
    evaluate = compiled(over_columns, schema)
    return lambda row: evaluate(row, {})


def _rows(columns: Sequence[pl.Series], types: Sequence[Any]) -> list[Row]:
    size = max(map(len, columns)) if all(map(len, columns)) else 0
    lists = [values_of(column, type_) for column, type_ in zip(columns, types, strict=True)]
    # A literal's column has one row, which stands for all.
    return list(zip(*(values * size if len(values) < size else values for values in lists), strict=False))


def _none_if_wrong(evaluate: Callable[[Row], Any], row: Row) -> Any:
    try:
        return evaluate(row)
    except EngineError:
        return None


def _error(evaluate: Callable[[Row], Any], row: Row) -> EngineError | None:
    try:
        evaluate(row)
    except EngineError as error:
        return error
    return None
