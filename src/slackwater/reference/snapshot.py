"""The meaning of a plan at an instant, from its inputs up to that instant.      CQL definition 3

Nothing is kept from one instant to the next and nothing is incremental: the relation at t is
computed from the streams up to t and the relations at t, again for every t.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping

from slackwater import algebra
from slackwater.algebra.errors import endless_stream
from slackwater.algebra.expressions import Expression
from slackwater.algebra.instants import instant_at
from slackwater.algebra.now import thresholds
from slackwater.algebra.operator import Kind, Operator
from slackwater.algebra.outer import outer_columns
from slackwater.algebra.recursion import ITSELF, input_name
from slackwater.algebra.schema import Schema
from slackwater.base.diagnostic import EngineError
from slackwater.base.time import BEGIN, INFINITY
from slackwater.reference.bags import Bag, Changes, Environment, Row, difference, up_to
from slackwater.reference.definitions import Context, Value, definition
from slackwater.reference.expressions import NOW, compiled
from slackwater.reference.patterns import recognized
from slackwater.reference.recursion import recursive
from slackwater.reference.synchronization import last_point, stamped, ticks
from slackwater.reference.windows import MOST_REPEATS, after, life, window

INSTANT = "@instant"
"""The name of the instant in an environment; no column can have it."""


class Snapshots:
    """The meaning of plans over the inputs, from `begin` up to `until`."""

    def __init__(self, inputs: Mapping[str, Changes], until: int | None = None, begin: int = BEGIN) -> None:
        self._inputs = inputs
        self._until = until
        self._begin = begin
        self._values: dict[tuple[int, Schema], tuple[Expression, Value]] = {}
        self._bags: dict[tuple[int, int], tuple[Operator, Bag]] = {}

    def relation(self, plan: Operator, t: int, outer: Environment | None = None) -> Bag:
        """⟦plan⟧(t) for a plan whose result is a relation."""
        environment = {**(outer or {}), INSTANT: t}
        if outer_columns(plan):
            return self._relation(plan, t, environment)
        key = (id(plan), t)
        if key not in self._bags:
            self._bags[key] = (plan, self._relation(plan, t, environment))
        return self._bags[key][1]

    def _relation(self, plan: Operator, t: int, outer: Environment) -> Bag:
        match plan:
            case algebra.Relation():
                return up_to(self._inputs.get(plan.name, {}), t)
            case (
                algebra.Range()
                | algebra.Sliding()
                | algebra.Fixed()
                | algebra.Rows()
                | algebra.NestedRows()
                | algebra.Session()
            ):
                return window(plan, self.stream(plan.source, t), t, self._begin)
            case algebra.When():
                now = last_point(plan.points, t, self._begin)
                return {} if now is None else self._when(plan, self.relation(plan.source, t), now)
            case algebra.Synchronize():
                return self._synchronized(plan, t)
            case algebra.Recursion():
                start, *sources = (self.relation(below, t, outer) for below in plan.inputs)
                return recursive(plan, start, lambda rows: _round(plan, rows, sources))
            case _:
                inputs = [self.relation(below, t, outer) for below in plan.inputs]
                return definition(plan, Context(self.value, outer), *inputs)

    def stream(self, plan: Operator, t: int) -> Changes:
        """⟦plan⟧ up to t for a plan whose result is a stream."""
        match plan:
            case algebra.Stream():
                return {u: bag for u, bag in self._inputs.get(plan.name, {}).items() if u <= t}
            case algebra.Ticks():
                return ticks(plan, self._begin, t)
            case algebra.Stamp():
                return stamped(plan, self.stream(plan.source, t))
            case algebra.Recognize():
                value = Context(self.value, {}).value
                return recognized(plan, self.stream(plan.source, t), value, t)
            case algebra.Istream():
                return signed_part(self._steps(plan.source, t), 1)
            case algebra.Dstream():
                return signed_part(self._steps(plan.source, t), -1)
            case algebra.Rstream():
                return {u: self.relation(plan.source, u) for u in self._repeats(plan, t)}
            case _:
                below = self.stream(plan.inputs[0], t)
                results = {
                    u: definition(plan, Context(self.value, {INSTANT: u}), bag) for u, bag in below.items()
                }
                return {u: bag for u, bag in results.items() if bag}

    def _when(self, plan: algebra.When, source: Bag, now: int) -> Bag:
        accepts = self.value(plan.predicate, plan.schema)
        return {row: copies for row, copies in source.items() if accepts(row, {NOW: now}) is True}

    def _synchronized(self, plan: algebra.Synchronize, t: int) -> Bag:
        """The relation at the last of its points up to t."""
        last = last_point(plan.points, t, self._begin)
        points = [] if last is None else [last]
        if plan.events is not None:
            points += self.stream(plan.events, t)
        return self.relation(plan.source, max(points)) if points else {}

    def _steps(self, plan: Operator, t: int) -> Changes:
        return {u: self._step(plan, u) for u in self._instants(plan, t)}

    def _step(self, plan: Operator, t: int) -> Bag:
        """R(t) - R(t - 1), where R is empty before time begins."""
        before = self.relation(plan, t - 1) if t > self._begin else {}
        return difference(self.relation(plan, t), before)

    def _repeats(self, plan: algebra.Rstream, t: int) -> Iterator[int]:
        """The instants up to t at which the relation has rows, one by one."""
        edges = [*self._instants(plan.source, t), min(after(t, 1), INFINITY)]
        remaining = MOST_REPEATS
        for begin, end in itertools.pairwise(edges):
            if self.relation(plan.source, begin):
                remaining -= end - begin
                if remaining < 0:
                    raise EngineError(endless_stream(plan.origin))
                yield from range(begin, end)

    def value(self, expr: Expression, schema: Schema) -> Value:
        """The expression, compiled once for each schema."""
        key = (id(expr), schema)
        if key not in self._values:
            self._values[key] = (expr, compiled(expr, schema, self._subquery))
        return self._values[key][1]

    def _subquery(self, plan: Operator, outer: Environment) -> Bag:
        return self.relation(plan, outer[INSTANT], outer)

    def _instants(self, plan: Operator, t: int) -> list[int]:
        return sorted(u for u in self._edges(plan) if u <= t)

    def instants(self, plan: Operator) -> list[int]:
        """The instants at which the plan's result can change; a superset of those at which it does."""
        last = INFINITY if self._until is None else self._until
        return sorted(t for t in self._edges(plan) if self._begin <= t < INFINITY and t <= last)

    def _edges(self, plan: Operator) -> set[int]:
        below = {t for source in (*plan.inputs, *plan.subplans) for t in self._edges(source)}
        match plan:
            case algebra.Stream() | algebra.Relation():
                return set(self._inputs.get(plan.name, {}))
            case algebra.Unit() | algebra.Aggregate(keys=()):
                return below | {self._begin}
            case algebra.Range() | algebra.Sliding() | algebra.Fixed():
                return {t for u in below for t in life(plan, u, self._begin) or ()}
            case algebra.Rows():
                return below | {after(after(u, plan.within), 1) for u in below}
            case algebra.Session():
                return below | {after(after(u, plan.gap), 1) for u in below}
            case algebra.NestedRows():
                return below | {after(after(u, within), 1) for u in below for _, within in plan.windows}
            case algebra.Recognize():
                return below | {after(u, plan.within - 1) for u in below if plan.within < INFINITY}
            case algebra.Rstream():
                return below | set(self.stream(plan, self._last(plan, below)))
            case algebra.Ticks():
                if self._until is None:
                    raise EngineError(endless_stream(plan.origin))
                return set(ticks(plan, self._begin, self._until))
            case algebra.When():
                return below | {t for row in self._rows(plan.source) for t in self._turns(plan, row)}
            case algebra.Synchronize():
                points = {plan.points.ceil(u) for u in self._edges(plan.source)}
                return points | (below if plan.events is not None else set())
            case _:
                return below

    def _rows(self, plan: Operator) -> set[Row]:
        """The rows that a relation ever has."""
        return {row for t in self._edges(plan) if t < INFINITY for row in self.relation(plan, t)}

    def _turns(self, plan: algebra.When, row: Row) -> Iterator[int]:
        """The instants at which the condition can change for a row."""
        yield plan.points.ceil(self._begin)
        for threshold in thresholds(plan.predicate) or ():
            value = self.value(threshold.value, plan.schema)(row, {})
            if value is not None:
                yield plan.points.ceil(instant_at(value) + threshold.later)

    def intervals(self, plan: algebra.When, row: Row) -> Iterator[tuple[int, int]]:
        """The instants [a, b) at which the condition is true of a row."""
        edges = sorted({self._begin, INFINITY, *(t for t in self._turns(plan, row) if t > self._begin)})
        for a, b in itertools.pairwise(edges):
            now = last_point(plan.points, a, self._begin)
            if now is not None and self._when(plan, {row: 1}, now):
                yield a, b

    def _last(self, plan: algebra.Rstream, below: set[int]) -> int:
        """The last instant to repeat: where the relation becomes empty for good, or `until`."""
        if self._until is not None:
            return self._until
        last = max((t for t in below if t < INFINITY), default=self._begin)
        if self.relation(plan.source, last):
            raise EngineError(endless_stream(plan.origin))
        return last

    def changes(self, plan: Operator) -> Changes:
        """The result from the beginning to the end of time: a stream, or the changes of a relation."""
        instants = self.instants(plan)
        if plan.kind is Kind.STREAM:
            return self.stream(plan, instants[-1]) if instants else {}
        changes: Changes = {}
        before: Bag = {}
        for t in instants:
            now = self.relation(plan, t)
            if change := difference(now, before):
                changes[t] = change
            before = now
        return changes


def _round(plan: algebra.Recursion, rows: Bag, sources: list[Bag]) -> Bag:
    """The body over these rows of the recursion, and over its sources, at one instant."""
    now = {ITSELF: {BEGIN: rows}, **{input_name(place): {BEGIN: bag} for place, bag in enumerate(sources)}}
    return Snapshots(now).relation(plan.body.plan, BEGIN)


def signed_part(changes: Changes, sign: int) -> Changes:
    """The part of each change with that sign, as positive copies."""
    parts = {
        t: {row: copies * sign for row, copies in bag.items() if copies * sign > 0}
        for t, bag in changes.items()
    }
    return {t: bag for t, bag in parts.items() if bag}
