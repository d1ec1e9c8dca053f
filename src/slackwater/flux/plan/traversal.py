"""Walks queries and rebuilds them: the queries inside a query, its expressions, the scopes of a plan."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator

from slackwater.base import tree
from slackwater.flux.plan import syntax as flux
from slackwater.language.xquery import syntax as ast


def subqueries(query: flux.Query) -> tuple[flux.Query, ...]:
    """The queries directly inside a query."""
    return tuple(tree.children(query, flux.Query))


def walk(query: flux.Query) -> Iterator[flux.Query]:
    """The query and all inside it, the outer before the inner."""
    return tree.walk(query, subqueries)


def expressions(query: flux.Query) -> Iterator[ast.Expr]:
    """The expressions of this query itself, not of queries inside it."""
    match query:
        case flux.Value(expr):
            yield expr
        case flux.If(condition):
            yield condition
        case flux.For(_, source):
            yield source
        case flux.StartTag(_, attributes):
            for attribute in attributes:
                yield from attribute.content
        case flux.Windowed(where=where) if where is not None:
            yield where
        case flux.Feed(_, value) if value is not None:
            yield value


def scopes(body: flux.ProcessStream) -> Iterator[flux.ProcessStream]:
    """The scope and all scopes inside it, the outer before the inner."""
    yield body
    for handler in body.handlers:
        if isinstance(handler, flux.On):
            yield from scopes(handler.body)


def bodies(handler: flux.Handler) -> tuple[flux.Query, ...]:
    """The queries over buffers that a handler runs."""
    match handler:
        case flux.OnFirst(_, body) | flux.OnEach(body=body):
            return (body,)
        case flux.OnWindow(before=before, after=after):
            return (before, after)
    return ()


def map_subqueries(query: flux.Query, change: Callable[[flux.Query], flux.Query]) -> flux.Query:
    """The query with those directly inside it changed; a sequence in a sequence becomes part of it."""
    query = tree.rebuild(query, flux.Query, change)
    return flux.sequence(*query.parts) if isinstance(query, flux.Sequence) else query


def map_own_expressions(query: flux.Query, change: Callable[[ast.Expr], ast.Expr]) -> flux.Query:
    """The query with its own expressions changed, not those of queries inside it."""
    match query:
        case flux.Value(expr):
            return flux.Value(change(expr))
        case flux.If(condition, body):
            return flux.If(change(condition), body)
        case flux.For(source=source):
            return dataclasses.replace(query, source=change(source))
        case flux.StartTag(name, attributes):
            return flux.StartTag(name, tuple(_changed(attribute, change) for attribute in attributes))
        case flux.Windowed(where=where) if where is not None:
            return dataclasses.replace(query, where=change(where))
        case flux.Feed(fold, value):
            return flux.Feed(fold, value if value is None else change(value))
        case _:
            return query


def _changed(attribute: ast.Attribute, change: Callable[[ast.Expr], ast.Expr]) -> ast.Attribute:
    return dataclasses.replace(attribute, content=tuple(map(change, attribute.content)))


def map_expressions(query: flux.Query, change: Callable[[ast.Expr], ast.Expr]) -> flux.Query:
    """The query with all expressions in it changed, at any depth."""
    return map_subqueries(map_own_expressions(query, change), lambda inner: map_expressions(inner, change))
