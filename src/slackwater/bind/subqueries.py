"""Queries inside expressions: scalar subqueries, IN, ANY and ALL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from slackwater.algebra import types
from slackwater.algebra.expressions import Expression, Literal, nodes
from slackwater.algebra.operator import Operator
from slackwater.algebra.types import BOOLEAN, UNKNOWN
from slackwater.base.span import Span
from slackwater.bind import errors

if TYPE_CHECKING:
    from slackwater.bind.expressions import Expressions

COMPARISONS: dict[type[exp.Expression], str] = {
    exp.EQ: "eq", exp.NEQ: "ne", exp.LT: "lt", exp.LTE: "le", exp.GT: "gt", exp.GTE: "ge",
}  # fmt: skip


def is_quantifier(node: exp.Expression) -> bool:
    """Whether it is ANY or ALL. The parser takes ALL of an array for a function of that name."""
    return isinstance(node, exp.Any | exp.All) or (
        isinstance(node, exp.Anonymous) and node.name.upper() == "ALL" and len(node.expressions) == 1
    )


def quantified(binder: Expressions, node: exp.Expression, span: Span) -> Expression:
    """x < ANY (query), x < ALL (query), and the same of an array."""
    side = node.expression
    if isinstance(side, exp.Anonymous):
        return binder.bind(_of_elements(node, side.expressions[0], "forall"))
    if isinstance(side.this, exp.Expression) and isinstance(side.this, exp.Query):
        every = isinstance(side, exp.All)
        return any_or_all(binder, node.this, COMPARISONS[type(node)], side.this, span, every=every)
    if isinstance(side, exp.Any) and isinstance(side.this, exp.Paren):
        return binder.bind(_of_elements(node, side.this.this, "exists"))
    what = "ANY or ALL of something other than a query"
    binder.binding.report(errors.unsupported_expression(what, span))
    return Literal(UNKNOWN, None, origin=span)


def _of_elements(node: exp.Expression, array: exp.Expression, quantifier: str) -> exp.Expression:
    """x < ANY (array) is exists(array, e -> x < e), and x < ALL (array) is forall(array, e -> x < e)."""
    name = exp.to_identifier("@element", quoted=True)  # which no column has
    test = type(node)(this=node.this.copy(), expression=exp.column(name.copy()))
    function = exp.Lambda(this=test, expressions=[name])
    call = exp.Anonymous(this=quantifier, expressions=[array.copy(), function])
    for new in (test, function, call):
        new.meta.update(node.meta)
    return call


def any_or_all(
    binder: Expressions,
    left: exp.Expression,
    comparison: str,
    query: exp.Expression,
    span: Span,
    *,
    every: bool,
) -> Expression:
    """The comparison of a value, or of several, with some or every row of a query."""
    sides = left.expressions if isinstance(left, exp.Tuple) else [left]
    operands = [binder.bind(side) for side in sides]
    plan = binder.subquery(query, [binder, *binder.outer])
    if len(plan.schema) != len(operands):
        if not _is_broken(plan):
            binder.binding.report(
                errors.subquery_columns(len(operands), plan.schema, binder.binding.span(query))
            )
        return Literal(UNKNOWN, None, origin=span)
    if len(operands) > 1 and comparison not in ("eq", "ne"):
        binder.binding.report(errors.ordered_rows(comparison, span))
    for operand, type_ in zip(operands, plan.schema.types, strict=True):
        if types.common(operand.type, type_) is None:
            binder.binding.report(
                errors.type_mismatch("compared values of the types", operand.type, type_, span)
            )
    return nodes.Quantified(BOOLEAN, plan, tuple(operands), comparison, every, origin=span)


def scalar(binder: Expressions, node: exp.Expression, span: Span) -> Expression:
    """The value of a query with one column."""
    plan = binder.subquery(node, [binder, *binder.outer])
    if len(plan.schema) != 1:
        if not _is_broken(plan):
            binder.binding.report(errors.subquery_columns(1, plan.schema, span))
        return Literal(UNKNOWN, None, origin=span)
    return nodes.Scalar(plan.schema.types[0], plan, origin=span)


def _is_broken(plan: Operator) -> bool:
    return UNKNOWN in plan.schema.types or not len(plan.schema)
