"""Safe queries: no handler looks at what may still come (definitions 3.4.18, 3.8.6, 3.8.19).

Rewriting gives safe queries only; this is the check, from the definition. It also holds what is written
against the order of the query: a handler for children may not begin while one before it still waits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from slackwater.flux.plan import syntax as flux
from slackwater.flux.plan import traversal
from slackwater.flux.plan.syntax import (
    NOTHING,
    CopyThrough,
    Handler,
    On,
    OnEach,
    OnFirst,
    OnWindow,
    Past,
    ProcessStream,
    Query,
)
from slackwater.flux.rewrite.facts import Facts, joined


@dataclass(frozen=True)
class Unsafe:
    """A handler that looks at children of a variable which may still come, or writes too early."""

    variable: str
    name: str
    handler: Handler
    why: str


def unsafe(body: ProcessStream, facts: Facts) -> list[Unsafe]:
    """Everything that is not safe; nothing for a safe query."""
    return [*_unsafe(body, facts, ())]


def _unsafe(scope: ProcessStream, facts: Facts, outer: tuple[tuple[str, str], ...]) -> Iterator[Unsafe]:
    """`outer` are the variables around, each with the child of it that is being read."""
    waiting: Past = NOTHING
    for handler in scope.handlers:
        yield from _too_early(scope, handler, facts)
        for query in traversal.bodies(handler):
            yield from _outside(query, handler, facts, outer)
        if _writes(handler):
            yield from _disordered(scope, handler, waiting, facts)
            waiting = joined(waiting, _waits_for(handler))
        if isinstance(handler, On):
            yield from _unsafe(handler.body, facts, (*outer, (scope.variable, handler.name)))


def _too_early(scope: ProcessStream, handler: Handler, facts: Facts) -> Iterator[Unsafe]:
    variable = scope.variable
    match handler:
        case OnFirst(past, body):
            for name in facts.dep(variable, body):
                if not facts.settles(variable, past, name):
                    yield Unsafe(variable, name, handler, "may come after the handler has fired")
        case OnEach(path=path) | OnWindow(path=path):
            for query in traversal.bodies(handler):
                for name in facts.dep(variable, query):
                    if not facts.before(variable, name, path[0].name):
                        yield Unsafe(variable, name, handler, "may come while windows are read")
        case CopyThrough(condition) if condition is not None:
            for name in facts.dep_of(variable, condition):
                yield Unsafe(variable, name, handler, "comes after the start tag")
        case _:
            pass


def _outside(
    query: Query, handler: Handler, facts: Facts, outer: tuple[tuple[str, str], ...]
) -> Iterator[Unsafe]:
    for variable, child in outer:
        for name in facts.dep(variable, query):
            if not facts.before(variable, name, child):
                yield Unsafe(variable, name, handler, f"may come after {child}")


def _disordered(scope: ProcessStream, handler: Handler, waiting: Past, facts: Facts) -> Iterator[Unsafe]:
    match handler:
        case On(name):
            names = frozenset({name})
        case OnEach(path=path) | OnWindow(path=path):
            names = frozenset({path[0].name})
        case OnFirst(past):
            late = [each for each in waiting if not facts.settles(scope.variable, past, each)]
            for each in late:
                yield Unsafe(scope.variable, each, handler, "is written before, and may still come")
            return
        case _:
            names = NOTHING
    for name in names:
        # Branches of one loop write in the order of the document.
        for each in waiting - _siblings(scope, handler):
            if not facts.before(scope.variable, each, name):
                yield Unsafe(
                    scope.variable, each, handler, f"is written before {name}, and may come after it"
                )


def _siblings(scope: ProcessStream, handler: Handler) -> Past:
    """The names of the branches before this one, of the same loop."""
    place = scope.handlers.index(handler)
    found: set[str] = set()
    while isinstance(handler, On) and handler.continues and place > 0:
        place -= 1
        handler = scope.handlers[place]
        found.add(handler.name if isinstance(handler, On) else "")
    return frozenset(found)


def _waits_for(handler: Handler) -> Past:
    match handler:
        case On(name):
            return frozenset({name})
        case OnFirst(past, _, reads):
            return joined(past, reads)
        case OnEach(path=path) | OnWindow(path=path):
            return frozenset({path[0].name})
    return flux.EVERYTHING


def _writes(handler: Handler) -> bool:
    """Feeding a fold writes nothing."""
    if isinstance(handler, On):
        return any(map(_writes, handler.body.handlers))
    if isinstance(handler, CopyThrough):
        return True
    return any(_query_writes(each) for each in traversal.bodies(handler))


def _query_writes(query: Query) -> bool:
    leaves = [each for each in traversal.walk(query) if not traversal.subqueries(each)]
    return not all(isinstance(each, flux.Feed | flux.Boundary | flux.Sequence) for each in leaves)
