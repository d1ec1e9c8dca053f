"""Conditions gathered again that the normal form pushed down to what is written (section 3.7.2.3).

    { if (χ) then α } { for $y in $x/b return { if (χ and ψ) then β } }
    { if (χ) then α { for $y in $x/b return { if (ψ) then β } } }

Inside one handler a condition does not change, so it is asked once; and a condition that stands around all
that a loop writes is one that the loop's items can be looked up by.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from slackwater.flux.plan import syntax as flux
from slackwater.flux.plan.state import Depends
from slackwater.flux.plan.terms import through
from slackwater.flux.plan.traversal import map_subqueries
from slackwater.flux.rewrite.conditions import both, conjuncts
from slackwater.language.xquery import syntax as ast


def guards(query: flux.Query, depends: Depends) -> list[ast.Expr]:
    """The conditions without which a query writes nothing, in the order in which they are asked."""
    match query:
        case flux.If(condition, body):
            return [*dict.fromkeys([*conjuncts(condition), *guards(body, depends)])]
        case flux.Sequence(parts):
            written = [guards(each, depends) for each in parts if not isinstance(each, flux.Boundary)]
            return _common(written)
        case flux.Loop(_, branches):
            inner = _common([guards(each.body, depends) for each in branches])
            return _outside(inner, [each.variable for each in branches], depends)
        case flux.For(variable, _, body, at):
            return _outside(guards(body, depends), [variable, at or variable], depends)
    return []


def _common(lists: list[list[ast.Expr]]) -> list[ast.Expr]:
    if not lists:
        return []
    return [each for each in lists[0] if all(each in other for other in lists[1:])]


def _outside(conditions: Iterable[ast.Expr], variables: Collection[str], depends: Depends) -> list[ast.Expr]:
    return [each for each in conditions if not through(each, depends) & {*variables}]


def unguarded(query: flux.Query, known: Collection[ast.Expr]) -> flux.Query:
    """The query where these conditions hold."""
    match query:
        case flux.If(condition, body):
            left = [each for each in conjuncts(condition) if each not in known]
            inner = unguarded(body, known)
            return flux.If(both(*left), inner) if left else inner
        case flux.Sequence() | flux.Loop() | flux.For():
            return map_subqueries(query, lambda inner: unguarded(inner, known))
    return query


def regrouped(query: flux.Query, depends: Depends) -> flux.Query:
    """The query with conditions as far outside as they go."""
    query = map_subqueries(query, lambda inner: regrouped(inner, depends))
    if isinstance(query, flux.Sequence):
        query = flux.sequence(*_merged(query.parts))
    found = guards(query, depends)
    if not found or isinstance(query, flux.Boundary):
        return query
    inner = unguarded(query, found)
    return flux.If(both(*found), inner)


def _merged(parts: tuple[flux.Query, ...]) -> list[flux.Query]:
    """Neighbours under the same condition, under it together."""
    found: list[flux.Query] = []
    for part in parts:
        last = found[-1] if found else None
        if isinstance(last, flux.If) and isinstance(part, flux.If):
            first, second = conjuncts(last.condition), conjuncts(part.condition)
            shared = [each for each in first if each in second]
            if shared:
                body = flux.sequence(unguarded(last, shared), unguarded(part, shared))
                found[-1] = flux.If(both(*shared), flux.sequence(*_merged(flux.parts_of(body))))
                continue
        found.append(part)
    return found
