"""Aggregates over queries, computed while their loops are streamed (section 3.8.1.4, for more than paths).

    {count(for $p in $people/person where empty($p/homepage) return $p)}

feeds a counter in handlers of its own, which write nothing, and is written when all of it has been read. An
aggregate over a plain path needs no handlers: it is an accumulator.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from slackwater.flux.plan import syntax as flux
from slackwater.flux.plan.state import Fold
from slackwater.flux.plan.syntax import Feed, Handler, Loop, On, ProcessStream, Query
from slackwater.flux.plan.terms import free, renamed
from slackwater.flux.rewrite import streaming
from slackwater.flux.rewrite.buffers import expressions, streamed
from slackwater.flux.rewrite.facts import Facts
from slackwater.flux.rewrite.handlers import Rewriting
from slackwater.flux.rewrite.lift import lifted
from slackwater.flux.rewrite.normal import Normal, looped
from slackwater.flux.rewrite.simplify import simplified
from slackwater.language.xquery import syntax as ast
from slackwater.language.xquery.functions import ACCUMULATING, COUNTING


def with_folds(body: ProcessStream, query: Normal, facts: Facts) -> tuple[ProcessStream, tuple[Fold, ...]]:
    """The query with handlers that feed the aggregates it uses, and those aggregates.

    What a handler is given knows neither its parent nor its siblings, so an upward query has no folds.
    """
    if query.upward:
        return body, ()
    found: dict[ast.Expr, Fold] = {}
    names = streamed(body)
    exprs = [*expressions(body), *(each.value for each in facts.lets.values())]
    for expr in exprs:
        for call in _candidates(expr, names):
            if call in found:
                continue
            added = _added(body, call, query, facts)
            if added is not None:
                body, variable = added
                found[call] = Fold(variable, call)
    return body, tuple(found.values())


def _candidates(expr: ast.Node, names: frozenset[str]) -> Iterator[ast.Call]:
    """The outermost aggregates over more than a path, of streamed variables only."""
    if isinstance(expr, ast.Expr) and any(each.expr == expr for each in streaming.accumulators(expr, names)):
        return
    match expr:
        case ast.Call(name, (ast.Flwor() | ast.Path() as argument,)) if name in ACCUMULATING:
            if free(argument) <= names:
                yield expr
                return
        case _:
            pass
    for each in ast.children(expr):
        yield from _candidates(each, names)


def _added(
    body: ProcessStream, call: ast.Call, query: Normal, facts: Facts
) -> tuple[ProcessStream, str] | None:
    """The query with handlers for one aggregate, and the variable in whose scope it is computed."""
    loop = simplified(looped(query, call.arguments[0], lambda item: _feed(call, item)), facts)
    if not isinstance(loop, Loop):
        return None
    handlers = Rewriting(facts).handlers(loop.source, frozenset(), loop)
    if not all(isinstance(each, On) for each in handlers):
        return None
    fed = lifted(ProcessStream(loop.source, facts.type(loop.source), tuple(handlers)), facts.depends)
    added = _with(body, fed)
    return None if added is None else (added, loop.source)


def _feed(call: ast.Call, item: str) -> Query:
    return Feed(call, None if call.name in COUNTING else ast.Variable(item))


def _with(body: ProcessStream, fed: ProcessStream) -> ProcessStream | None:
    """The handlers of a fold put into the scope of its variable; none where they cannot stand there."""
    if body.variable == fed.variable:
        return joined_scopes(body, fed)
    for place, handler in enumerate(body.handlers):
        if isinstance(handler, On) and (inner := _with(handler.body, fed)) is not None:
            changed = dataclasses.replace(handler, body=inner)
            return dataclasses.replace(
                body, handlers=(*body.handlers[:place], changed, *body.handlers[place + 1 :])
            )
    return None


def joined_scopes(body: ProcessStream, fed: ProcessStream) -> ProcessStream | None:
    """{ ps $x: ζ } and { ps $x: ξ }, of which ξ writes nothing: one scope, with one handler for each name."""
    handlers: list[Handler] = list(body.handlers)
    for handler in fed.handlers:
        if not isinstance(handler, On):
            handlers.append(handler)
            continue
        places = [place for place, each in enumerate(handlers) if isinstance(each, On)]
        names = {each.name for each in handlers if isinstance(each, On)}
        if ("*" in names) != (handler.name == "*") and names:
            return None
        same = [place for place in places if _name(handlers[place]) == handler.name]
        if not same:
            handlers.append(dataclasses.replace(handler, continues=False))
            continue
        there = handlers[same[0]]
        assert isinstance(there, On)
        inner = joined_scopes(there.body, _renamed_scope(handler.body, {handler.variable: there.variable}))
        if inner is None:
            return None
        handlers[same[0]] = dataclasses.replace(there, body=inner)
    return dataclasses.replace(body, handlers=tuple(handlers), simple=False)


def _name(handler: Handler) -> str:
    return handler.name if isinstance(handler, On) else ""


def _renamed_scope(scope: ProcessStream, names: dict[str, str]) -> ProcessStream:
    return dataclasses.replace(
        scope,
        variable=names.get(scope.variable, scope.variable),
        handlers=tuple(_renamed_handler(each, names) for each in scope.handlers),
    )


def _renamed_handler(handler: Handler, names: dict[str, str]) -> Handler:
    match handler:
        case On(_, _, body):
            return dataclasses.replace(handler, body=_renamed_scope(body, names))
        case flux.OnFirst(_, body):
            return dataclasses.replace(handler, body=renamed(body, names))
    raise TypeError(f"nothing that feeds a fold: {handler!r}")
