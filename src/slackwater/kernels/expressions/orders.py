"""Orders of pairs over columns: whether (r, s) matches at least as well as (r', s')."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import polars as pl

from slackwater.algebra.expressions import Preferred
from slackwater.algebra.orders import SUBSET, SUPERSET
from slackwater.algebra.types import BOOLEAN
from slackwater.algebra.users.orders import compared
from slackwater.algebra.values import Row
from slackwater.base.diagnostic import Bug, EngineError
from slackwater.kernels.expressions.rows import by_rows
from slackwater.kernels.expressions.terms import Term, faults_of, lasting


def preferred(expr: Preferred, arguments: Sequence[Term]) -> Term:
    """The order's value in every row."""
    columns = [argument.value for argument in arguments]
    return Term(_value(expr, columns), faults_of(arguments))


def _value(expr: Preferred, columns: list[pl.Expr]) -> pl.Expr:
    types = [argument.type for argument in expr.arguments]
    if expr.order == SUBSET:
        return by_rows(_contains, columns, types, BOOLEAN)
    if expr.order == SUPERSET:
        return by_rows(_contains, columns[2:] + columns[:2], types[2:] + types[:2], BOOLEAN)
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


def _contains(r: Row, s: Row, other_r: Row, other_s: Row) -> bool:
    """other_r ∩ other_s ⊆ r ∩ s

    In Python: the set operations of Polars panic on some columns of lists that a join gives (2.1.0).
    """
    return {*other_r} & {*other_s} <= {*r} & {*s}
