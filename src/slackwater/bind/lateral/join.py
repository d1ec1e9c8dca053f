"""Joins with what depends on the rows before it: UNNEST, explode, LATERAL."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from slackwater import algebra
from slackwater.algebra import Operator
from slackwater.algebra.expressions import Expression, Table
from slackwater.algebra.types import NULL, UNKNOWN
from slackwater.bind import errors
from slackwater.bind.binding import BROKEN
from slackwater.bind.expressions import Expressions
from slackwater.bind.joins import kind_of
from slackwater.bind.lateral import problems
from slackwater.bind.lateral.table_functions import called_table, function_rows, is_unknown
from slackwater.bind.lateral.unnest import from_call, outward, unnested
from slackwater.bind.scope import From, Scope
from slackwater.bind.scope import Table as Source
from slackwater.bind.synchronization.from_items import CLOCK
from slackwater.language.cql import nodes

if TYPE_CHECKING:
    from slackwater.bind.tables import Tables


def lateral_item(tables: Tables, left: From, node: exp.Expression, *, keeps: bool = False) -> From:
    """The rows of `left`, each with those that depend on it; the scope is that of the new columns."""
    binder = tables.queries.expressions(left.scope, tables.outer, "FROM")
    if (function := called_table(node, tables.binding)) is not None:
        plan, fields = function_rows(left.plan, function, node, binder, keeps=keeps)
        name = node.alias or function.name
        return From(plan, Scope([Source(name, tuple(fields), known=plan is not BROKEN)]))
    if isinstance(node, nodes.Unnested) and is_unknown(node, tables.binding):
        return From(BROKEN, Scope([Source(node.alias, (), known=False)]))
    if isinstance(node, nodes.Unnested):
        alias = node.args.get("alias")
        names = [column.name for column in alias.columns] if alias is not None else []
        plan, fields = unnested(left.plan, from_call(node), binder, names, node.alias, keeps=keeps)
        return From(plan, Scope([Source(node.alias, tuple(fields), known=plan is not BROKEN)]))
    right = _query(tables, binder, node)
    if BROKEN in (left.plan, right.plan):
        return From(BROKEN, right.scope)
    return From(_dependent(left.plan, right.plan, keeps, tables, node), right.scope)


def lateral_join(tables: Tables, left: From, join: exp.Join) -> From:
    """A join whose right side depends on the left one."""
    binding, kind, node = tables.binding, kind_of(join), join.this
    if kind not in ("inner", "cross", "left") or join.args.get("using") or join.args.get("method"):
        word = "NATURAL" if join.args.get("method") else "USING" if join.args.get("using") else kind.upper()
        binding.report(problems.LATERAL_JOIN.at(binding.span(node), kind=word))
        return From(BROKEN, Scope([*left.scope.tables, Source(node.alias, (), known=False)]))
    if left.plan is CLOCK:
        tables.fails = True
        return From(BROKEN, left.scope)
    is_plain = _is_true(join.args.get("on"))
    keeps = kind == "left"
    right = lateral_item(tables, left, node, keeps=keeps and is_plain)
    both = Scope([*left.scope.tables, *right.scope.tables], dict(left.scope.merged))
    for table in right.scope.tables:
        if table.alias and left.scope.table(table.alias):
            binding.report(errors.duplicate_alias(table.alias, binding.span(node)))
    if is_plain:
        return From(right.plan, both)
    binder = tables.queries.expressions(both, tables.outer, "ON of an outer join" if keeps else "ON")
    binder.may_use_now = not keeps and not tables.outer
    condition = binder.condition(join.args["on"], "ON")
    if right.plan is BROKEN or condition.type is UNKNOWN:
        return From(BROKEN, both)
    if not keeps:
        return From(tables.filtered(right.plan, condition), both)
    return From(_left_join(tables, left, node, right, condition), both)


def _left_join(
    tables: Tables, left: From, node: exp.Expression, right: From, condition: Expression
) -> Operator:
    """R ⟕→ σ p Q: the condition is one of the query for each row, which is looked at from inside."""
    outside = frozenset(left.plan.schema.names)
    plan = right.plan
    while not isinstance(plan, algebra.Unnest | algebra.DependentJoin):
        plan = plan.inputs[0]
    if isinstance(plan, algebra.DependentJoin):
        query = plan.query.plan
    else:
        arrays = tuple((name, outward(values, outside)) for name, values in plan.arrays)
        query = replace(plan, source=algebra.Unit(), arrays=arrays)
        if isinstance(right.plan, algebra.Project):  # positions from 0
            own = tuple(pair for pair in right.plan.columns if pair[0] not in outside)
            query = algebra.Project(query, own)
    chosen = algebra.Select(query, outward(condition, outside), origin=tables.binding.span(node))
    return algebra.DependentJoin(left.plan, Table(NULL, chosen), True, origin=plan.origin)


def _query(tables: Tables, binder: Expressions, node: exp.Expression) -> From:
    plan = tables.queries.relation(node.this, [binder, *tables.outer])
    return tables.aliased(plan, node.alias, node)


def _dependent(
    left: Operator, right: Operator, keeps: bool, tables: Tables, node: exp.Expression
) -> Operator:
    return algebra.DependentJoin(left, Table(NULL, right), keeps, origin=tables.binding.span(node))


def _is_true(on: exp.Expression | None) -> bool:
    return on is None or (isinstance(on, exp.Boolean) and bool(on.this))
