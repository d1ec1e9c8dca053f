"""Terms: a value for every row, and the faults: the rows in which it is an error.

Values never raise: where the data are wrong they are NULL, or arbitrary. Faults are predicates, so that
they can be restricted to the rows of a branch:

    CASE WHEN b <> 0 THEN CAST(s AS INT) END      a bad s counts only where b <> 0

The faults are evaluated once, with the whole expression. The one raised is the one that evaluation row by
row would raise: that of the first row, and there of the part that is evaluated first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from slackwater.algebra.types import Type
from slackwater.base.diagnostic import Diagnostic, EngineError
from slackwater.kernels.expressions.values import dtype, values_of


class NotSupported(Exception):
    """An expression that the kernels cannot evaluate: it depends on more than the row."""


@dataclass(frozen=True, slots=True)
class Fault:
    """The rows in which the data are wrong, and the error made from the values in `about`."""

    where: pl.Expr
    """NULL counts as false."""
    error: Callable[..., EngineError]
    about: tuple[tuple[pl.Expr, Type], ...] = ()


@dataclass(frozen=True, slots=True)
class Term:
    value: pl.Expr
    faults: tuple[Fault, ...] = ()

    def only(self, rows: pl.Expr) -> Term:
        """The term evaluated in these rows only."""
        return Term(self.value, tuple(replace(fault, where=rows & fault.where) for fault in self.faults))


def faults_of(terms: Iterable[Term]) -> tuple[Fault, ...]:
    return tuple(fault for term in terms for fault in term.faults)


def let(body: Callable[..., pl.Expr], *values: pl.Expr) -> pl.Expr:
    """`body` of the values, each computed once however often the body uses it.

    Polars shares no subexpressions in eager mode: without this a nested expression grows exponentially
    with its depth. The body may use only its arguments. Columns are bound together with the rest, so that
    the struct has as many rows as they.
    """
    if all(value.meta.is_column() or value.meta.is_literal() for value in values):
        return body(*values)
    bound = {f"_{index}": value for index, value in enumerate(values) if not value.meta.is_literal()}
    names = [pl.field(f"_{i}") if f"_{i}" in bound else value for i, value in enumerate(values)]
    scope: pl.Expr = pl.struct([value.alias(name) for name, value in bound.items()])
    return scope.struct.with_fields(body(*names).alias("value")).struct.field("value")


def checked(term: Term, type_: Type, is_long: bool = True) -> pl.Expr:
    """The term's value in every row, or the error of its first fault; `is_long` if it has a value per row.

    Polars returns a single row where only a literal is chosen: `when(false).then(column).otherwise(1)`.
    """
    roots = term.value.meta.root_names()
    value = term.value if roots else _in_every_row(term.value)
    if not term.faults and (is_long or not roots):
        return value
    faults = term.faults

    def check(columns: Sequence[pl.Series]) -> pl.Series:
        result, beside, *rest = columns
        if len(beside):
            _raise_first(faults, rest)
        return result if len(result) == len(beside) else result.new_from_index(0, len(beside))

    about = [expr for fault in faults for expr, _ in fault.about]
    beside = pl.col(roots[0]) if roots else value
    inputs = [value, beside, *(fault.where for fault in faults), *about]
    return pl.map_batches(inputs, check, return_dtype=dtype(type_), is_elementwise=True)


def _in_every_row(value: pl.Expr) -> pl.Expr:
    return pl.when(pl.int_range(pl.len()) >= 0).then(value)


def _raise_first(faults: Sequence[Fault], columns: Sequence[pl.Series]) -> None:
    failures = [
        (row, order)
        for order, where in enumerate(columns[: len(faults)])
        if (row := _first(where)) is not None
    ]
    if not failures:
        return
    row, order = min(failures)
    start = len(faults) + sum(len(fault.about) for fault in faults[:order])
    fault = faults[order]
    abouts = columns[start : start + len(fault.about)]
    # A literal's column has a single row, for all rows.
    values = [
        values_of(column.slice(row if len(column) > 1 else 0, 1), type_)[0]
        for column, (_, type_) in zip(abouts, fault.about, strict=True)
    ]
    error = fault.error(*values)
    raise lasting(error.diagnostics, error.__cause__) from error.__cause__


def _first(where: pl.Series) -> int | None:
    return where.arg_true()[0] if where.any() else None


def lasting(diagnostics: tuple[Diagnostic, ...], cause: BaseException | None = None) -> EngineError:
    """An error that keeps its diagnostics and its cause when Polars raises it again from its text."""

    class Lasting(EngineError):
        def __init__(self, *text: object) -> None:
            super().__init__(diagnostics)
            self.__cause__ = cause

        def __reduce__(self) -> tuple[Any, ...]:
            return EngineError, (diagnostics,)

    Lasting.__name__ = Lasting.__qualname__ = EngineError.__name__
    return Lasting()
