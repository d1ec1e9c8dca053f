"""The estimate of each operator, from the estimates of its inputs and the statistics of sources.

    λ  elements that begin per chronon        ε  rows that end        R  rows alive

    stream S            λ                     R = λ, the rows of an instant
    ω r S               λ, ε = λ              R = λ (r + 1)            Little's law; CQL's range has both ends
    σ p R               s λ                   s R
    α g f R             groups that λ + ε changes touch                R = groups of which rows are alive

Only estimates: no answer depends on them. An operator without a formula of its own passes on what it gets.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import singledispatch

from slackwater import algebra
from slackwater.algebra import Operator
from slackwater.algebra.expressions import Column, Expression, conjuncts
from slackwater.base.depth import deep
from slackwater.optimize.build import TRUE
from slackwater.optimize.cost.bags import (
    counted,
    distinct_of,
    distinct_rows,
    grouped,
    in_both,
    placed,
    streamed,
    together,
)
from slackwater.optimize.cost.bestmatch import best
from slackwater.optimize.cost.estimates import LOOK, Estimate
from slackwater.optimize.cost.joins import halved, joined, matching
from slackwater.optimize.cost.selectivity import PATTERN, selectivity
from slackwater.optimize.cost.statistics import DISTINCT, RATE, ROWS, Statistics, width_of
from slackwater.optimize.cost.synchronization import density, held_back, in_window
from slackwater.optimize.cost.windows import assigned, in_session, in_sessions, nested, newest, windowed

Inputs = tuple[Estimate, ...]
ELEMENTS = 5.0
"""How many elements an array is taken to have."""


class Estimator:
    """The estimates of plans under one set of statistics; an operator is estimated once."""

    def __init__(self, statistics: Statistics) -> None:
        self.statistics = statistics
        self._known: dict[int, tuple[Operator, Estimate]] = {}

    @deep()
    def estimate(self, plan: Operator) -> Estimate:
        """What the plan gives and does, at its root."""
        if id(plan) not in self._known:
            inputs = tuple(self.estimate(source) for source in plan.inputs)
            self._known[id(plan)] = (plan, estimate(plan, inputs, self.statistics))
        return self._known[id(plan)][1]

    def cost(self, plan: Operator) -> float:
        """The cost of all operators of the plan; of what stands at several places once."""
        return sum(self.estimate(node).cost for node in plan.walk())

    def assume(self, plan: Operator, estimate: Estimate) -> None:
        """Take an estimate of the plan from elsewhere."""
        self._known[id(plan)] = (plan, estimate)


@singledispatch
def estimate(plan: Operator, inputs: Inputs, statistics: Statistics) -> Estimate:
    """The estimate of an operator; here, of one without a formula of its own: as its largest input."""
    largest = max(inputs, key=lambda one: one.alive, default=None)
    if largest is None:
        distinct = dict.fromkeys(plan.schema.names, DISTINCT)
        return Estimate(RATE, RATE, 0.0, RATE, distinct, width_of(plan.schema), is_default=True)
    elements = sum(one.elements for one in inputs)
    distinct = {name: largest.distinct_of(name) for name in plan.schema.names}
    return largest.passing(2 * elements, distinct=distinct, width=width_of(plan.schema))


@estimate.register
def _(plan: algebra.Stream, inputs: Inputs, statistics: Statistics) -> Estimate:
    known = statistics.of(plan)
    rate = statistics.rate if known.rate is None else known.rate
    distinct = {name: known.distinct.get(name.lower(), DISTINCT) for name in plan.schema.names}
    width = width_of(plan.schema) if known.width is None else known.width
    return Estimate(
        rate, rate, 0.0, rate, distinct, width, work=rate, weight=LOOK, is_default=not known.is_known
    )


@estimate.register
def _(plan: algebra.Relation, inputs: Inputs, statistics: Statistics) -> Estimate:
    known = statistics.of(plan)
    rows = ROWS if known.rows is None else known.rows
    changed = known.rate or 0.0
    unique = {plan.key[0]: rows} if len(plan.key) == 1 else {}
    distinct = {
        name: known.distinct.get(name.lower(), unique.get(name, DISTINCT)) for name in plan.schema.names
    }
    width = width_of(plan.schema) if known.width is None else known.width
    rate = changed + rows / statistics.horizon
    return Estimate(
        rate, changed, changed, rows, distinct, width,
        work=rate + changed, state=rows, state_bytes=rows * width, is_default=not known.is_known,
    )  # fmt: skip


@estimate.register
def _(plan: algebra.Unit, inputs: Inputs, statistics: Statistics) -> Estimate:
    return Estimate(1.0 / statistics.horizon, 0.0, 0.0, 1.0, {}, width_of(plan.schema))


@estimate.register
def _(plan: algebra.Select, inputs: Inputs, statistics: Statistics) -> Estimate:
    (source,) = inputs
    share = selectivity(plan.predicate, source.distinct_of, statistics)
    distinct = {**source.distinct, **dict.fromkeys(_fixed(plan.predicate), 1.0)}
    return _share(source, share, distinct)


def _fixed(predicate: Expression) -> list[str]:
    """The columns that a condition holds at one value."""
    names = []
    for part in conjuncts(predicate):
        match part:
            case algebra.expressions.Call(function="eq", arguments=(Column() as one, other)):
                names += [one.name] if not isinstance(other, Column) else []
    return names


def _share(source: Estimate, share: float, distinct: dict[str, float]) -> Estimate:
    return source.passing(
        source.elements, rate=source.rate * share, ends=source.ends * share,
        retracted=source.retracted * share, alive=source.alive * share, distinct=distinct,
    )  # fmt: skip


@estimate.register
def _(plan: algebra.Project, inputs: Inputs, statistics: Statistics) -> Estimate:
    (source,) = inputs
    distinct = {name: distinct_of(expr, source) for name, expr in plan.columns}
    projected = source.passing(source.elements, distinct=distinct, width=width_of(plan.schema))
    is_computed = any(not isinstance(expr, Column) for _, expr in plan.columns)
    return projected if is_computed else replace(projected, weight=0.0)


@estimate.register
def _(plan: algebra.Group, inputs: Inputs, statistics: Statistics) -> Estimate:
    (source,) = inputs
    share = 1.0 / source.distinct_of(plan.by.name) if isinstance(plan.by, Column) else PATTERN
    return _share(source, share, {**source.distinct})


@estimate.register
def _(plan: algebra.Unnest, inputs: Inputs, statistics: Statistics) -> Estimate:
    (source,) = inputs
    distinct = {name: source.distinct.get(name, DISTINCT) for name in plan.schema.names}
    longer = _share(source, ELEMENTS, distinct)
    return replace(longer, width=width_of(plan.schema))


@estimate.register
def _(plan: algebra.Range, inputs: Inputs, statistics: Statistics) -> Estimate:
    (source,) = inputs
    lifetime = math.inf if plan.is_unbounded else plan.duration + 1.0
    waiting = source.rate * plan.slide / 2 if plan.slide != 1 else 0.0
    slid = windowed(source, lifetime, statistics, waiting)
    return replace(slid, period=max(source.period, plan.slide), end_period=max(source.period, plan.slide))


@estimate.register
def _(plan: algebra.Sliding, inputs: Inputs, statistics: Statistics) -> Estimate:
    return windowed(inputs[0], plan.size, statistics)


@estimate.register
def _(plan: algebra.Fixed, inputs: Inputs, statistics: Statistics) -> Estimate:
    """An element of a section lives from its instant to the end, (w + 1) / 2 on average."""
    return replace(windowed(inputs[0], (plan.size + 1) / 2, statistics), end_period=float(plan.size))


@estimate.register
def _(plan: algebra.Rows, inputs: Inputs, statistics: Statistics) -> Estimate:
    return newest(plan, inputs[0], statistics)


@estimate.register
def _(plan: algebra.NestedRows, inputs: Inputs, statistics: Statistics) -> Estimate:
    return nested(plan, inputs[0], statistics)


@estimate.register
def _(plan: algebra.Session, inputs: Inputs, statistics: Statistics) -> Estimate:
    return in_session(plan, inputs[0], statistics)


@estimate.register
def _(plan: algebra.Assign, inputs: Inputs, statistics: Statistics) -> Estimate:
    return assigned(plan, inputs[0])


@estimate.register
def _(plan: algebra.Sessions, inputs: Inputs, statistics: Statistics) -> Estimate:
    return in_sessions(plan, inputs[0])


@estimate.register
def _(plan: algebra.Product, inputs: Inputs, statistics: Statistics) -> Estimate:
    left, right = inputs
    return joined(matching(TRUE, left, right, statistics), left, right, plan.schema)


@estimate.register
def _(plan: algebra.Join, inputs: Inputs, statistics: Statistics) -> Estimate:
    left, right = inputs
    return joined(matching(plan.on, left, right, statistics), left, right, plan.schema)


@estimate.register
def _(plan: algebra.SemiJoin, inputs: Inputs, statistics: Statistics) -> Estimate:
    left, right = inputs
    return halved(matching(plan.on, left, right, statistics), left, right, partnered=True)


@estimate.register
def _(plan: algebra.AntiJoin, inputs: Inputs, statistics: Statistics) -> Estimate:
    left, right = inputs
    return halved(matching(plan.on, left, right, statistics), left, right, partnered=False)


@estimate.register
def _(plan: algebra.OuterJoin, inputs: Inputs, statistics: Statistics) -> Estimate:
    """The pairs, and the rows without partners of the sides that keep them."""
    left, right = inputs
    match = matching(plan.on, left, right, statistics)
    whole = joined(match, left, right, plan.schema)
    for side, here, there in (("right", left, right), ("left", right, left)):
        if plan.side != side:
            whole = whole.plus(halved(match, here, there, partnered=False))
    return whole


@estimate.register
def _(plan: algebra.DependentJoin, inputs: Inputs, statistics: Statistics) -> Estimate:
    """A row of the query for each row; the optimizer makes a join of it, which has a formula of its own."""
    (source,) = inputs
    distinct = {name: source.distinct.get(name, DISTINCT) for name in plan.schema.names}
    return source.passing(source.elements, distinct=distinct, width=width_of(plan.schema))


@estimate.register
def _(plan: algebra.Recursion, inputs: Inputs, statistics: Statistics) -> Estimate:
    """Each round is taken to add as many rows as there are at the start, in a few rounds."""
    start = inputs[0]
    rows = ELEMENTS * start.alive
    distinct = {name: start.distinct_of(name) for name in plan.schema.names}
    changes = sum(one.elements for one in inputs)
    made = start.passing(
        ELEMENTS * changes, rate=ELEMENTS * start.rate, ends=ELEMENTS * start.ends, alive=rows,
        distinct=distinct,
    )  # fmt: skip
    return replace(made, state=rows + sum(one.alive for one in inputs))


@estimate.register
def _(plan: algebra.Recognize, inputs: Inputs, statistics: Statistics) -> Estimate:
    """A match for a few rows; of rows that are not decided, as many as come within its time."""
    (source,) = inputs
    distinct = {name: source.distinct.get(name, DISTINCT) for name in plan.schema.names}
    fewer = _share(source, 1.0 / ELEMENTS, distinct)
    waiting = source.rate * min(plan.within, statistics.horizon)
    return replace(fewer, width=width_of(plan.schema), state=waiting)


@estimate.register
def _(plan: algebra.BestMatch, inputs: Inputs, statistics: Statistics) -> Estimate:
    left, right = inputs
    return best(plan, matching(plan.admits, left, right, statistics), left, right)


@estimate.register
def _(plan: algebra.Distinct, inputs: Inputs, statistics: Statistics) -> Estimate:
    return distinct_rows(inputs[0])


@estimate.register
def _(plan: algebra.Single, inputs: Inputs, statistics: Statistics) -> Estimate:
    (source,) = inputs
    return replace(
        source, work=source.elements, weight=1.0, state=source.alive, state_bytes=source.alive * source.width
    )


@estimate.register
def _(plan: algebra.Union, inputs: Inputs, statistics: Statistics) -> Estimate:
    return together(inputs)


@estimate.register(algebra.Except)
@estimate.register(algebra.StrictDifference)
def _(plan: Operator, inputs: Inputs, statistics: Statistics) -> Estimate:
    return counted(inputs, 1.0 - in_both(inputs), 0.0)


@estimate.register
def _(plan: algebra.Intersect, inputs: Inputs, statistics: Statistics) -> Estimate:
    return counted(inputs, in_both(inputs), 0.0)


@estimate.register
def _(plan: algebra.MaxUnion, inputs: Inputs, statistics: Statistics) -> Estimate:
    return counted(inputs, 1.0, 1.0 - in_both(inputs[::-1]))


@estimate.register
def _(plan: algebra.Aggregate, inputs: Inputs, statistics: Statistics) -> Estimate:
    return grouped(plan, inputs[0])


@estimate.register
def _(plan: algebra.Over, inputs: Inputs, statistics: Statistics) -> Estimate:
    return placed(plan, inputs[0])


@estimate.register
def _(plan: algebra.Istream, inputs: Inputs, statistics: Statistics) -> Estimate:
    return streamed(inputs[0], inputs[0].rate)


@estimate.register
def _(plan: algebra.Dstream, inputs: Inputs, statistics: Statistics) -> Estimate:
    return streamed(inputs[0], inputs[0].ends)


@estimate.register
def _(plan: algebra.Rstream, inputs: Inputs, statistics: Statistics) -> Estimate:
    return streamed(inputs[0], inputs[0].alive)


@estimate.register
def _(plan: algebra.Ticks, inputs: Inputs, statistics: Statistics) -> Estimate:
    rate = density(plan.points)
    return Estimate(
        rate, rate, 0.0, rate, {plan.column: statistics.horizon}, width_of(plan.schema), work=rate,
        weight=LOOK,
    )  # fmt: skip


@estimate.register
def _(plan: algebra.Stamp, inputs: Inputs, statistics: Statistics) -> Estimate:
    (source,) = inputs
    distinct = {**source.distinct, plan.column: statistics.horizon}
    return source.passing(source.elements, distinct=distinct, width=width_of(plan.schema))


@estimate.register
def _(plan: algebra.When, inputs: Inputs, statistics: Statistics) -> Estimate:
    return in_window(inputs[0])


@estimate.register
def _(plan: algebra.Synchronize, inputs: Inputs, statistics: Statistics) -> Estimate:
    source, *events = inputs
    return held_back(source, min(1.0, density(plan.points) + sum(one.rate for one in events)))
