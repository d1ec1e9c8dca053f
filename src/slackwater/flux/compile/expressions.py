"""Expressions as functions: `items` evaluates to items, `test` to a truth value, `texts` to string values.

The functions on values are those that the oracle uses. Whatever follows from the expression alone is decided
when it is compiled: kinds of steps, types of operands, names.
"""

from __future__ import annotations

from functools import singledispatch

from slackwater.flux.compile import calls, construct, flwor, operators, paths
from slackwater.flux.compile.compare import general
from slackwater.flux.compile.context import UNSET, Run, Slot, StaticContext, Test, Texts
from slackwater.flux.compile.quantified import quantified
from slackwater.flux.values.atomic import Items, truth
from slackwater.flux.values.errors import Wrong, no_context, no_value, unknown_input, wrong_type
from slackwater.flux.values.joined import joined
from slackwater.flux.values.tree import Node
from slackwater.language.xquery import syntax as ast
from slackwater.language.xquery.functions import BOOLEAN, FUNCTIONS, PASSING

__all__ = ["Wrong", "gives_nodes", "is_boolean", "items", "test", "texts"]


def items(expr: ast.Expr, static: StaticContext) -> Run:
    """The function that evaluates an expression to its items."""
    known = static.scope.computed.get(expr)
    return known if known is not None else _items(expr, static)


@singledispatch
def _items(expr: ast.Expr, static: StaticContext) -> Run:
    raise TypeError(f"no expression of XQuery: {expr!r}")


@_items.register(ast.String)
@_items.register(ast.Integer)
@_items.register(ast.Fixed)
@_items.register(ast.Double)
def _(expr: ast.String | ast.Integer | ast.Fixed | ast.Double, static: StaticContext) -> Run:
    value = expr.value
    return lambda: [value]


@_items.register
def _(expr: ast.Variable, static: StaticContext) -> Run:
    scope = static.scope
    slot = scope.slots.get(expr.name)
    if slot is None:
        raise no_value(f"${expr.name}").at(expr.span)
    env, number = scope.env, slot.number
    match slot.kind:
        case "item":
            return lambda: [env[number]]
        case "items":
            return lambda: env[number]
    return _let(expr.name, slot, static)


def _let(name: str, slot: Slot, static: StaticContext) -> Run:
    """A let is computed on first use."""
    env, lets, number = static.scope.env, static.scope.lets, slot.number

    def run() -> Items:
        value: Items = env[number]
        if value is UNSET:
            value = env[number] = lets[name]()
        return value

    return run


@_items.register
def _(expr: ast.ContextItem, static: StaticContext) -> Run:
    if static.focus is None:
        return _raising(no_context(), expr)
    env, number = static.scope.env, static.focus.item
    return lambda: [env[number]]


def _raising(wrong: Wrong, expr: ast.Expr) -> Run:
    def run() -> Items:
        raise wrong.at(expr.span)

    return run


@_items.register
def _(expr: ast.Root, static: StaticContext) -> Run:
    item = items(ast.ContextItem(span=expr.span), static)

    def run() -> Items:
        (context_item,) = item()
        if not isinstance(context_item, Node) or context_item.root.kind != "document":
            raise wrong_type("the context item is not in a document").at(expr.span)
        return [context_item.root]

    return run


@_items.register
def _(expr: ast.Input, static: StaticContext) -> Run:
    return _raising(unknown_input(expr.kind, expr.name), expr)


@_items.register
def _(expr: ast.Sequence, static: StaticContext) -> Run:
    parts = [items(part, static) for part in expr.items]
    if not parts:
        return list
    return lambda: joined([part() for part in parts])


@_items.register
def _(expr: ast.Path, static: StaticContext) -> Run:
    return paths.path(expr, static)


@_items.register
def _(expr: ast.Filter, static: StaticContext) -> Run:
    source = items(expr.source, static)
    filters = [paths.predicate(predicate, static) for predicate in expr.predicates]

    def run() -> Items:
        selected = source()
        try:
            for select in filters:
                selected = select(selected)
        except Wrong as wrong:
            raise wrong.at(expr.span) from None
        return selected

    return run


@_items.register
def _(expr: ast.Flwor, static: StaticContext) -> Run:
    return flwor.flwor(expr, static)


@_items.register(ast.Logical)
@_items.register(ast.Quantified)
def _(expr: ast.Logical | ast.Quantified, static: StaticContext) -> Run:
    holds = test(expr, static)
    return lambda: [holds()]


@_items.register
def _(expr: ast.If, static: StaticContext) -> Run:
    holds = test(expr.condition, static)
    then, otherwise = items(expr.then, static), items(expr.otherwise, static)
    return lambda: then() if holds() else otherwise()


@_items.register
def _(expr: ast.Compare, static: StaticContext) -> Run:
    if expr.op in ast.GENERAL:
        holds = test(expr, static)
        return lambda: [holds()]
    compare = operators.compare_nodes if expr.op in ast.NODE else operators.compare_values
    return compare(expr, static)


_items.register(ast.Arithmetic, operators.arithmetic)
_items.register(ast.Unary, operators.unary)
_items.register(ast.Range, operators.range_)
_items.register(ast.SetOperation, operators.set_operation)
_items.register(ast.Typed, operators.typed)


@_items.register
def _(expr: ast.Call, static: StaticContext) -> Run:
    return calls.call(expr, static)


@_items.register(ast.Characters)
@_items.register(ast.Element)
@_items.register(ast.Comment)
@_items.register(ast.ProcessingInstruction)
@_items.register(ast.Computed)
def _(expr: ast.Expr, static: StaticContext) -> Run:
    return construct.constructor(expr, static)


# Truth.


def is_boolean(expr: ast.Expr) -> bool:
    """Whether the expression is always one truth value, whatever the data."""
    match expr:
        case ast.Logical() | ast.Quantified():
            return True
        case ast.Compare(op):
            return op in ast.GENERAL
        case ast.Call(name):
            return name in BOOLEAN
    return False


def test(expr: ast.Expr, static: StaticContext) -> Test:
    """The function that evaluates an expression to its effective boolean value."""
    if expr in static.scope.computed:
        return _by_items(expr, static)
    match expr:
        case ast.Logical(op, left, right):
            one, other = test(left, static), test(right, static)
            if op == "and":
                return lambda: one() and other()
            return lambda: one() or other()
        case ast.Call("not", (inner,)):
            holds = test(inner, static)
            return lambda: not holds()
        case ast.Call("boolean", (inner,)):
            return test(inner, static)
        case ast.Call("true", ()):
            return lambda: True
        case ast.Call("false", ()):
            return lambda: False
        case ast.Call("exists", (inner,)):
            value = items(inner, static)
            return lambda: bool(value())
        case ast.Call("empty", (inner,)):
            value = items(inner, static)
            return lambda: not value()
        case ast.Quantified():
            return quantified(expr, static)
        case ast.Compare(op) if op in ast.GENERAL:
            return general(expr, static)
    return _by_items(expr, static)


def _by_items(expr: ast.Expr, static: StaticContext) -> Test:
    value = items(expr, static)

    def run() -> bool:
        values = value()
        if not values:
            return False
        first = values[0]
        if first is True or isinstance(first, Node):
            return True
        try:
            return truth(values)
        except Wrong as wrong:
            raise wrong.at(expr.span) from None

    return run


# Texts.


def gives_nodes(expr: ast.Expr) -> bool:
    """Whether every item is a node with an untyped value: an element, an attribute, a text node."""
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


def texts(expr: ast.Expr, static: StaticContext) -> Texts:
    """The function for the string values of an expression that gives nodes."""
    value = items(expr, static)
    return lambda: [node.value for node in value()]  # type: ignore[union-attr]
