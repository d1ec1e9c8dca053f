"""Static properties of expressions: which are conditions, which give nodes, which leave their subtree."""

from __future__ import annotations

from collections.abc import Sequence

from slackwater.language.xquery import syntax as ast
from slackwater.language.xquery.functions import BOOLEAN, FUNCTIONS, PASSING, Use

UPWARD = {
    "parent", "ancestor", "ancestor-or-self", "following-sibling", "preceding-sibling", "following",
    "preceding",
}  # fmt: skip
_UPWARD_FUNCTIONS = {
    name for name, function in FUNCTIONS.items() if Use.DOCUMENT in function.uses(len(function.parameters))
}


def are_boolean(predicates: Sequence[ast.Expr]) -> bool:
    """The predicates are conditions, none a position."""
    return all(is_boolean(predicate) and not uses_position(predicate) for predicate in predicates)


def is_boolean(expr: ast.Expr) -> bool:
    match expr:
        case ast.Compare() | ast.Logical() | ast.Quantified():
            return True
        case ast.Typed(op):
            return op in ("castable", "instance")
        case ast.Call(name):
            return name in BOOLEAN
    return gives_nodes(expr)


def gives_nodes(expr: ast.Expr) -> bool:
    """All items of the expression are nodes."""
    match expr:
        case ast.Path(_, (*_, last)):
            return isinstance(last, ast.Step) or gives_nodes(last.expr)
        case ast.Filter(source, _):
            return gives_nodes(source)
        case ast.SetOperation() | ast.Element() | ast.Computed() | ast.Comment() | ast.ContextItem():
            return True
        case ast.Sequence(items):
            return all(map(gives_nodes, items))
        case ast.Flwor(_, result):
            return gives_nodes(result)
        case ast.If(_, then, otherwise):
            return gives_nodes(then) and gives_nodes(otherwise)
        case ast.Call(name, arguments) if name in PASSING:
            return all(map(gives_nodes, FUNCTIONS[name].passed(arguments)))
    return False


def is_obvious(clause: ast.Clause) -> bool:
    """The type of the clause's variable, if any, always holds for the path that it is bound to."""
    match clause:
        case ast.For(_, source, type=type):
            counts = True
        case ast.Let(_, source, type):
            counts = type is not None and type.occurrence == "*"
        case _:
            return True
    if type is None or (type.item == "item()" and type.occurrence == "*"):
        return True
    if not counts or not isinstance(source, ast.Path) or not isinstance(source.steps[-1], ast.Step):
        return False
    last = source.steps[-1]
    is_element = last.axis in ("child", "descendant") and isinstance(last.test, ast.NameTest)
    kinds = {"item()", "node()"} | ({"element()", f"element({last.test.name})"} if is_element else set())
    return type.item in kinds


def calls_in_focus(expr: ast.Expr, function: str) -> bool:
    """The predicate calls `position()` or `last()` of its own focus."""
    match expr:
        case ast.Call(name, ()) if name == function:
            return True
        case ast.Path(source, _) | ast.Filter(source, _):
            return calls_in_focus(source, function)
        case _:
            return any(calls_in_focus(inner, function) for inner in ast.nearest_expressions(expr))


def uses_position(expr: ast.Expr) -> bool:
    return calls_in_focus(expr, "position") or calls_in_focus(expr, "last")


def looks_upward(node: ast.Node) -> bool:
    """The query walks to parents, siblings or roots, which may be outside of what is buffered."""
    for part in ast.walk(node):
        if isinstance(part, ast.Root) or (isinstance(part, ast.Step) and part.axis in UPWARD):
            return True
        if isinstance(part, ast.Call) and part.name in _UPWARD_FUNCTIONS:
            return True
    return False
