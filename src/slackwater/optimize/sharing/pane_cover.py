"""Aggregates of windows that move in steps, from aggregates of panes.

    ω 180 60    |· · ·|· · ·|· · ·|          rows are put into groups once, by pane
    ω 120 60          |· · ·|· · ·|          then each window adds up its panes
    panes       | 60  | 60  | 60  |

All aggregates over windows of one stream that change at multiples of l are computed from one stream

    V = Istream (α (g, c, e, p) f (ω (l - 1) l S))

where g are all keys, c is what conditions look at, e is the multiple of l at which an element enters the
windows, and p = u - (u + r) mod l for one stamped u, by the law

    α g f (σ c (ω r l S)) = α g f' (σ c (ω R V) when NOW < p + r + l),      R ≥ r + l

At t the window has the elements with s - r ≤ u ≤ s, s the last multiple of l up to t. Those of one p are in
it together: s ≤ u + r says s ≤ p + r, because both sides are multiples of l, and that says t < p + r + l. In
ω (l - 1) l an element is for one period, and because of e no row is there for longer: Istream gives each
once. A relation that is refreshed at points φ + k l is such a window, too, with (u + r - φ) mod l in p.

Aggregates with the same keys are one operator, whose rows are marked with the conditions that they pass and
the window that they are in: a session has few operators for many queries (NiagaraCQ's grouping by constants).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from slackwater import algebra
from slackwater.algebra import Operator, Schema
from slackwater.algebra.expressions import Aggregation, Call, Expression, Literal, Now, column
from slackwater.algebra.expressions.text import text_of
from slackwater.algebra.points import Points
from slackwater.algebra.types import BIGINT, BOOLEAN
from slackwater.optimize.build import call, selected, zero_for_null
from slackwater.optimize.facts.columns import columns
from slackwater.optimize.rebuild import substituted
from slackwater.optimize.sharing.blocks import Columns
from slackwater.optimize.sharing.buckets import Buckets
from slackwater.optimize.sharing.conditions import readable
from slackwater.optimize.sharing.cost import Costs
from slackwater.optimize.sharing.panes import Paned
from slackwater.optimize.sharing.streams import TIME

LAW = "α g f (σ c (ω r l S)) = α g f' (σ c (ω R V) when NOW < p + r + l), V the aggregates of panes of l"
ENTERS, CONDITION, WINDOW, END = "enters", "condition", "window", "end"
MOST_KEYS = 64
"""So many classes of rows that conditions tell apart a pane may have."""


class Cover:
    """The panes of a family, and its members over them."""

    def __init__(self, family: Sequence[Paned]) -> None:
        self._family = family
        first = family[0]
        self.period, self.phase, self._is_refreshed = first.period, first.phase, first.is_refreshed
        self.stream = first.window.source
        common = frozenset(first.conditions).intersection(*(one.conditions for one in family))
        self._common = [condition for condition in first.conditions if condition in common]
        self._keys = {
            key: f"g:{at}" for at, key in enumerate(dict.fromkeys(k for m in family for k in m.keys))
        }
        self._calls = {c: f"f:{at}" for at, c in enumerate(dict.fromkeys(c for m in family for c in m.calls))}
        others = (c for one in family for c in one.conditions if c not in common)
        self._buckets = Buckets(dict.fromkeys(others), self._keys)
        self._offsets = sorted({self._offset(one) for one in family})
        self._grouped: dict[frozenset[Expression], _Groups] = {}
        self._synchronized: dict[tuple[int, Points], Operator] = {}

    @property
    def title(self) -> str:
        """What to call it."""
        names = [node.name for node in self.stream.walk() if isinstance(node, algebra.Stream)]
        return f"panes of {self.period} of {' and '.join(names)} that {len(self._family)} queries share"

    def words(self, one: Paned) -> str:
        """What is done with the panes, for a person."""
        texts = [text_of(readable(c)) for c in one.conditions if c not in self._common]
        keys = ", ".join(map(text_of, one.keys))
        parts = [f"with {' AND '.join(texts)} on top"] if texts else []
        return ", ".join([*parts, f"grouped by {keys}" if keys else "aggregated"])

    def cost(self, costs: Costs) -> float:
        """What the panes and all members over them cost."""
        if self._buckets.count > MOST_KEYS:
            return math.inf
        # In a pane all rows have the same time, as far as its keys show.
        rows = costs.estimate(self._rows)
        costs.assume(self._rows, replace(rows, distinct={**rows.distinct, TIME: 1.0}))
        return costs.of([self.member(one) for one in self._family], [self.stream])

    def _offset(self, one: Paned) -> int:
        return (one.window.duration - self.phase) % self.period

    @cached_property
    def _rows(self) -> Operator:
        """The rows that any member needs, with their times."""
        stamped = selected(algebra.Stamp(self.stream, TIME), self._common)
        seen = (*self._keys, *self._buckets.columns.values(), *self._arguments)
        used = frozenset[str]((TIME,)).union(*map(columns, seen))
        return algebra.Project(stamped, tuple((n, column(n, t)) for n, t in stamped.schema if n in used))

    @cached_property
    def plan(self) -> Operator:
        """A row for each pane, combination of keys, and class of rows that conditions tell apart."""
        window: Operator = algebra.Range(
            self._rows, self.period - 1, 1 if self._is_refreshed else self.period
        )
        if self._is_refreshed:
            window = algebra.Synchronize(window, Points.every(self.period, self.phase))
        times = {ENTERS: _entering(self.phase, self.period)}
        times |= {f"p:{offset}": _pane(offset, self.period) for offset in self._offsets}
        keys = (*((name, key) for key, name in self._keys.items()), *self._buckets.columns.items())
        calls = tuple((name, call) for call, name in self._calls.items())
        return algebra.Aggregate(window, (*keys, *times.items()), calls)

    @cached_property
    def stream_of_panes(self) -> Operator:
        """V: the rows of each pane, once."""
        return algebra.Istream(self.plan)

    @property
    def _arguments(self) -> list[Expression]:
        return [call.argument for call in self._calls if call.argument is not None]

    def member(self, one: Paned) -> Operator:
        """The aggregate over the panes."""
        block, group = one.form.block, self._group(one)
        values: Columns = {f"k:{at}": column(self._keys[key], key.type) for at, key in enumerate(one.keys)}
        for at, own in enumerate(one.calls):
            value = column(self._calls[own], own.type)
            values[f"f:{at}"] = zero_for_null(value) if own.function == "count" and not one.keys else value
        having = [substituted(condition, values) for condition in block.having]
        outputs = tuple((name, substituted(expr, values)) for name, expr in block.columns.items())
        return algebra.Project(selected(group, having), outputs)

    def _group(self, one: Paned) -> Operator:
        """The groups of the window, with all aggregates that any member has of them."""
        keys = frozenset(one.keys)
        if keys not in self._grouped:
            self._grouped[keys] = self._groups([m for m in self._family if frozenset(m.keys) == keys])
        groups = self._grouped[keys]
        return selected(self._refreshed(groups.plan, one), groups.marks(one))

    def _refreshed(self, groups: Operator, one: Paned) -> Operator:
        """The groups at the points of a member, for all members that have these: σ (ℜ P R) = ℜ P (σ R)."""
        points = one.form.block.times.points
        # Before the first point ℜ has no row, an aggregate without keys has one.
        if points.is_all or (points == Points.every(self.period, self.phase) and one.keys):
            return groups
        return self._synchronized.setdefault((id(groups), points), algebra.Synchronize(groups, points))

    def _groups(self, members: Sequence[Paned]) -> _Groups:
        """All members with the same keys in one aggregate."""
        conditions = list(dict.fromkeys(frozenset(m.conditions) for m in members))
        windows = sorted({m.window.duration for m in members})
        calls = list(dict.fromkeys(c for m in members for c in m.calls))
        names = [self._calls[call] for call in calls]
        keys = sorted(self._keys[key] for key in members[0].keys)
        offsets = sorted({f"p:{self._offset(m)}" for m in members})
        marked = [
            self._marked(number, passed, [*keys, ENTERS, *offsets, *names])
            for number, passed in enumerate(conditions)
        ]
        by = [*keys, CONDITION, ENTERS, *offsets]
        # Each row of a pane is there for one period again, and needs not be taken back.
        rows = _union([algebra.Range(one, self.period - 1) for one in marked])
        panes = algebra.Istream(algebra.Aggregate(rows, _columns(rows, by), self._again(calls)))
        alive = algebra.Range(panes, windows[-1] + self.period)
        parts = []
        for duration in windows:
            used = {frozenset(m.conditions) for m in members if m.window.duration == duration}
            is_used = [
                call("eq", column(CONDITION, BIGINT), Literal(BIGINT, conditions.index(c))) for c in used
            ]
            mine = selected(alive, [_any(is_used)] if len(used) < len(conditions) else [])
            parts.append(self._in_window(mine, duration, [*keys, CONDITION, *names]))
        current: Operator
        current = algebra.When(_union(parts), Call(BOOLEAN, "lt", (Now(BIGINT), column(END, BIGINT))))
        if not keys:
            # There is a row even where no row of the panes is left: COUNT 0, SUM NULL.
            pairs = sorted({(conditions.index(frozenset(m.conditions)), m.window.duration) for m in members})
            current = _union([current, *(_nothing(current.schema, *marks) for marks in pairs)])
        groups = algebra.Aggregate(current, _columns(current, [*keys, CONDITION, WINDOW]), self._again(calls))
        return _Groups(groups, conditions)

    def _marked(self, number: int, passed: frozenset[Expression], names: Sequence[str]) -> Operator:
        """The panes' rows that pass the conditions, with the number of these."""
        passing = [self._buckets.condition(c) for c in sorted(passed, key=repr) if c not in self._common]
        rows = selected(self.stream_of_panes, passing)
        return algebra.Project(rows, (*_columns(rows, names), (CONDITION, Literal(BIGINT, number))))

    def _in_window(self, panes: Operator, duration: int, names: Sequence[str]) -> Operator:
        """The panes' rows, with the instant at which they leave a window: p + r + l."""
        pane = column(f"p:{(duration - self.phase) % self.period}", BIGINT)
        end = Call(BIGINT, "add", (pane, Literal(BIGINT, duration + self.period)))
        marks = ((WINDOW, Literal(BIGINT, duration)), (END, end))
        return algebra.Project(panes, (*_columns(panes, names), *marks))

    def _again(self, calls: Iterable[Aggregation]) -> tuple[tuple[str, Aggregation], ...]:
        """The aggregates of aggregates of parts."""
        parts = sorted({self._calls[call]: call for call in calls}.items())
        return tuple(
            (name, Aggregation(c.type, "sum" if c.function == "count" else c.function, column(name, c.type)))
            for name, c in parts
        )


@dataclass(frozen=True, slots=True)
class _Groups:
    """The groups of all members with the same keys, marked with conditions and windows."""

    plan: Operator
    conditions: list[frozenset[Expression]]

    def marks(self, one: Paned) -> list[Expression]:
        """The conditions for the rows of a member."""
        number = self.conditions.index(frozenset(one.conditions))
        values = {CONDITION: number, WINDOW: one.window.duration}
        return [call("eq", column(name, BIGINT), Literal(BIGINT, value)) for name, value in values.items()]


def _nothing(schema: Schema, condition: int, window: int) -> Operator:
    """A row that counts for nothing, always: zero, or NULL."""
    marks: dict[str, object] = {CONDITION: condition, WINDOW: window}
    return algebra.Project(
        algebra.Unit(), tuple((name, Literal(type_, marks.get(name))) for name, type_ in schema)
    )


def _columns(plan: Operator, names: Sequence[str]) -> tuple[tuple[str, Expression], ...]:
    return tuple((name, column(name, plan.schema.type_of(name))) for name in names)


def _any(conditions: Sequence[Expression]) -> Expression:
    return conditions[0] if len(conditions) == 1 else Call(BOOLEAN, "or", tuple(sorted(conditions, key=repr)))


def _union(plans: Sequence[Operator]) -> Operator:
    whole = plans[0]
    for plan in plans[1:]:
        whole = algebra.Union(whole, plan)
    return whole


def _pane(offset: int, period: int) -> Expression:
    """u - (u + offset) mod period"""
    time = column(TIME, BIGINT)
    moved = Call(BIGINT, "add", (time, Literal(BIGINT, offset))) if offset else time
    return Call(BIGINT, "subtract", (time, _modulo(moved, period)))


def _entering(phase: int, period: int) -> Expression:
    """u + (phase - u) mod period: the first step at or after u"""
    time = column(TIME, BIGINT)
    return Call(
        BIGINT, "add", (time, _modulo(Call(BIGINT, "subtract", (Literal(BIGINT, phase), time)), period))
    )


def _modulo(value: Expression, period: int) -> Expression:
    """The remainder that is never negative, unlike SQL's."""
    length = Literal(BIGINT, period)
    rest = Call(BIGINT, "modulo", (value, length))
    return Call(BIGINT, "modulo", (Call(BIGINT, "add", (rest, length)), length))
