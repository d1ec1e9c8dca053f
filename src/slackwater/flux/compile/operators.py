"""Operators as functions: comparisons of values and of nodes, arithmetic, ranges, sets of nodes, types."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from slackwater.flux.compile import expressions as compiler
from slackwater.flux.compile.context import Run, StaticContext
from slackwater.flux.runtime.nodes import in_document_order
from slackwater.flux.values import arithmetic as value_arithmetic
from slackwater.flux.values import types as value_types
from slackwater.flux.values.atomic import Items, at_most_one, both, integers, one_node
from slackwater.flux.values.comparison import GENERAL_OF, compared
from slackwater.flux.values.errors import Wrong, wrong_type
from slackwater.flux.values.tree import Node
from slackwater.language.xquery import syntax as ast

_ORDERS: dict[str, Callable[[Any, Any], bool]] = {"is": operator.eq, "<<": operator.lt, ">>": operator.gt}


def _operands(
    expr: ast.Compare | ast.Arithmetic | ast.SetOperation | ast.Range, static: StaticContext
) -> tuple[Run, Run]:
    return compiler.items(expr.left, static), compiler.items(expr.right, static)


def compare_values(expr: ast.Compare, static: StaticContext) -> Run:
    """A comparison of two values, such as `eq`: empty where an operand is."""
    left, right = _operands(expr, static)
    op = GENERAL_OF[expr.op]

    def run() -> Items:
        try:
            one, other = left(), right()
            return [compared(op, *both(one, other, expr.op))] if one and other else []
        except Wrong as wrong:
            raise wrong.at(expr.span) from None

    return run


def compare_nodes(expr: ast.Compare, static: StaticContext) -> Run:
    """Nodes that have the same place in a document are the same, in whichever buffer they are."""
    left, right = _operands(expr, static)
    order = _ORDERS[expr.op]

    def run() -> Items:
        try:
            one, other = one_node(left(), expr.op), one_node(right(), expr.op)
        except Wrong as wrong:
            raise wrong.at(expr.span) from None
        return [] if one is None or other is None else [order(one.order, other.order)]

    return run


def arithmetic(expr: ast.Arithmetic, static: StaticContext) -> Run:
    left, right = _operands(expr, static)
    op, operand, calculated = expr.op, value_arithmetic.operand, value_arithmetic.calculated

    def run() -> Items:
        try:
            one, other = left(), right()
            if not one or not other:
                return []
            return [calculated(op, *map(operand, both(one, other, op)))]
        except Wrong as wrong:
            raise wrong.at(expr.span) from None

    return run


def unary(expr: ast.Unary, static: StaticContext) -> Run:
    value = compiler.items(expr.operand, static)
    negative = expr.op == "-"

    def run() -> Items:
        try:
            operand = at_most_one(value(), expr.op)
            if operand is None:
                return []
            number = value_arithmetic.operand(operand)
        except Wrong as wrong:
            raise wrong.at(expr.span) from None
        return [value_arithmetic.negated(number) if negative else number]

    return run


def range_(expr: ast.Range, static: StaticContext) -> Run:
    ends = _operands(expr, static)
    whole = ast.SequenceType("xs:integer")
    context = static.context

    def run() -> Items:
        try:
            first, last = (
                value_types.coerced(bound, whole, context) if (bound := end()) else [] for end in ends
            )
        except Wrong as wrong:
            raise wrong.at(expr.span) from None
        return integers(first[0], last[0]) if first and last else []  # type: ignore[arg-type]

    return run


def set_operation(expr: ast.SetOperation, static: StaticContext) -> Run:
    """`union`, `intersect` and `except`, over nodes only."""
    (left, right), op = _operands(expr, static), expr.op

    def run() -> Items:
        one, other = left(), right()
        if not all(isinstance(item, Node) for item in [*one, *other]):
            raise wrong_type("only nodes can be united, intersected or excepted").at(expr.span)
        if op == "union":
            return [*in_document_order([*one, *other])]  # type: ignore[list-item]
        orders = {node.order for node in other}  # type: ignore[union-attr]
        in_both = op == "intersect"
        return [*in_document_order([node for node in one if (node.order in orders) is in_both])]  # type: ignore[union-attr, misc]

    return run


def typed(expr: ast.Typed, static: StaticContext) -> Run:
    """`cast as`, `castable as`, `instance of`, `treat as`."""
    value, type_, context, op = compiler.items(expr.operand, static), expr.type, static.context, expr.op

    def run() -> Items:
        operand = value()
        try:
            match op:
                case "cast":
                    return value_types.cast(operand, type_)
                case "castable":
                    return [value_types.is_castable(operand, type_)]
                case "instance":
                    return [value_types.is_instance(operand, type_, context)]
            return value_types.checked(operand, type_, context)
        except Wrong as wrong:
            raise wrong.at(expr.span) from None

    return run
