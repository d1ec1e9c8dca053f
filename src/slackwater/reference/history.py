"""The changes of a plan from the beginning to the end of time, computed incrementally.

`snapshot` defines what a plan means; this computes the same, faster, by three facts about `definition`:

    linear      f(B + D) = f(B) + f(D)                    select, project, group, unnest, union
    bilinear    f(B + D, C) = f(B, C) + f(D, C), …        product, join
    local       f(B) = Σ_k f(the part of B with key k)    everything else, by row, group or join key

and, for aggregation, that a row can be removed from an accumulator exactly. What none of them covers (a
subquery in a condition) is computed by `snapshot` at every instant at which it can change. A test
compares the two on generated plans.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

from slackwater import algebra
from slackwater.algebra.errors import endless_stream
from slackwater.algebra.expressions import Expression
from slackwater.algebra.operator import Kind, Operator
from slackwater.base.diagnostic import EngineError
from slackwater.base.time import BEGIN, INFINITY
from slackwater.reference.bags import Bag, Changes, Row, add, difference, merge, record
from slackwater.reference.definitions import (
    Context,
    State,
    answer,
    by_names,
    definition,
    equated,
    feeder,
    fresh,
    group_of,
    key_of_session,
)
from slackwater.reference.patterns import recognized
from slackwater.reference.snapshot import Snapshots, signed_part
from slackwater.reference.synchronization import stamped, ticks
from slackwater.reference.windows import MOST_REPEATS, after, in_order, life, partition_of

Key = Callable[[Row], Row]


def _row(row: Row) -> Row:
    return row


class Histories:
    """The changes of plans over the inputs; a shared subplan is computed once."""

    def __init__(self, inputs: Mapping[str, Changes], until: int | None = None, begin: int = BEGIN) -> None:
        self._inputs = inputs
        self._until = until
        self._begin = begin
        self._snapshots = Snapshots(inputs, until, begin)
        self._context = Context(self._snapshots.value, {})
        self._known: dict[int, tuple[Operator, Changes]] = {}

    def changes(self, plan: Operator) -> Changes:
        """A stream's elements, or a relation's changes, by instant, in order of time."""
        if id(plan) not in self._known:
            changes = self._changes(plan)
            last = INFINITY - 1 if self._until is None else self._until
            in_range = {t: changes[t] for t in sorted(changes) if changes[t] and t <= last}
            self._known[id(plan)] = (plan, in_range)
        return self._known[id(plan)][1]

    def _changes(self, plan: Operator) -> Changes:
        if plan.subplans:
            return self._by_snapshots(plan)
        match plan:
            case algebra.Stream() | algebra.Relation():
                return self._inputs.get(plan.name, {})
            case algebra.Unit():
                return {self._begin: {(): 1}}
            case algebra.Select(source=algebra.Product() as product):
                # σ p (L × R) = L ⋈ p R, which pairs only rows with equal keys.
                return self._bilinear(algebra.Join(product.left, product.right, plan.predicate))
            case algebra.Select() | algebra.Project() | algebra.Group() | algebra.Unnest() | algebra.Assign():
                return self._linear(plan)
            case algebra.Union():
                return self._union(plan)
            case algebra.Range() | algebra.Sliding() | algebra.Fixed():
                return self._lives(plan)
            case algebra.Rows():
                return self._rows(plan)
            case algebra.NestedRows():
                return self._nested(plan)
            case algebra.Session():
                return self._session(plan)
            case algebra.Ticks():
                return self._ticks(plan)
            case algebra.Stamp():
                return stamped(plan, self.changes(plan.source))
            case algebra.When():
                return self._when(plan)
            case algebra.Synchronize():
                return self._synchronized(plan)
            case algebra.Recursion():
                return self._by_snapshots(plan)
            case algebra.Product() | algebra.Join():
                return self._bilinear(plan)
            case algebra.Single():
                return self._local(plan, (by_names(plan, plan.keys),))
            case algebra.Sessions():
                return self._local(plan, (key_of_session(plan, self._context),))
            case algebra.Over():
                return self._local(plan, (by_names(plan.source, plan.partition),))
            case algebra.Aggregate():
                return self._aggregate(plan)
            case algebra.Recognize():
                last = INFINITY - 1 if self._until is None else self._until
                return recognized(plan, self.changes(plan.source), self._context.value, last)
            case algebra.Istream():
                return signed_part(self.changes(plan.source), 1)
            case algebra.Dstream():
                return signed_part(self.changes(plan.source), -1)
            case algebra.Rstream():
                return self._repeated(plan)
            case _:
                return self._local(plan)

    def _by_snapshots(self, plan: Operator) -> Changes:
        if plan.kind is Kind.STREAM:
            return self._snapshots.changes(plan)
        result: Changes = {}
        before: Bag = {}
        for t in self._snapshots.instants(plan):
            now = self._snapshots.relation(plan, t)
            result[t], before = difference(now, before), now
        return result

    def _linear(self, plan: Operator) -> Changes:
        below = self.changes(plan.inputs[0])
        return {t: definition(plan, self._context, bag) for t, bag in below.items()}

    def _union(self, plan: algebra.Union) -> Changes:
        left, right = self.changes(plan.left), self.changes(plan.right)
        return {t: merge(dict(left.get(t, {})), right.get(t, {})) for t in {**left, **right}}

    def _lives(self, plan: algebra.Range | algebra.Sliding | algebra.Fixed) -> Changes:
        result: Changes = {}
        for u, bag in self.changes(plan.source).items():
            if lived := life(plan, u, self._begin):
                begin, end = lived
                for row, copies in bag.items():
                    record(result, begin, row, copies)
                    if end < INFINITY:
                        record(result, end, row, -copies)
        return result

    def _ticks(self, plan: algebra.Ticks) -> Changes:
        if self._until is None:
            raise EngineError(endless_stream(plan.origin))
        return ticks(plan, self._begin, self._until)

    def _when(self, plan: algebra.When) -> Changes:
        """A change of a row is one in each interval in which the condition is true of the row."""
        result: Changes = {}
        for u, bag in self.changes(plan.source).items():
            for row, copies in bag.items():
                for begin, end in self._snapshots.intervals(plan, row):
                    if u < end:
                        record(result, max(u, begin), row, copies)
                    if u < end < INFINITY:
                        record(result, end, row, -copies)
        return result

    def _synchronized(self, plan: algebra.Synchronize) -> Changes:
        """A change is one at the next point."""
        events = [] if plan.events is None else sorted(self.changes(plan.events))
        result: Changes = {}
        for u, bag in self.changes(plan.source).items():
            following = bisect_left(events, u)
            point = min([plan.points.ceil(u), *events[following : following + 1]])
            if point < INFINITY:
                merge(result.setdefault(point, {}), bag)
        return result

    def _session(self, plan: algebra.Session) -> Changes:
        """The rows of a partition stay from when they come until nothing has come for more than the gap."""
        key = partition_of(plan)
        waiting: dict[Row, list[Row]] = {}
        last: dict[Row, int] = {}
        result: Changes = {}

        def leave(partition: Row) -> None:
            for row in waiting.pop(partition, []):
                if (end := after(after(last[partition], plan.gap), 1)) < INFINITY:
                    record(result, end, row, -1)

        for u, row in in_order(self.changes(plan.source)):
            partition = key(row)
            if partition in last and u > after(last[partition], plan.gap):
                leave(partition)
            record(result, u, row, 1)
            waiting.setdefault(partition, []).append(row)
            last[partition] = u
        for partition in list(waiting):
            leave(partition)
        return result

    def _nested(self, plan: algebra.NestedRows) -> Changes:
        result: Changes = {}
        for number, window in enumerate(plan.rows):
            for t, bag in self._rows(window).items():
                for row, copies in bag.items():
                    record(result, t, (*row, number), copies)
        return result

    def _rows(self, plan: algebra.Rows) -> Changes:
        """An element leaves when enough newer ones of its partition have arrived, or when it is too old."""
        key = partition_of(plan)
        shown: dict[Row, deque[tuple[int, Row]]] = {}
        waiting: dict[Row, list[tuple[int, Row]]] = {}
        result: Changes = {}

        def show(u: int, row: Row, at: int, copies: int) -> None:
            expiry = after(after(u, plan.within), 1)
            if at < expiry:
                record(result, at, row, copies)
                if expiry < INFINITY:
                    record(result, expiry, row, -copies)

        for u, row in in_order(self.changes(plan.source)):
            part = key(row)
            waiting.setdefault(part, []).append((u, row))
            if len(waiting[part]) == plan.slide:
                alive = shown.setdefault(part, deque())
                for entry in waiting.pop(part):
                    alive.append(entry)
                    show(*entry, u, 1)
                while len(alive) > plan.count:
                    show(*alive.popleft(), u, -1)
        return result

    def _bilinear(self, plan: algebra.Product | algebra.Join) -> Changes:
        """Δ(L ⋈ R) = ΔL ⋈ R + (L + ΔL) ⋈ ΔR, key by key"""
        keys = self._join_keys(plan)
        parts: tuple[dict[Row, Bag], dict[Row, Bag]] = ({}, {})
        result: Changes = {}
        for t, (left, right) in self._merged(plan):
            total: Bag = {}
            for key, change in _split(left, keys[0]).items():
                merge(total, definition(plan, self._context, change, parts[1].get(key, {})))
                merge(parts[0].setdefault(key, {}), change)
            for key, change in _split(right, keys[1]).items():
                merge(total, definition(plan, self._context, parts[0].get(key, {}), change))
                merge(parts[1].setdefault(key, {}), change)
            result[t] = total
        return result

    def _local(self, plan: Operator, keys: tuple[Key, ...] = (_row, _row)) -> Changes:
        """The definition at each instant, only for the keys with changes."""
        if len(plan.inputs) == 2 and plan.expressions:
            keys = self._join_keys(plan)
        parts: list[dict[Row, Bag]] = [{} for _ in plan.inputs]
        former: dict[Row, Bag] = {}
        result: Changes = {}
        for t, changed in self._merged(plan):
            total: Bag = {}
            touched: set[Row] = set()
            for part, change, key_of in zip(parts, changed, keys, strict=False):
                for key, piece in _split(change, key_of).items():
                    merge(part.setdefault(key, {}), piece)
                    touched.add(key)
            for key in touched:
                now = definition(plan, self._context, *(part.get(key, {}) for part in parts))
                merge(total, difference(now, former.get(key, {})))
                former[key] = now
            result[t] = total
        return result

    def _aggregate(self, plan: algebra.Aggregate) -> Changes:
        key_of, feed = group_of(plan, self._context), feeder(plan, self._context)
        groups: dict[Row, State] = {}
        sizes: Bag = {}
        result: Changes = {}
        if not plan.keys:
            groups[()] = fresh(plan)
            sizes[()] = 1
            result[self._begin] = {answer(groups[()]): 1}
        for t, change in self.changes(plan.source).items():
            total = result.setdefault(t, {})
            parts = _split(change, key_of)
            for key, part in parts.items():
                if key in groups:
                    add(total, key + answer(groups[key]), -1)
                else:
                    groups[key] = fresh(plan)
                for row, copies in part.items():
                    feed(groups[key], row, copies)
                    add(sizes, key, copies)
                if key in sizes:
                    add(total, key + answer(groups[key]), 1)
                else:
                    del groups[key]
        return result

    def _repeated(self, plan: algebra.Rstream) -> Changes:
        changes = self.changes(plan.source)
        edges = [*changes, INFINITY if self._until is None else self._until + 1]
        result: Changes = {}
        now: Bag = {}
        remaining = MOST_REPEATS
        for begin, end in pairwise(edges):
            now = merge(dict(now), changes[begin])
            if now:
                remaining -= end - begin
                if remaining < 0:
                    raise EngineError(endless_stream(plan.origin))
                result.update(dict.fromkeys(range(begin, end), now))
        return result

    def _merged(self, plan: Operator) -> list[tuple[int, list[Bag]]]:
        below = [self.changes(source) for source in plan.inputs]
        instants = sorted({t for changes in below for t in changes})
        return [(t, [changes.get(t, {}) for changes in below]) for t in instants]

    def _join_keys(self, plan: Operator) -> tuple[Key, Key]:
        lefts, rights = equated(plan)
        left, right = plan.inputs
        return self._keyed(left, lefts), self._keyed(right, rights)

    def _keyed(self, side: Operator, columns: list[Expression]) -> Key:
        values: list[Callable[[Row], Any]] = [self._context.value(column, side.schema) for column in columns]
        return lambda row: tuple(value(row) for value in values)


def _split(change: Bag, key_of: Key) -> dict[Row, Bag]:
    parts: dict[Row, Bag] = {}
    for row, copies in change.items():
        parts.setdefault(key_of(row), {})[row] = copies
    return parts
