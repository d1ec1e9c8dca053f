"""Conditions on queries, and how they are pushed down to what is written (figure 3.3)."""

from __future__ import annotations

import dataclasses
from functools import partial

from slackwater.flux.plan import syntax as flux
from slackwater.flux.plan.syntax import If, Loop, Query
from slackwater.flux.plan.traversal import map_subqueries
from slackwater.flux.rewrite.conditions import both
from slackwater.language.xquery import syntax as ast


def guarded(condition: ast.Expr, query: Query) -> Query:
    """{ if (χ) then { if (ψ) then α } } = { if (χ and ψ) then α }  (figure 3.3, Merge-If)"""
    match query:
        case flux.Sequence(()):
            return query
        case If(inner, body):
            return If(both(condition, inner), body)
        case _:
            return If(condition, query)


def pushed(query: Query) -> Query:
    """The query with all conditions pushed down to what is written: the normal form in the narrow sense.

    Rewriting pushes a condition down only where that lets something be streamed: over buffers it is better
    evaluated once, and joins are easier to recognize.
    """
    query = map_subqueries(query, pushed)
    return push(query.condition, query.body, deep=True) if isinstance(query, If) else query


def push(condition: ast.Expr, query: Query, *, deep: bool = False) -> Query:
    """{ if (χ) then α β } = { if (χ) then α } { if (χ) then β }  (figure 3.3, Pushdown-If-2)

    and { if (χ) then { for $x in π return α } } = { for $x in π return { if (χ) then α } }  (Pushdown-If-1).
    A loop over an expression stays as it is: it is evaluated at one time anyway.
    """
    inner = partial(push, condition, deep=True) if deep else partial(guarded, condition)
    match query:
        case flux.Sequence(parts):
            return flux.sequence(*(push(condition, part, deep=deep) for part in parts))
        case Loop(_, branches):
            bodies = tuple(dataclasses.replace(branch, body=inner(branch.body)) for branch in branches)
            return dataclasses.replace(query, branches=bodies)
        case flux.Windowed():
            return dataclasses.replace(query, body=inner(query.body))
        case _:
            return guarded(condition, query)
