"""Safe queries: no handler reads children that may still arrive (definitions 3.4.18, 3.8.6, 3.8.19).

Rewriting produces only safe queries; this check follows the definition. It also checks the order of the
output: a handler for children may not begin while an earlier one still waits.
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
    """A handler that reads children of a variable which may still arrive, or writes too early."""

    variable: str
    name: str
    handler: Handler
    why: str


def unsafe(body: ProcessStream, facts: Facts) -> list[Unsafe]:
    """All violations; none for a safe query."""
    return [*_unsafe(body, facts, ())]


def _unsafe(scope: ProcessStream, facts: Facts, outer: tuple[tuple[str, str], ...]) -> Iterator[Unsafe]:
    """`outer` are the enclosing variables, each with its child that is being read."""
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
            late = [name for name in waiting if not facts.settles(scope.variable, past, name)]
            for name in late:
                yield Unsafe(scope.variable, name, handler, "is written before, and may still come")
            return
        case _:
            names = NOTHING
    for name in names:
        # Branches of one loop write in the order of the document.
        for earlier in waiting - _siblings(scope, handler):
            if not facts.before(scope.variable, earlier, name):
                yield Unsafe(
                    scope.variable, earlier, handler, f"is written before {name}, and may come after it"
                )


def _siblings(scope: ProcessStream, handler: Handler) -> Past:
    """The names of the earlier branches of the same loop."""
    place = scope.handlers.index(handler)
    names: set[str] = set()
    while isinstance(handler, On) and handler.continues and place > 0:
        place -= 1
        handler = scope.handlers[place]
        names.add(handler.name if isinstance(handler, On) else "")
    return frozenset(names)


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
    return any(_query_writes(query) for query in traversal.bodies(handler))


def _query_writes(query: Query) -> bool:
    leaves = [leaf for leaf in traversal.walk(query) if not traversal.subqueries(leaf)]
    return not all(isinstance(leaf, flux.Feed | flux.Boundary | flux.Sequence) for leaf in leaves)
