"""Conditions back up (section 3.11): what the normal form pushed down to every string is asked once only.

Inside handlers over buffers the form matters no more, and a condition outside of a loop spares the loop.
"""

from __future__ import annotations

import dataclasses

from slackwater.language.xquery import syntax as ast
from slackwater.xquery import flux
from slackwater.xquery.conditions import conjuncts
from slackwater.xquery.flux import Handler, If, Loop, On, OnFirst, ProcessStream, Query
from slackwater.xquery.terms import free, over


def lifted(body: ProcessStream) -> ProcessStream:
    """The same FluX query with conditions lifted and neighbouring handlers of one time merged."""
    handlers: list[Handler] = []
    for handler in body.handlers:
        last = handlers[-1] if handlers else None
        if (both := _merged(last, handler)) is not None:
            handlers[-1] = both
        else:
            handlers.append(handler)
    return dataclasses.replace(body, handlers=tuple(map(_lifted_handler, handlers)))


def _merged(first: Handler | None, second: Handler) -> Handler | None:
    """on-first past(S) return α; on-first past(S) return β = on-first past(S) return α β"""
    if not isinstance(first, OnFirst) or not isinstance(second, OnFirst) or first.past != second.past:
        return None
    return OnFirst(first.past, flux.sequence(first.body, second.body), first.reads | second.reads)


def _lifted_handler(handler: Handler) -> Handler:
    match handler:
        case On(_, _, body):
            return dataclasses.replace(handler, body=lifted(body))
        case OnFirst(_, body) | flux.OnEach(body=body):
            return dataclasses.replace(handler, body=lifted_query(body))
        case flux.OnWindow(before=before, after=after):
            return dataclasses.replace(handler, before=lifted_query(before), after=lifted_query(after))
    return handler


def lifted_query(query: Query) -> Query:
    """The query with each condition as far outside as it goes, and asked once for neighbours."""
    query = over(query, lifted_query)
    match query:
        case If(condition, body):
            return _nested(conjuncts(condition), body)
        case Loop():
            return _out_of_loop(query)
        case flux.Sequence(parts):
            return _neighbours(parts)
    return query


def _nested(conditions: tuple[ast.Expr, ...], body: Query) -> Query:
    """{ if (χ and ψ) then α } = { if (χ) then { if (ψ) then α } }"""
    for each in reversed(conditions):
        body = If(each, body)
    return body


def _out_of_loop(loop: Loop) -> Query:
    """{ for $x in π return { if (χ) then α } } = { if (χ) then { for $x in π return α } }, $x not in χ"""
    if len(loop.branches) != 1:
        return loop
    (branch,) = loop.branches
    outside: list[ast.Expr] = []
    inside: list[ast.Expr] = []
    body = branch.body
    while isinstance(body, If):
        (inside if branch.variable in free(body.condition) else outside).append(body.condition)
        body = body.body
    if not outside:
        return loop
    inner = Loop(loop.source, (dataclasses.replace(branch, body=_nested(tuple(inside), body)),))
    return _nested(tuple(outside), inner)


def _neighbours(parts: tuple[Query, ...]) -> Query:
    """{ if (χ) then α } { if (χ) then β } = { if (χ) then α β }"""
    found: list[Query] = []
    for part in parts:
        last = found[-1] if found else None
        if isinstance(last, If) and isinstance(part, If) and last.condition == part.condition:
            found[-1] = If(
                last.condition, _neighbours((*flux.parts_of(last.body), *flux.parts_of(part.body)))
            )
        else:
            found.append(part)
    return flux.sequence(*found)
