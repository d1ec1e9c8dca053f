"""The clauses of a best-match join as functions: loops that collect candidates, then the best of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from slackwater.flux.compile import expressions as compiler
from slackwater.flux.compile import joins, nearby
from slackwater.flux.compile.bestmatch import ByDefinition, Inexact, Joining, Measure, joining
from slackwater.flux.compile.flwor import Clauses, Finish, Next
from slackwater.flux.plan.terms import bound as binds
from slackwater.flux.plan.terms import free
from slackwater.flux.values.atomic import Item
from slackwater.language.xquery import syntax as ast


def best_match(clauses: Clauses, every: Sequence[ast.Clause], place: int, finish: Finish) -> Next:
    """Collects the candidates of the loops before the join, and binds the best again one after the other."""
    loops, join, after = every[:place], every[place], every[place + 1 :]
    assert isinstance(join, ast.BestMatch)
    env, scope = clauses.env, clauses.static.scope
    state, before = scope.slot().number, len(clauses.bound)
    distances = _prepare_lookup(clauses, loops, join)
    compiled: list[tuple[Next, Callable[[], Joining], Callable[[], Joining]]] = []
    slots: list[int] = []

    def gathering() -> Next:
        measures = [
            Measure(dimension, clauses.static, distances.get(number))
            for number, dimension in enumerate(join.dimensions)
        ]
        groups = [scope.slots[group.name].number for group in join.groups]
        slots.extend(clauses.bound[before:])
        then = clauses.all(after, finish)
        compiled.append((then, joining(measures, groups), lambda: ByDefinition(measures, groups)))
        return lambda out: env[state].add(env, slots)

    begin = clauses.all(loops, gathering)

    def run(out: list[Item]) -> None:
        then, direct, by_definition = compiled[0]
        env[state] = direct()
        try:
            begin(out)
        except Inexact:
            env[state] = by_definition()
            begin(out)
        for values in env[state].best():
            for slot, value in zip(slots, values, strict=True):
                env[slot] = value
            then(out)

    return run


def _prepare_lookup(
    clauses: Clauses, loops: Sequence[ast.Clause], join: ast.BestMatch
) -> Mapping[int, nearby.Distance]:
    """Lets the last loop look its items up, if the dimensions allow it: gives the distances by dimension."""
    scope = clauses.static.scope
    place = max(place for place, clause in enumerate(loops) if isinstance(clause, ast.For))
    last = loops[place]
    assert isinstance(last, ast.For)
    before = [name for clause in loops[:place] for name in binds(clause)]
    after = [name for clause in loops[place:] for name in binds(clause) if name != last.variable]
    axes = nearby.axes(join, last.variable, before, after, scope)
    distances: dict[int, nearby.Distance] = {}
    if axes and last.type is None and joins.is_steady(last.source, scope):
        clauses.special[last.variable] = partial(_near_loop, clauses, axes, distances)
    return distances


def _near_loop(
    clauses: Clauses,
    axes: Sequence[nearby.Axis],
    distances: dict[int, nearby.Distance],
    clause: ast.For,
    rest: Sequence[ast.Clause],
    finish: Finish,
) -> Next:
    """A loop over the items that may be within the bounds."""
    source = compiler.items(clause.source, clauses.static)
    slot = clauses.bind(clause.variable, clause.source)
    place = clauses.bind(clause.at, None) if clause.at else None
    lookup = nearby.Nearby(axes, source, clause.variable, slot, free(clause.source), clauses.static)
    distances |= {axis.number: lookup.distance(order) for order, axis in enumerate(axes)}
    then, env, at = clauses.all(rest, finish), clauses.env, lookup.at

    def run(out: list[Item]) -> None:
        items, positions = lookup.matches()
        for position in positions:
            env[at] = position
            env[slot] = items[position]
            if place is not None:
                env[place] = position + 1
            then(out)

    return run
