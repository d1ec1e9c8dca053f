"""Free variables and substitution, in expressions and in queries.

Every variable is bound in one place only (`prepare` sees to it), so nothing is ever captured.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeVar

from slackwater.base.tree import rebuild
from slackwater.flux.plan import syntax as flux
from slackwater.flux.plan.state import Depends, Let
from slackwater.flux.plan.traversal import expressions, map_own_expressions, map_subqueries, subqueries
from slackwater.language.xquery import syntax as ast
from slackwater.language.xquery.functions import OF_CONTEXT, OF_PLACE

_N = TypeVar("_N", bound=ast.Node)
Replacing = Callable[[ast.Expr], ast.Expr | None]


def rebuilt(node: _N, change: Callable[[ast.Node], ast.Node]) -> _N:
    """The node with every node directly below it changed."""
    return rebuild(node, ast.Node, change)


def replaced(node: _N, replacing: Replacing) -> _N:
    """The node with what `replacing` gives put in place of the outermost expressions it knows."""

    def change(inner: ast.Node) -> ast.Node:
        found = replacing(inner) if isinstance(inner, ast.Expr) else None
        if found is not None:
            return found
        return spliced(rebuilt(inner, change))

    return change(node)  # type: ignore[return-value]


def spliced(node: ast.Node) -> ast.Node:
    """(e/s)/t = e/s/t, and a sequence in a sequence is none."""
    match node:
        case ast.Path(ast.Path(source, first), steps):
            return dataclasses.replace(node, source=source, steps=(*first, *steps))
        case ast.Sequence(items) if any(isinstance(each, ast.Sequence) for each in items):
            return listed([each for item in items for each in items_of(item)])
        case _:
            return node


def items_of(expr: ast.Expr) -> tuple[ast.Expr, ...]:
    return expr.items if isinstance(expr, ast.Sequence) else (expr,)


def listed(items: list[ast.Expr]) -> ast.Expr:
    """The items as one expression."""
    return items[0] if len(items) == 1 else ast.Sequence(tuple(items))


def substituted(node: _N, values: Mapping[str, ast.Expr]) -> _N:
    """α[$x → e]"""
    return replaced(node, lambda each: values.get(each.name) if isinstance(each, ast.Variable) else None)


def with_focus(expr: ast.Expr, item: ast.Expr) -> ast.Expr:
    """The expression with `.` replaced where it is the focus from outside; predicates have their own.

    `position()` becomes `position(.)`: see `place`.
    """

    def inner(expr: ast.Expr) -> ast.Expr:
        return with_focus(expr, item)

    match expr:
        case ast.ContextItem():
            return item
        case ast.Path(source, _):
            return spliced(dataclasses.replace(expr, source=inner(source)))  # type: ignore[return-value]
        case ast.Filter(source, _):
            return dataclasses.replace(expr, source=inner(source))
        case ast.Call(name, ()) if name in OF_CONTEXT or name == "position":
            return dataclasses.replace(expr, arguments=(item,))
        case _:
            return rebuilt(expr, lambda node: _inside(node, inner))


def place(variable: str) -> ast.Call:
    """position($x): the place of $x among all that its loop binds it to. It cannot be written in a query."""
    return ast.Call("position", (ast.Variable(variable),))


def placed(exprs: Iterable[ast.Expr]) -> frozenset[str]:
    """The variables whose places expressions ask for."""
    return frozenset(
        each.arguments[0].name
        for expr in exprs
        for each in ast.walk(expr)
        if isinstance(each, ast.Call) and each.name == "position" and each.arguments
        if isinstance(each.arguments[0], ast.Variable)
    )


def _inside(node: ast.Node, change: Callable[[ast.Expr], ast.Expr]) -> ast.Node:
    if isinstance(node, ast.Expr):
        return change(node)
    return rebuilt(node, lambda inner: _inside(inner, change))


def from_child(expr: ast.Expr, source: str, name: str, variable: str) -> ast.Expr:
    """The expression with every path $source/name/π as $variable/π."""

    def shorter(inner: ast.Expr) -> ast.Expr | None:
        match inner:
            case ast.Path(ast.Variable(start), (ast.Step("child", ast.NameTest(step), ()), *rest)) if (
                start == source and step == name
            ):
                steps = tuple(replaced(each, shorter) for each in rest)
                return ast.Path(ast.Variable(variable), steps) if steps else ast.Variable(variable)
        return None

    return replaced(expr, shorter)


def bound(node: ast.Node) -> Iterator[str]:
    """The variables that an expression binds inside."""
    for each in ast.walk(node):
        match each:
            case ast.For(variable, _, at):
                yield variable
                if at:
                    yield at
            case ast.Let(variable) | ast.Binding(variable):
                yield variable
            case _:
                pass


def free(node: ast.Node) -> frozenset[str]:
    """free(e)"""
    used = {each.name for each in ast.walk(node) if isinstance(each, ast.Variable)}
    return frozenset(used.difference(bound(node)))


def depends(lets: Iterable[Let]) -> Depends:
    """The variables that each let looks at."""
    values = {each.variable: each.value for each in lets}
    found: dict[str, frozenset[str]] = {}

    def of(name: str) -> frozenset[str]:
        if name not in found:
            found[name] = frozenset()
            names = free(values[name])
            found[name] = names.union(*(of(each) for each in names if each in values))
        return found[name]

    return {name: of(name) for name in values}


def through(expr: ast.Expr, known: Depends) -> frozenset[str]:
    """free(e), and what the lets among it look at."""
    names = free(expr)
    return names.union(*(known[each] for each in names if each in known))


def uses_focus(expr: ast.Expr) -> bool:
    """The expression looks at `.`, `/`, `position()` or `last()` from outside."""
    match expr:
        case ast.ContextItem() | ast.Root():
            return True
        case ast.Call(name, ()) if name in OF_CONTEXT | OF_PLACE:
            return True
        case ast.Path(source, _) | ast.Filter(source, _):
            return uses_focus(source)
        case _:
            return any(_inner_focus(each) for each in ast.children(expr))


def _inner_focus(node: ast.Node) -> bool:
    if isinstance(node, ast.Expr):
        return uses_focus(node)
    return any(_inner_focus(each) for each in ast.children(node))


def query_free(query: flux.Query) -> frozenset[str]:
    """free(α) of a query (definition 3.4.13)."""
    found = frozenset[str]().union(*map(free, expressions(query)))
    inner = frozenset[str]()
    match query:
        case flux.Copy(variable):
            return frozenset({variable})
        case flux.Loop(source, branches):
            inner = inner.union(*(query_free(each.body) - {each.variable} for each in branches))
            return inner | {source}
        case flux.For(variable, _, body, at):
            return found | (query_free(body) - {variable, at or variable})
        case flux.Windowed(variable, source, _, _, body, item):
            return (found - {item}) | (query_free(body) - {variable}) | {source}
        case _:
            return found.union(inner, *map(query_free, subqueries(query)))


def renamed(query: flux.Query, names: Mapping[str, str]) -> flux.Query:
    """α[$x → $y], what α binds included."""
    values: dict[str, ast.Expr] = {old: ast.Variable(new) for old, new in names.items()}

    def of(name: str) -> str:
        return names.get(name, name)

    def change(inner: flux.Query) -> flux.Query:
        inner = map_subqueries(map_own_expressions(inner, lambda expr: _renamed(expr, names, values)), change)
        match inner:
            case flux.Copy(variable):
                return flux.Copy(of(variable))
            case flux.Loop(source, branches):
                new = tuple(dataclasses.replace(each, variable=of(each.variable)) for each in branches)
                return flux.Loop(of(source), new)
            case flux.For(variable, source, body, at):
                return flux.For(of(variable), source, body, of(at) if at else None)
            case flux.Windowed():
                return dataclasses.replace(
                    inner, variable=of(inner.variable), source=of(inner.source), item=of(inner.item)
                )
            case _:
                return inner

    return change(query)


def _renamed(expr: ast.Expr, names: Mapping[str, str], values: Mapping[str, ast.Expr]) -> ast.Expr:
    def change(node: ast.Node) -> ast.Node:
        node = rebuilt(node, change)
        match node:
            case ast.Variable(name):
                return values.get(name, node)
            case ast.For(variable, at=at):
                new_at = names.get(at, at) if at else None
                return dataclasses.replace(node, variable=names.get(variable, variable), at=new_at)
            case ast.Let(variable) | ast.Binding(variable):
                return dataclasses.replace(node, variable=names.get(variable, variable))
            case _:
                return node

    found = change(expr)
    assert isinstance(found, ast.Expr)
    return found
