"""VALUES, and rows of which several are made: a row for each of k alternatives.

VALUES (1, x), (2, y)      π a, (case n ≤ 1: x else y) (μ a [1, 2] with position n (Unit))
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from slackwater import algebra
from slackwater.algebra import Operator
from slackwater.algebra.expressions import Call, Case, Column, Expression, Literal, column
from slackwater.algebra.types import BIGINT, BOOLEAN, NULL, UNKNOWN, array
from slackwater.base.span import Span
from slackwater.bind import problems
from slackwater.bind.binding import BROKEN
from slackwater.bind.coercion import timed
from slackwater.bind.scope import Scope
from slackwater.optimize.rebuild import columns_of

if TYPE_CHECKING:
    from slackwater.bind.expressions import Expressions
    from slackwater.bind.query import Queries
    from slackwater.language.cql import nodes

_POSITION = "@alternative"
Alternatives = Sequence[tuple[str, Sequence[Expression]]]
"""Columns by their names, each with its value in each alternative."""


def value_rows(queries: Queries, node: nodes.ValueRows, outer: list[Expressions]) -> Operator:
    """The plan of VALUES: its columns are col1, col2, …"""
    binder = queries.expressions(Scope(), outer, "VALUES")
    rows = [[binder.bind(value) for value in row.expressions] for row in node.expressions]
    width = len(rows[0])
    for values, row in zip(rows, node.expressions, strict=True):
        if len(values) != width:
            place = queries.binding.span(row)
            queries.binding.report(problems.VALUE_COUNT.at(place, first=width, count=len(values)))
            return BROKEN
    span = queries.binding.span(node)
    columns = [
        (f"col{place}", binder.unified(timed(list(values)), "values of a column of the types", span))
        for place, values in enumerate(zip(*rows, strict=True), start=1)
    ]
    if any(value.type is UNKNOWN for _, values in columns for value in values):
        return BROKEN
    return alternatives(algebra.Unit(), columns, span)


def alternatives(
    source: Operator, columns: Alternatives, span: Span, staying: Sequence[str] | None = None
) -> Operator:
    """Each row of the source once for each alternative, with the columns of that alternative.

    The columns of the source come before them: all, or those that are `staying`.
    """
    count = len(columns[0][1])
    own = tuple(
        (name, value) for name, value in columns_of(source.schema) if staying is None or name in staying
    )
    if count == 1:
        return algebra.Project(source, (*own, *((name, values[0]) for name, values in columns)), origin=span)
    arrays = tuple((name, _array(values)) for name, values in columns if _is_constant(values))
    if len(arrays) == len(columns) and len(own) == len(source.schema):
        return algebra.Unnest(source, arrays, origin=span)
    known, position = {name for name, _ in arrays}, column(_POSITION, BIGINT)
    counted = arrays or ((_POSITION, Literal(array(BIGINT), tuple(range(1, count + 1)))),)
    rows = algebra.Unnest(source, counted, _POSITION if arrays else "", origin=span)
    chosen = (
        (name, column(name, v[0].type) if name in known else _chosen(position, v)) for name, v in columns
    )
    return algebra.Project(rows, (*own, *chosen), origin=span)


def _is_constant(values: Sequence[Expression]) -> bool:
    return values[0].type != NULL and all(isinstance(value, Literal) for value in values)


def _array(values: Sequence[Expression]) -> Expression:
    return Literal(array(values[0].type), tuple(v.value for v in values if isinstance(v, Literal)))


def _chosen(position: Column, values: Sequence[Expression], first: int = 1) -> Expression:
    """The value at a position; by halves, so that the expression is not as deep as there are values."""
    if all(value == values[0] for value in values):
        return values[0]
    half = len(values) // 2
    is_before = Call(BOOLEAN, "lt", (position, Literal(BIGINT, first + half)))
    before, after = _chosen(position, values[:half], first), _chosen(position, values[half:], first + half)
    return Case(values[0].type, ((is_before, before),), after)
