"""Aggregates over queries, computed while their loops are streamed (section 3.8.1.4, for more than paths).

    {count(for $p in $people/person where empty($p/homepage) return $p)}

feeds a counter in separate handlers, which write nothing; the result is written when all has been read. An
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

    A node that a handler gets has neither parent nor siblings, so an upward query has no folds.
    """
    if query.upward:
        return body, ()
    folds: dict[ast.Expr, Fold] = {}
    names = streamed(body)
    exprs = [*expressions(body), *(let.value for let in facts.lets.values())]
    for expr in exprs:
        for call in _candidates(expr, names):
            if call in folds:
                continue
            added = _add_handlers(body, call, query, facts)
            if added is not None:
                body, variable = added
                folds[call] = Fold(variable, call)
    return body, tuple(folds.values())


def _candidates(expr: ast.Node, names: frozenset[str]) -> Iterator[ast.Call]:
    """The outermost aggregates over more than a path, of streamed variables only."""
    if isinstance(expr, ast.Expr) and any(
        accumulator.expr == expr for accumulator in streaming.accumulators(expr, names)
    ):
        return
    match expr:
        case ast.Call(name, (ast.Flwor() | ast.Path() as argument,)) if name in ACCUMULATING:
            if free(argument) <= names:
                yield expr
                return
        case _:
            pass
    for child in ast.children(expr):
        yield from _candidates(child, names)


def _add_handlers(
    body: ProcessStream, call: ast.Call, query: Normal, facts: Facts
) -> tuple[ProcessStream, str] | None:
    """The query with handlers for one aggregate, and the variable of the scope that computes it."""
    loop = simplified(looped(query, call.arguments[0], lambda item: _feed(call, item)), facts)
    if not isinstance(loop, Loop):
        return None
    handlers = Rewriting(facts).handlers(loop.source, frozenset(), loop)
    if not all(isinstance(handler, On) for handler in handlers):
        return None
    feeding = lifted(ProcessStream(loop.source, facts.type(loop.source), tuple(handlers)), facts.depends)
    added = _insert(body, feeding)
    return None if added is None else (added, loop.source)


def _feed(call: ast.Call, item: str) -> Query:
    return Feed(call, None if call.name in COUNTING else ast.Variable(item))


def _insert(body: ProcessStream, feeding: ProcessStream) -> ProcessStream | None:
    """The query with the handlers of a fold in the scope of its variable; None where that is not possible."""
    if body.variable == feeding.variable:
        return joined_scopes(body, feeding)
    for place, handler in enumerate(body.handlers):
        if isinstance(handler, On) and (inner := _insert(handler.body, feeding)) is not None:
            changed = dataclasses.replace(handler, body=inner)
            return dataclasses.replace(
                body, handlers=(*body.handlers[:place], changed, *body.handlers[place + 1 :])
            )
    return None


def joined_scopes(body: ProcessStream, feeding: ProcessStream) -> ProcessStream | None:
    """{ ps $x: ζ } and { ps $x: ξ }, where ξ writes nothing, as one scope with one handler for each name."""
    handlers: list[Handler] = list(body.handlers)
    for handler in feeding.handlers:
        if not isinstance(handler, On):
            handlers.append(handler)
            continue
        places = [place for place, existing in enumerate(handlers) if isinstance(existing, On)]
        names = {existing.name for existing in handlers if isinstance(existing, On)}
        if ("*" in names) != (handler.name == "*") and names:
            return None
        same = [place for place in places if _name(handlers[place]) == handler.name]
        if not same:
            handlers.append(dataclasses.replace(handler, continues=False))
            continue
        target = handlers[same[0]]
        assert isinstance(target, On)
        inner = joined_scopes(target.body, _renamed_scope(handler.body, {handler.variable: target.variable}))
        if inner is None:
            return None
        handlers[same[0]] = dataclasses.replace(target, body=inner)
    return dataclasses.replace(body, handlers=tuple(handlers), simple=False)


def _name(handler: Handler) -> str:
    return handler.name if isinstance(handler, On) else ""


def _renamed_scope(scope: ProcessStream, names: dict[str, str]) -> ProcessStream:
    return dataclasses.replace(
        scope,
        variable=names.get(scope.variable, scope.variable),
        handlers=tuple(_renamed_handler(handler, names) for handler in scope.handlers),
    )


def _renamed_handler(handler: Handler, names: dict[str, str]) -> Handler:
    match handler:
        case On(_, _, body):
            return dataclasses.replace(handler, body=_renamed_scope(body, names))
        case flux.OnFirst(_, body):
            return dataclasses.replace(handler, body=renamed(body, names))
    raise TypeError(f"nothing that feeds a fold: {handler!r}")
