"""How a query uses a source of its FROM: whether it names TS, whether only conditions read a Now view."""

from __future__ import annotations

from sqlglot import exp

from slackwater import algebra
from slackwater.algebra import Operator
from slackwater.algebra.points import NEVER
from slackwater.algebra.synchronization import STAMP
from slackwater.bind.binding import Binding
from slackwater.bind.scope import Field, From, Scope, Table
from slackwater.bind.synchronization.now import Current, now_view
from slackwater.language.cql import nodes

CLOCK = algebra.Ticks(NEVER)
"""In place of the plan of a Now view that is not joined."""


def names_stamp(select: exp.Select, alias: str) -> bool:
    """Whether the query names TS of that source; without a qualifier if it has no other source."""
    is_only = not select.args.get("joins")
    return any(
        column.name.lower() == STAMP.lower()
        and (column.table.lower() == alias.lower() if column.table else is_only)
        for column in select.find_all(exp.Column)
    )


def in_place_of(
    plan: Operator, alias: str, node: exp.Expression, select: exp.Select, binding: Binding
) -> From | None:
    """The columns of a Now view that only conditions of the query read; None for any other source."""
    is_named = isinstance(node, exp.Table | nodes.RelationOf) and not node.args.get("joins")
    if not is_named or not select.args.get("joins") or not _is_inner(node, select):
        return None
    view = now_view(plan)
    if view is None or not _only_in_conditions(alias, set(view.columns), select):
        return None
    unique = binding.unique(alias)
    fields: list[Field] = []
    for name, value in view.columns.items():
        internal = f"{unique}.{name}"
        binding.current[internal] = Current(value, view.points)
        fields.append(Field(name, internal, value.type))
    return From(CLOCK, Scope([Table(alias, tuple(fields))]))


def _is_inner(node: exp.Expression, select: exp.Select) -> bool:
    """Whether the source stands in FROM itself or in an inner join, and no other join is of another kind."""
    return node.find_ancestor(exp.Select) is select and all(
        not join.args.get("side")
        and not join.args.get("method")
        and not join.args.get("using")
        and str(join.args.get("kind") or "").upper() in ("", "INNER", "CROSS")
        for join in select.args.get("joins") or []
    )


def _only_in_conditions(alias: str, columns: set[str], select: exp.Select) -> bool:
    names = {name.lower() for name in columns}
    if any(_includes(item, alias) for item in select.expressions):
        return False
    for column in select.find_all(exp.Column):
        is_read = column.table.lower() == alias.lower() if column.table else column.name.lower() in names
        if is_read and not _is_in_condition(column, select):
            return False
    return True


def _includes(item: exp.Expression, alias: str) -> bool:
    """Whether an item of the select list is `*` or that of the source."""
    if isinstance(item, exp.Column) and isinstance(item.this, exp.Star):
        return bool(item.table.lower() == alias.lower())
    return isinstance(item, exp.Star)


def _is_in_condition(column: exp.Column, select: exp.Select) -> bool:
    """Whether it stands in WHERE or ON of the query itself."""
    node: exp.Expr | None = column.parent
    while node is not None and not isinstance(node, exp.Where | exp.Join):
        if isinstance(node, exp.Query | exp.Subquery):
            return False
        node = node.parent
    return node is not None and node.parent is select
