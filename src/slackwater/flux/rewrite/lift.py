"""Lifting of conditions (section 3.11): those that were pushed down to every string are evaluated once only.

Inside handlers over buffers the normal form is not needed, and a condition outside a loop can skip the loop.
"""

from __future__ import annotations

import dataclasses

from slackwater.flux.plan import syntax as flux
from slackwater.flux.plan.state import Depends
from slackwater.flux.plan.syntax import (
    EVERYTHING,
    Handler,
    If,
    Loop,
    On,
    OnFirst,
    Past,
    ProcessStream,
    Query,
)
from slackwater.flux.plan.terms import through
from slackwater.flux.plan.traversal import map_subqueries
from slackwater.flux.rewrite.conditions import conjuncts
from slackwater.flux.rewrite.facts import joined
from slackwater.flux.rewrite.guards import guarded
from slackwater.language.xquery import syntax as ast
from slackwater.schema import Type


def lifted(body: ProcessStream, depends: Depends) -> ProcessStream:
    """The same FluX query with conditions lifted and adjacent handlers merged that fire at the same time."""
    handlers: list[Handler] = []
    for handler in body.handlers:
        last = handlers[-1] if handlers else None
        if (both := _merged(last, handler, body.type)) is not None:
            handlers[-1] = both
        else:
            handlers.append(handler)
    return dataclasses.replace(
        body, handlers=tuple(_lifted_handler(handler, depends) for handler in handlers)
    )


def _merged(first: Handler | None, second: Handler, type: Type) -> Handler | None:
    """on-first past(S) return α; on-first past(T) return β = on-first past(S ∪ T) return α β

    If S and T are past at the same time in every document. Handlers that are not adjacent are not merged:
    those between them may write.
    """
    if not isinstance(first, OnFirst) or not isinstance(second, OnFirst):
        return None
    if first.past != second.past and _times(first.past, type) != _times(second.past, type):
        return None
    past = joined(first.past, second.past)
    return OnFirst(past, flux.sequence(first.body, second.body), joined(first.reads, second.reads))


def _times(past: Past, type: Type) -> tuple[bool, ...]:
    """For every state, whether the children are past."""
    if past == EVERYTHING:
        return (*[False] * type.automaton.end, True)
    return type.automaton.past_table(past)


def _lifted_handler(handler: Handler, depends: Depends) -> Handler:
    match handler:
        case On(_, _, body):
            return dataclasses.replace(handler, body=lifted(body, depends))
        case OnFirst(_, body) | flux.OnEach(body=body):
            return dataclasses.replace(handler, body=lifted_query(body, depends))
        case flux.OnWindow(before=before, after=after):
            return dataclasses.replace(
                handler, before=lifted_query(before, depends), after=lifted_query(after, depends)
            )
    return handler


def lifted_query(query: Query, depends: Depends) -> Query:
    """The query with each condition as far outside as possible, and shared by adjacent parts."""
    return _merge_nested(_outward(query, depends))


def _merge_nested(query: Query) -> Query:
    """{ if (χ) then { if (ψ) then α } } = { if (χ and ψ) then α }"""
    query = map_subqueries(query, _merge_nested)
    return guarded(query.condition, query.body) if isinstance(query, If) else query


def _outward(query: Query, depends: Depends) -> Query:
    query = map_subqueries(query, lambda inner: _outward(inner, depends))
    match query:
        case If(condition, body):
            return _nested(conjuncts(condition), body)
        case Loop():
            return _out_of_loop(query, depends)
        case flux.Sequence(parts):
            return _merge_adjacent(parts)
    return query


def _nested(conditions: tuple[ast.Expr, ...], body: Query) -> Query:
    """{ if (χ and ψ) then α } = { if (χ) then { if (ψ) then α } }"""
    for condition in reversed(conditions):
        body = If(condition, body)
    return body


def _out_of_loop(loop: Loop, depends: Depends) -> Query:
    """{ for $x in π return { if (χ) then α } } = { if (χ) then { for $x in π return α } }, $x not in χ"""
    if len(loop.branches) != 1:
        return loop
    (branch,) = loop.branches
    outside: list[ast.Expr] = []
    inside: list[ast.Expr] = []
    body = branch.body
    while isinstance(body, If):
        (inside if branch.variable in through(body.condition, depends) else outside).append(body.condition)
        body = body.body
    if not outside:
        return loop
    inner = Loop(loop.source, (dataclasses.replace(branch, body=_nested(tuple(inside), body)),))
    return _nested(tuple(outside), inner)


def _merge_adjacent(parts: tuple[Query, ...]) -> Query:
    """{ if (χ) then α } { if (χ) then β } = { if (χ) then α β }"""
    merged: list[Query] = []
    for part in parts:
        last = merged[-1] if merged else None
        if isinstance(last, If) and isinstance(part, If) and last.condition == part.condition:
            merged[-1] = If(
                last.condition, _merge_adjacent((*flux.parts_of(last.body), *flux.parts_of(part.body)))
            )
        else:
            merged.append(part)
    return flux.sequence(*merged)
