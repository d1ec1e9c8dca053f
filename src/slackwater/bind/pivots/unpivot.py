"""UNPIVOT: a row for each of several columns.

R UNPIVOT (v FOR n IN (a, b))      σ (v IS NOT NULL) (R × {('a', R.a), ('b', R.b)}), without a and b
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from slackwater import algebra
from slackwater.algebra import Operator
from slackwater.algebra.expressions import Call, Expression, Literal, column
from slackwater.algebra.types import BOOLEAN, STRING, UNKNOWN
from slackwater.bind import errors
from slackwater.bind.binding import BROKEN
from slackwater.bind.expressions import Expressions
from slackwater.bind.pivots import problems
from slackwater.bind.scope import Field, Scope, Table, unique_names
from slackwater.bind.stars import starred
from slackwater.bind.value_rows import alternatives
from slackwater.language.cql import nodes
from slackwater.language.cql.pivots import value_name

if TYPE_CHECKING:
    from slackwater.bind.tables import Tables

Row = tuple[str, list[Expression]]
"""The name of a row, and its values."""


def unpivoted(tables: Tables, node: nodes.Unpivoted, source: Operator, alias: str) -> Operator:
    """The plan of UNPIVOT over a relation."""
    if source is BROKEN:
        return BROKEN
    binding, span = tables.binding, tables.binding.span(node)
    fields = tuple(Field(name, name, type_) for name, type_ in source.schema)
    binder = tables.queries.expressions(Scope([Table(alias, fields)]), tables.outer, "UNPIVOT")
    rows = [row for item in node.expressions for row in _rows(item, node, binder)]
    width = len(node.values)
    for name, values in rows:
        if len(values) != width:
            binding.report(errors.column_counts(f'"{name}" of UNPIVOT', len(values), width, span))
            return BROKEN
    if any(value.type is UNKNOWN for _, values in rows for value in values) or not rows:
        return BROKEN
    columns = [
        binder.unified([values[place] for _, values in rows], "columns of UNPIVOT of the types", span)
        for place in range(width)
    ]
    if any(value.type is UNKNOWN for values in columns for value in values):
        return BROKEN
    used = {
        value.name for _, values in rows for value in values if isinstance(value, algebra.expressions.Column)
    }
    staying = [name for name in source.schema.names if name not in used]
    names = unique_names([*staying, node.args["name"].name, *(value.name for value in node.values)])[
        len(staying) :
    ]
    cells: list[Sequence[Expression]] = [[Literal(STRING, name) for name, _ in rows], *columns]
    plan = alternatives(source, list(zip(names, cells, strict=True)), span, staying)
    return plan if node.keeps_nulls else _with_value(plan, names[1:])


def _rows(item: exp.Expression, node: nodes.Unpivoted, binder: Expressions) -> list[Row]:
    """The columns that become a row; COLUMNS(*), or *, is one of each column."""
    inner: Any = item.unalias()
    binding = binder.binding
    if isinstance(inner, exp.Anonymous) and inner.name.upper() == "COLUMNS" and len(inner.expressions) == 1:
        inner = inner.expressions[0]
    if isinstance(inner, exp.Star):
        listed = starred(binder.scope.star(), inner, binder, binding.span(inner))
        return [(name, [value]) for name, value in listed]
    parts = list(inner.expressions) if isinstance(inner, exp.Tuple) else [inner]
    for part in parts:
        if not isinstance(part, exp.Column):
            binding.report(problems.NOT_A_COLUMN.at(binding.span(part)))
            return []
    return [(value_name(item), [binder.bind(part) for part in parts])]


def _with_value(plan: Operator, names: list[str]) -> Operator:
    """The rows with a value in one of the columns."""
    condition: Expression | None = None
    types = dict(plan.schema)
    for name in names:
        missing = Call(BOOLEAN, "is_null", (column(name, types[name]),))
        present = Call(BOOLEAN, "not", (missing,))
        condition = present if condition is None else Call(BOOLEAN, "or", (condition, present))
    assert condition is not None
    return algebra.Select(plan, condition, origin=plan.origin)
