"""Orders of pairs over columns: whether (r, s) matches at least as well as (r', s')."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import polars as pl

from slackwater.algebra.expressions import Preferred
from slackwater.algebra.orders import SUBSET, SUPERSET
from slackwater.algebra.user_orders import compared
from slackwater.base.diagnostic import Bug, EngineError
from slackwater.kernels.expressions.terms import Term, faults_of, lasting, let


def preferred(expr: Preferred, arguments: Sequence[Term]) -> Term:
    """The order's value in every row."""
    columns = [argument.value for argument in arguments]
    return Term(_value(expr, columns), faults_of(arguments))


def _value(expr: Preferred, columns: list[pl.Expr]) -> pl.Expr:
    if expr.order == SUBSET:
        return let(_contains, *columns)
    if expr.order == SUPERSET:
        return let(_contains, *columns[2:], *columns[:2])
    if expr.order.path:
        return pl.map_batches(columns, _of_user(expr), return_dtype=pl.Boolean, is_elementwise=True)
    raise Bug(f"no order of two columns: {expr.order}")


def _of_user(expr: Preferred) -> Callable[[Sequence[pl.Series]], pl.Series]:
    def compare(columns: Sequence[pl.Series]) -> pl.Series:
        try:
            return compared(expr.order, columns, expr.origin)
        except EngineError as error:
            raise lasting(error.diagnostics) from error

    return compare


def _contains(r: pl.Expr, s: pl.Expr, other_r: pl.Expr, other_s: pl.Expr) -> pl.Expr:
    """other_r ∩ other_s ⊆ r ∩ s"""
    beyond = other_r.list.set_intersection(other_s).list.set_difference(r.list.set_intersection(s))
    return beyond.list.len() == 0
