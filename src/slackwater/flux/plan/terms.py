"""Free variables and substitution, in expressions and in queries.

Every variable is bound in one place only (`prepare` renames them), so nothing is ever captured.
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
    """The node with the outermost expressions replaced for which `replacing` gives a new one."""

    def change(inner: ast.Node) -> ast.Node:
        new = replacing(inner) if isinstance(inner, ast.Expr) else None
        if new is not None:
            return new
        return spliced(rebuilt(inner, change))

    return change(node)  # type: ignore[return-value]


def spliced(node: ast.Node) -> ast.Node:
    """Flattens a path in a path, (e/s)/t = e/s/t, and a sequence in a sequence."""
    match node:
        case ast.Path(ast.Path(source, first), steps):
            return dataclasses.replace(node, source=source, steps=(*first, *steps))
        case ast.Sequence(items) if any(isinstance(item, ast.Sequence) for item in items):
            return listed([part for item in items for part in items_of(item)])
        case _:
            return node


def items_of(expr: ast.Expr) -> tuple[ast.Expr, ...]:
    return expr.items if isinstance(expr, ast.Sequence) else (expr,)


def listed(items: list[ast.Expr]) -> ast.Expr:
    """The items as one expression."""
    return items[0] if len(items) == 1 else ast.Sequence(tuple(items))


def substituted(node: _N, values: Mapping[str, ast.Expr]) -> _N:
    """α[$x → e]"""
    return replaced(node, lambda inner: values.get(inner.name) if isinstance(inner, ast.Variable) else None)


def with_focus(expr: ast.Expr, item: ast.Expr) -> ast.Expr:
    """The expression with `.` replaced where it is the outer focus; predicates have their own.

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
    """position($x): the position of $x among the items of its loop. A user's query cannot contain it."""
    return ast.Call("position", (ast.Variable(variable),))


def placed(exprs: Iterable[ast.Expr]) -> frozenset[str]:
    """The variables whose positions expressions use."""
    return frozenset(
        call.arguments[0].name
        for expr in exprs
        for call in ast.walk(expr)
        if isinstance(call, ast.Call) and call.name == "position" and call.arguments
        if isinstance(call.arguments[0], ast.Variable)
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
                steps = tuple(replaced(step, shorter) for step in rest)
                return ast.Path(ast.Variable(variable), steps) if steps else ast.Variable(variable)
        return None

    return replaced(expr, shorter)


def bound(node: ast.Node) -> Iterator[str]:
    """The variables that an expression binds."""
    for inner in ast.walk(node):
        match inner:
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
    used = {variable.name for variable in ast.walk(node) if isinstance(variable, ast.Variable)}
    return frozenset(used.difference(bound(node)))


def depends(lets: Iterable[Let]) -> Depends:
    """The variables that each let depends on."""
    values = {let.variable: let.value for let in lets}
    names_by_let: dict[str, frozenset[str]] = {}

    def of(name: str) -> frozenset[str]:
        if name not in names_by_let:
            names_by_let[name] = frozenset()
            names = free(values[name])
            names_by_let[name] = names.union(*(of(used) for used in names if used in values))
        return names_by_let[name]

    return {name: of(name) for name in values}


def through(expr: ast.Expr, known: Depends) -> frozenset[str]:
    """free(e), and what the lets among it depend on."""
    names = free(expr)
    return names.union(*(known[name] for name in names if name in known))


def uses_focus(expr: ast.Expr) -> bool:
    """Whether the expression uses `.`, `/`, `position()` or `last()` of its surroundings."""
    match expr:
        case ast.ContextItem() | ast.Root():
            return True
        case ast.Call(name, ()) if name in OF_CONTEXT | OF_PLACE:
            return True
        case ast.Path(source, _) | ast.Filter(source, _):
            return uses_focus(source)
        case _:
            return any(_inner_focus(child) for child in ast.children(expr))


def _inner_focus(node: ast.Node) -> bool:
    if isinstance(node, ast.Expr):
        return uses_focus(node)
    return any(_inner_focus(child) for child in ast.children(node))


def query_free(query: flux.Query) -> frozenset[str]:
    """free(α) of a query (definition 3.4.13)."""
    names = frozenset[str]().union(*map(free, expressions(query)))
    inner = frozenset[str]()
    match query:
        case flux.Copy(variable):
            return frozenset({variable})
        case flux.Loop(source, branches):
            inner = inner.union(*(query_free(branch.body) - {branch.variable} for branch in branches))
            return inner | {source}
        case flux.For(variable, _, body, at):
            return names | (query_free(body) - {variable, at or variable})
        case flux.Windowed(variable, source, _, _, body, item):
            return (names - {item}) | (query_free(body) - {variable}) | {source}
        case _:
            return names.union(inner, *map(query_free, subqueries(query)))


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
                new = tuple(dataclasses.replace(branch, variable=of(branch.variable)) for branch in branches)
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

    new = change(expr)
    assert isinstance(new, ast.Expr)
    return new
