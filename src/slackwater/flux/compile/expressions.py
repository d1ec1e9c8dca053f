"""Expressions as functions: `items` gives what an expression gives, `test` its truth, `texts` its texts.

What is computed is that of the reference (`tree_eval`), by the same functions on values; what is decided
while compiling is everything that the expression's shape tells: kinds of steps, types of operands, names.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import singledispatch
from typing import Any

from slackwater.flux.compile import calls as compile_calls
from slackwater.flux.compile import construct as compile_construct
from slackwater.flux.compile import flwor as compile_flwor
from slackwater.flux.compile import paths as compile_paths
from slackwater.flux.compile.compare import general
from slackwater.flux.compile.context import UNSET, Making, Run, Slot, Test, Texts
from slackwater.flux.runtime.nodes import in_document_order
from slackwater.flux.values import arithmetic as tree_arithmetic
from slackwater.flux.values import types as tree_types
from slackwater.flux.values.atomic import (
    GENERAL_OF,
    Items,
    at_most_one,
    both,
    compared,
    integers,
    one_node,
    truth,
)
from slackwater.flux.values.errors import Wrong, no_context, no_value, unknown_input, wrong_type
from slackwater.flux.values.joined import joined
from slackwater.flux.values.tree import Node
from slackwater.language.xquery import syntax as ast
from slackwater.language.xquery.functions import BOOLEAN, FUNCTIONS, PASSING

__all__ = ["Wrong", "gives_nodes", "is_boolean", "items", "test", "texts"]


def items(expr: ast.Expr, making: Making) -> Run:
    """The function that gives the items of an expression."""
    known = making.scope.computed.get(expr)
    return known if known is not None else _items(expr, making)


@singledispatch
def _items(expr: ast.Expr, making: Making) -> Run:
    raise TypeError(f"no expression of XQuery: {expr!r}")


@_items.register(ast.String)
@_items.register(ast.Integer)
@_items.register(ast.Fixed)
@_items.register(ast.Double)
def _(expr: ast.String | ast.Integer | ast.Fixed | ast.Double, making: Making) -> Run:
    value = expr.value
    return lambda: [value]


@_items.register
def _(expr: ast.Variable, making: Making) -> Run:
    scope = making.scope
    slot = scope.slots.get(expr.name)
    if slot is None:
        raise no_value(f"${expr.name}").at(expr.span)
    env, number = scope.env, slot.number
    match slot.kind:
        case "item":
            return lambda: [env[number]]
        case "items":
            return lambda: env[number]
    return _let(expr.name, slot, making)


def _let(name: str, slot: Slot, making: Making) -> Run:
    """A let is computed when it is first asked for."""
    env, lets, number = making.scope.env, making.scope.lets, slot.number

    def run() -> Items:
        found: Items = env[number]
        if found is UNSET:
            found = env[number] = lets[name]()
        return found

    return run


@_items.register
def _(expr: ast.ContextItem, making: Making) -> Run:
    if making.focus is None:
        return _raising(no_context(), expr)
    env, number = making.scope.env, making.focus.item
    return lambda: [env[number]]


def _raising(wrong: Wrong, expr: ast.Expr) -> Run:
    def run() -> Items:
        raise wrong.at(expr.span)

    return run


@_items.register
def _(expr: ast.Root, making: Making) -> Run:
    item = items(ast.ContextItem(span=expr.span), making)

    def run() -> Items:
        (found,) = item()
        if not isinstance(found, Node) or found.root.kind != "document":
            raise wrong_type("the context item is not in a document").at(expr.span)
        return [found.root]

    return run


@_items.register
def _(expr: ast.Input, making: Making) -> Run:
    return _raising(unknown_input(expr.kind, expr.name), expr)


@_items.register
def _(expr: ast.Sequence, making: Making) -> Run:
    parts = [items(each, making) for each in expr.items]
    if not parts:
        return list
    return lambda: joined([part() for part in parts])


@_items.register
def _(expr: ast.Path, making: Making) -> Run:
    return compile_paths.path(expr, making)


@_items.register
def _(expr: ast.Filter, making: Making) -> Run:
    source = items(expr.source, making)
    filters = [compile_paths.predicate(each, making) for each in expr.predicates]

    def run() -> Items:
        found = source()
        try:
            for each in filters:
                found = each(found)
        except Wrong as wrong:
            raise wrong.at(expr.span) from None
        return found

    return run


@_items.register
def _(expr: ast.Flwor, making: Making) -> Run:
    return compile_flwor.flwor(expr, making)


@_items.register(ast.Logical)
@_items.register(ast.Quantified)
def _(expr: ast.Logical | ast.Quantified, making: Making) -> Run:
    holds = test(expr, making)
    return lambda: [holds()]


@_items.register
def _(expr: ast.If, making: Making) -> Run:
    holds = test(expr.condition, making)
    then, otherwise = items(expr.then, making), items(expr.otherwise, making)
    return lambda: then() if holds() else otherwise()


@_items.register
def _(expr: ast.Compare, making: Making) -> Run:
    if expr.op in ast.GENERAL:
        holds = test(expr, making)
        return lambda: [holds()]
    left, right = items(expr.left, making), items(expr.right, making)
    if expr.op in ast.NODE:
        return _nodes_compared(expr, left, right)
    op = GENERAL_OF[expr.op]

    def run() -> Items:
        try:
            one, other = left(), right()
            return [compared(op, *both(one, other, expr.op))] if one and other else []
        except Wrong as wrong:
            raise wrong.at(expr.span) from None

    return run


_ORDERS: dict[str, Callable[[Any, Any], bool]] = {"is": operator.eq, "<<": operator.lt, ">>": operator.gt}


def _nodes_compared(expr: ast.Compare, left: Run, right: Run) -> Run:
    """Nodes that have the same place in a document are the same, in whichever buffer they are."""
    order = _ORDERS[expr.op]

    def run() -> Items:
        try:
            one, other = one_node(left(), expr.op), one_node(right(), expr.op)
        except Wrong as wrong:
            raise wrong.at(expr.span) from None
        return [] if one is None or other is None else [order(one.order, other.order)]

    return run


@_items.register
def _(expr: ast.Arithmetic, making: Making) -> Run:
    left, right = items(expr.left, making), items(expr.right, making)
    op, operand, calculated = expr.op, tree_arithmetic.operand, tree_arithmetic.calculated

    def run() -> Items:
        try:
            one, other = left(), right()
            if not one or not other:
                return []
            return [calculated(op, *map(operand, both(one, other, op)))]
        except Wrong as wrong:
            raise wrong.at(expr.span) from None

    return run


@_items.register
def _(expr: ast.Unary, making: Making) -> Run:
    value = items(expr.operand, making)
    negative = expr.op == "-"

    def run() -> Items:
        try:
            found = at_most_one(value(), expr.op)
            if found is None:
                return []
            number = tree_arithmetic.operand(found)
        except Wrong as wrong:
            raise wrong.at(expr.span) from None
        return [tree_arithmetic.negated(number) if negative else number]

    return run


@_items.register
def _(expr: ast.Range, making: Making) -> Run:
    ends = items(expr.left, making), items(expr.right, making)
    whole = ast.SequenceType("xs:integer")
    context = making.context

    def run() -> Items:
        try:
            first, last = (
                tree_types.coerced(found, whole, context) if (found := end()) else [] for end in ends
            )
        except Wrong as wrong:
            raise wrong.at(expr.span) from None
        return integers(first[0], last[0]) if first and last else []  # type: ignore[arg-type]

    return run


@_items.register
def _(expr: ast.SetOperation, making: Making) -> Run:
    left, right, op = items(expr.left, making), items(expr.right, making), expr.op

    def run() -> Items:
        one, other = left(), right()
        if not all(isinstance(each, Node) for each in [*one, *other]):
            raise wrong_type("only nodes can be united, intersected or excepted").at(expr.span)
        if op == "union":
            return [*in_document_order([*one, *other])]  # type: ignore[list-item]
        there = {each.order for each in other}  # type: ignore[union-attr]
        wanted = op == "intersect"
        return [*in_document_order([each for each in one if (each.order in there) is wanted])]  # type: ignore[union-attr, misc]

    return run


@_items.register
def _(expr: ast.Typed, making: Making) -> Run:
    value, type_, context, op = items(expr.operand, making), expr.type, making.context, expr.op

    def run() -> Items:
        found = value()
        try:
            match op:
                case "cast":
                    return tree_types.cast(found, type_)
                case "castable":
                    return [tree_types.is_castable(found, type_)]
                case "instance":
                    return [tree_types.is_instance(found, type_, context)]
            return tree_types.checked(found, type_, context)
        except Wrong as wrong:
            raise wrong.at(expr.span) from None

    return run


@_items.register
def _(expr: ast.Call, making: Making) -> Run:
    return compile_calls.call(expr, making)


@_items.register(ast.Characters)
@_items.register(ast.Element)
@_items.register(ast.Comment)
@_items.register(ast.ProcessingInstruction)
@_items.register(ast.Computed)
def _(expr: ast.Expr, making: Making) -> Run:
    return compile_construct.constructor(expr, making)


# Truth.


def is_boolean(expr: ast.Expr) -> bool:
    """The expression gives one truth value, whatever the data."""
    match expr:
        case ast.Logical() | ast.Quantified():
            return True
        case ast.Compare(op):
            return op in ast.GENERAL
        case ast.Call(name):
            return name in BOOLEAN
    return False


def test(expr: ast.Expr, making: Making) -> Test:
    """The function that gives the effective boolean value of an expression."""
    if expr in making.scope.computed:
        return _by_items(expr, making)
    match expr:
        case ast.Logical(op, left, right):
            one, other = test(left, making), test(right, making)
            if op == "and":
                return lambda: one() and other()
            return lambda: one() or other()
        case ast.Call("not", (inner,)):
            holds = test(inner, making)
            return lambda: not holds()
        case ast.Call("boolean", (inner,)):
            return test(inner, making)
        case ast.Call("true", ()):
            return lambda: True
        case ast.Call("false", ()):
            return lambda: False
        case ast.Call("exists", (inner,)):
            value = items(inner, making)
            return lambda: bool(value())
        case ast.Call("empty", (inner,)):
            value = items(inner, making)
            return lambda: not value()
        case ast.Quantified():
            return compile_flwor.quantified(expr, making)
        case ast.Compare(op) if op in ast.GENERAL:
            return general(expr, making)
    return _by_items(expr, making)


def _by_items(expr: ast.Expr, making: Making) -> Test:
    value = items(expr, making)

    def run() -> bool:
        found = value()
        if not found:
            return False
        first = found[0]
        if first is True or isinstance(first, Node):
            return True
        try:
            return truth(found)
        except Wrong as wrong:
            raise wrong.at(expr.span) from None

    return run


# Texts.


def gives_nodes(expr: ast.Expr) -> bool:
    """Every item is a node of which the string value is untyped: an element, an attribute, a text."""
    match expr:
        case ast.Path(_, (*_, ast.Step(axis, test))):
            plain = isinstance(test, ast.NameTest) or test.kind in ("element", "attribute", "text")
            return plain or axis == "attribute"
        case ast.Filter(source, _):
            return gives_nodes(source)
        case ast.Call(name, arguments) if name in PASSING:
            return all(map(gives_nodes, FUNCTIONS[name].passed(arguments)))
        case ast.If(_, then, otherwise):
            return gives_nodes(then) and (otherwise == ast.Sequence() or gives_nodes(otherwise))
    return False


def texts(expr: ast.Expr, making: Making) -> Texts:
    """The string values of an expression that gives nodes."""
    value = items(expr, making)
    return lambda: [node.value for node in value()]  # type: ignore[union-attr]
