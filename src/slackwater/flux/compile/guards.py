"""Hoists conditions again that the normal form pushed down to what is written (section 3.7.2.3).

    { if (χ) then α } { for $y in $x/b return { if (χ and ψ) then β } }
    { if (χ) then α { for $y in $x/b return { if (ψ) then β } } }

Inside one handler a condition does not change, so it is evaluated once; and a condition around all that a
loop writes is one that the loop's items can be looked up by.
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
    """The conditions without which a query writes nothing, in the order of their evaluation."""
    match query:
        case flux.If(condition, body):
            return [*dict.fromkeys([*conjuncts(condition), *guards(body, depends)])]
        case flux.Sequence(parts):
            lists = [guards(part, depends) for part in parts if not isinstance(part, flux.Boundary)]
            return _common(lists)
        case flux.Loop(_, branches):
            inner = _common([guards(branch.body, depends) for branch in branches])
            return _outside(inner, [branch.variable for branch in branches], depends)
        case flux.For(variable, _, body, at):
            return _outside(guards(body, depends), [variable, at or variable], depends)
    return []


def _common(lists: list[list[ast.Expr]]) -> list[ast.Expr]:
    if not lists:
        return []
    return [condition for condition in lists[0] if all(condition in other for other in lists[1:])]


def _outside(conditions: Iterable[ast.Expr], variables: Collection[str], depends: Depends) -> list[ast.Expr]:
    return [condition for condition in conditions if not through(condition, depends) & {*variables}]


def unguarded(query: flux.Query, known: Collection[ast.Expr]) -> flux.Query:
    """The query without these conditions, for where they hold."""
    match query:
        case flux.If(condition, body):
            left = [conjunct for conjunct in conjuncts(condition) if conjunct not in known]
            inner = unguarded(body, known)
            return flux.If(both(*left), inner) if left else inner
        case flux.Sequence() | flux.Loop() | flux.For():
            return map_subqueries(query, lambda inner: unguarded(inner, known))
    return query


def regrouped(query: flux.Query, depends: Depends) -> flux.Query:
    """The query with conditions hoisted as far as possible."""
    query = map_subqueries(query, lambda inner: regrouped(inner, depends))
    if isinstance(query, flux.Sequence):
        query = flux.sequence(*_merged(query.parts))
    conditions = guards(query, depends)
    if not conditions or isinstance(query, flux.Boundary):
        return query
    inner = unguarded(query, conditions)
    return flux.If(both(*conditions), inner)


def _merged(parts: tuple[flux.Query, ...]) -> list[flux.Query]:
    """Neighbours with a common condition as one query under it."""
    merged: list[flux.Query] = []
    for part in parts:
        last = merged[-1] if merged else None
        if isinstance(last, flux.If) and isinstance(part, flux.If):
            first, second = conjuncts(last.condition), conjuncts(part.condition)
            shared = [conjunct for conjunct in first if conjunct in second]
            if shared:
                body = flux.sequence(unguarded(last, shared), unguarded(part, shared))
                merged[-1] = flux.If(both(*shared), flux.sequence(*_merged(flux.parts_of(body))))
                continue
        merged.append(part)
    return merged
