"""The state of each streamed variable: accumulators, and projections in buffers (section 3.7.3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from slackwater.flux.plan import syntax as flux
from slackwater.flux.plan import traversal
from slackwater.flux.plan.state import Accumulator, Projection
from slackwater.flux.plan.syntax import Handler, ProcessStream
from slackwater.flux.rewrite import streaming
from slackwater.flux.rewrite.facts import Facts
from slackwater.flux.rewrite.places import projection
from slackwater.flux.rewrite.reads import Reads
from slackwater.language.xquery import syntax as ast


def streamed(body: ProcessStream) -> frozenset[str]:
    """The variables of nodes being read: of scopes, of windows that are streamed, and of items."""
    names = {scope.variable for scope in traversal.scopes(body)}
    for scope in traversal.scopes(body):
        for handler in scope.handlers:
            match handler:
                case flux.OnWindow(variable, item=item):
                    names |= {variable, item}
                case flux.OnEach(item=item):
                    names.add(item)
                case _:
                    pass
    return frozenset(names)


def expressions(body: ProcessStream) -> Iterator[ast.Expr]:
    """All expressions of all handlers."""
    for scope in traversal.scopes(body):
        for handler in scope.handlers:
            for query in traversal.bodies(handler):
                for part in traversal.walk(query):
                    yield from traversal.expressions(part)
            match handler:
                case flux.CopyThrough(condition) if condition is not None:
                    yield condition
                case flux.OnWindow(where=where) | flux.OnEach(where=where) if where is not None:
                    yield where
                case _:
                    pass


def accumulators(body: ProcessStream, facts: Facts, known: frozenset[ast.Expr]) -> tuple[Accumulator, ...]:
    """What is computed on the fly, without duplicates; lets are searched too, folds are in `known`."""
    names = streamed(body)
    exprs = [*expressions(body), *(let.value for let in facts.lets.values())]
    computed = {
        accumulator.expr: accumulator
        for expr in exprs
        for accumulator in streaming.accumulators(expr, names, known)
    }
    return tuple(computed.values())


def buffers(body: ProcessStream, facts: Facts, on_the_fly: frozenset[ast.Expr]) -> Mapping[str, Projection]:
    """Π($r) as a projection, for every variable that handlers read in buffers (definition 3.7.4).

    A node that must exist, though nothing of it is read, is buffered without its content. For the variable of
    a window, it is the projection of each item; for the item, the part that decides whether it takes part.
    """
    reading = Reads(facts.lets, facts.functions, on_the_fly)
    for scope in traversal.scopes(body):
        for handler in scope.handlers:
            _read(reading, handler)
    known = facts.types.keys() | streamed(body) | _windows(body)
    return {
        name: projection(place, facts.type(name))
        for name, place in sorted(reading.roots.items())
        if name in known
    }


def _windows(body: ProcessStream) -> frozenset[str]:
    handlers = [handler for scope in traversal.scopes(body) for handler in scope.handlers]
    return frozenset(handler.variable for handler in handlers if isinstance(handler, flux.OnEach))


def _read(reading: Reads, handler: Handler) -> None:
    match handler:
        case flux.OnEach(name, _, window, body, _, where):
            reading.window(name, [reading.root(name)], window)
            if where is not None:
                reading.of(where, [])
            reading.query(body)
        case flux.OnWindow(before=before, after=after, where=where):
            reading.query(before)
            reading.query(after)
            if where is not None:
                reading.of(where, [])
        case flux.CopyThrough(condition) if condition is not None:
            reading.of(condition, [])
        case _:
            for query in traversal.bodies(handler):
                reading.query(query)
