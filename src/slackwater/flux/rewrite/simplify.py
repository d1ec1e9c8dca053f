"""Algebraic optimization with a schema: the laws of figure 3.5 (section 3.6.1).

A law looks at the root of a query and returns None where it does not apply; the driver offers it every query,
the inner ones first, until none applies. What a query requires of the children of a node
(definition 3.6.1) depends on the enclosing queries, so `drop_impossible` looks at a whole query at once.
"""

from __future__ import annotations

import dataclasses

from slackwater.base.rules import Driver, Rule, Step, rule
from slackwater.flux.plan import syntax as flux
from slackwater.flux.plan import traversal
from slackwater.flux.plan.syntax import Branch, If, Loop, Query
from slackwater.flux.plan.terms import from_child, renamed
from slackwater.flux.plan.traversal import map_expressions, map_subqueries
from slackwater.flux.rewrite.conditions import FALSE, TRUE
from slackwater.flux.rewrite.conditions import normal as negation_normal
from slackwater.flux.rewrite.conditions import simplified as simpl_basic
from slackwater.flux.rewrite.facts import Facts, joined
from slackwater.flux.rewrite.requirements import drop_impossible, with_known_conditions


@rule
def simplify_if(query: Query, facts: Facts) -> Query | None:
    """{ if (χ) then β } = { if (simpl(χ)) then β }  (Simplify-If)

    Conditions that the schema decides become true() or false(), propagated through `and`, `or`, `not`.
    """
    if not isinstance(query, If):
        return None
    condition = simpl_basic(with_known_conditions(negation_normal(query.condition), facts))
    same = condition in (query.condition, negation_normal(query.condition))
    return None if same else If(condition, query.body)


@rule
def keep_if_true(query: Query, facts: Facts) -> Query | None:
    """{ if (true()) then β } = β  (Sat-If)"""
    return query.body if isinstance(query, If) and query.condition == TRUE else None


@rule
def drop_if_false(query: Query, facts: Facts) -> Query | None:
    """{ if (false()) then β } = ε  (Unsat-If)"""
    return flux.Sequence() if isinstance(query, If) and query.condition == FALSE else None


@rule
def drop_silent_for(query: Query, facts: Facts) -> Query | None:
    """{ for $x in $y/a return ε } = ε  (Silent-For)"""
    match query:
        case Loop(source, branches):
            writing = tuple(branch for branch in branches if branch.body != flux.Sequence())
            if len(writing) < len(branches):
                return Loop(source, writing) if writing else flux.Sequence()
        case flux.For(body=flux.Sequence(())) | flux.Windowed(body=flux.Sequence(())):
            return flux.Sequence()
    return None


@rule
def merge_neighbours(query: Query, facts: Facts) -> Query | None:
    """{ for $x in $z/a return α } { for $y in $z/a return β } = { for $x in $z/a return α β[$y → $x] }

    If there is at most one a in $z (Merge1), or exactly one, and then with strings in between (Merge2). Not
    where the first loop could be streamed, but the merged loop could not.
    """
    if not isinstance(query, flux.Sequence):
        return None
    for place, part in enumerate(query.parts):
        if (merged := _merged(query.parts, place, part, facts)) is not None:
            return merged
    return None


def _merged(parts: tuple[Query, ...], place: int, part: Query, facts: Facts) -> Query | None:
    first = _single(part)
    if first is None or not isinstance(part, Loop) or not facts.at_most_one(part.source, first.test.name):
        return None
    end = place + 1
    while end < len(parts) and _is_string(parts[end]):
        end += 1
    other = parts[end] if end < len(parts) else None
    second = _single(other) if isinstance(other, Loop) and other.source == part.source else None
    between = parts[place + 1 : end]
    if second is None or second.test != first.test:
        return None
    if any(not isinstance(part, flux.Boundary) for part in between) and not facts.exactly_one(
        part.source, first.test.name
    ):
        return None
    body = flux.sequence(first.body, *between, renamed(second.body, {second.variable: first.variable}))
    if not _still_streamed(part.source, first, body, facts):
        return None
    merged = Loop(part.source, (dataclasses.replace(first, body=body),))
    return flux.sequence(*parts[:place], merged, *parts[end + 1 :])


def _still_streamed(source: str, first: Branch, body: Query, facts: Facts) -> bool:
    name = first.test.name
    alone = facts.all_before(source, joined(facts.dep(source, first.body)), name)
    return not alone or facts.all_before(source, joined(facts.dep(source, body)), name)


def _single(query: Query) -> Branch | None:
    return query.branches[0] if isinstance(query, Loop) and len(query.branches) == 1 else None


def _is_string(query: Query) -> bool:
    """s, or { if (χ) then s }."""
    body = query.body if isinstance(query, If) else query
    return isinstance(body, flux.Text | flux.StartTag | flux.EndTag | flux.Boundary)


@rule
def use_the_only_one(query: Query, facts: Facts) -> Query | None:
    """{ for $x in $z/a return α } = { for $x in $z/a return α[$z/a → $x] }  (Simplify)

    If there is at most one a in $z: then every path $z/a/π in α is $x/π, and a loop over $z/a in α is its
    body.
    """
    branch = _single(query)
    if branch is None or not isinstance(query, Loop):
        return None
    if not facts.at_most_one(query.source, branch.test.name):
        return None
    body = _without(branch.body, query.source, branch)
    return None if body == branch.body else Loop(query.source, (dataclasses.replace(branch, body=body),))


def _without(query: Query, source: str, outer: Branch) -> Query:
    """The query with $z/a replaced by $x."""

    def change(inner: Query) -> Query:
        branch = _single(inner)
        if isinstance(inner, Loop) and inner.source == source and branch and branch.test == outer.test:
            return change(renamed(branch.body, {branch.variable: outer.variable}))
        return map_subqueries(inner, change)

    return change(
        map_expressions(query, lambda expr: from_child(expr, source, outer.test.name, outer.variable))
    )


LAWS: tuple[Rule[Query], ...] = (
    simplify_if, keep_if_true, drop_if_false, drop_silent_for, merge_neighbours, use_the_only_one,
)  # fmt: skip


class QueryDriver(Driver[Query]):
    """Applies laws to queries, with the facts about their variables."""

    def children(self, node: Query) -> tuple[Query, ...]:
        return traversal.subqueries(node)

    def with_children(self, node: Query, children: tuple[Query, ...]) -> Query:
        inner = iter(children)
        return map_subqueries(node, lambda _: next(inner))


def simplified(query: Query, facts: Facts) -> Query:
    """The query that no law changes any more."""
    return _simplified(query, QueryDriver(LAWS, (facts,)))


def steps(query: Query, facts: Facts) -> list[Step[Query]]:
    """The steps of `simplified`: each application of a law."""
    trace: list[Step[Query]] = []
    _simplified(query, QueryDriver(LAWS, (facts,), trace))
    return trace


def _simplified(query: Query, driver: QueryDriver) -> Query:
    """Apply the laws until none applies, then drop the impossible, after which laws may apply again."""
    while True:
        before = driver.rewrite(query)
        query = driver.passed(drop_impossible, before)
        if query == before:
            return query
