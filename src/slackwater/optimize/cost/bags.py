"""The estimates of what counts rows: bags, groups, and changes as streams."""

from __future__ import annotations

from dataclasses import replace

from slackwater.algebra import Aggregate, Over
from slackwater.algebra.expressions import Case, Column, Expression, Literal
from slackwater.algebra.types import BOOLEAN
from slackwater.optimize.cost.estimates import LOOK, VALUES, Estimate, combinations, occupied
from slackwater.optimize.cost.statistics import width_of

Inputs = tuple[Estimate, ...]
_LINEAR = ("count", "sum", "try_sum", "avg", "variance", "stddev")
"""Aggregates that keep sums; others keep the values."""


def distinct_of(expr: Expression, source: Estimate) -> float:
    """How many values an expression has: at most as many as there are combinations of its columns."""
    names = {node.name for node in expr.walk() if isinstance(node, Column)}
    count = combinations(source.distinct_of(name) for name in names)
    match expr:
        case Case(branches=branches, otherwise=Literal()) if all(
            isinstance(value, Literal) for _, value in branches
        ):
            return min(count, len(branches) + 1.0)
    return min(count, 2.0) if expr.type == BOOLEAN else count


def distinct_rows(source: Estimate) -> Estimate:
    """A row appears where it was absent, and disappears with its last copy."""
    rows = combinations(source.distinct.values())
    alive = occupied(rows, source.alive)
    absent = 1.0 - min(1.0, alive / rows)
    state = alive + source.future_ends
    return replace(
        source, rate=source.rate * absent, ends=source.ends * absent, retracted=0.0, alive=alive,
        work=source.elements + source.ends, weight=1.0, state=state, state_bytes=state * source.width,
        moved=source.flow,
    )  # fmt: skip


def counted(inputs: Inputs, share: float, other: float) -> Estimate:
    """Copies of two bags compared: so much of the left side and of the right side is given."""
    left, right = inputs
    return replace(
        left,
        rate=left.rate * share + right.rate * other,
        ends=left.ends * share + right.ends * other,
        retracted=0.0,
        alive=left.alive * share + right.alive * other,
        work=sum(one.elements + one.ends for one in inputs),
        weight=1.0,
        state=left.alive + right.alive,
        state_bytes=left.alive * left.width + right.alive * right.width,
        moved=left.flow + right.flow,
        is_default=left.is_default or right.is_default,
    )


def in_both(inputs: Inputs) -> float:
    """The share of the left side that the right side has, too."""
    left, right = inputs
    rows = combinations(left.distinct.values())
    return min(1.0, occupied(rows, right.alive) / rows)


def together(inputs: Inputs) -> Estimate:
    """The elements of both sides."""
    left, right = inputs
    return Estimate(
        left.rate + right.rate, left.ends + right.ends, left.retracted + right.retracted,
        left.alive + right.alive,
        {name: max(left.distinct_of(name), right.distinct_of(name)) for name in left.distinct},
        left.width, work=left.elements + right.elements, weight=LOOK, period=min(left.period, right.period),
        end_period=min(left.end_period, right.end_period), is_default=left.is_default or right.is_default,
    )  # fmt: skip


def grouped(plan: Aggregate, source: Estimate) -> Estimate:
    """A group changes at the instants at which a row of it begins or ends."""
    keys = {name: distinct_of(expr, source) for name, expr in plan.keys}
    groups = occupied(combinations(keys.values()), source.alive) if plan.keys else 1.0
    touched = _touched(max(groups, 1.0), source)
    is_linear = all(call.function in _LINEAR and not call.distinct for _, call in plan.aggregations)
    state = groups + (source.future_ends if is_linear else source.alive)
    width = width_of(plan.schema)
    return Estimate(
        touched, touched, touched, groups,
        {**dict.fromkeys((name for name, _ in plan.aggregations), max(groups, 1.0)), **keys},
        width, work=source.elements + source.ends + 2 * touched, weight=1.0 if is_linear else VALUES,
        state=state, state_bytes=state * width, moved=source.flow, period=source.period,
        end_period=min(source.period, source.end_period),
        is_default=source.is_default,
    )  # fmt: skip


def placed(plan: Over, source: Estimate) -> Estimate:
    """The rows of a partition are ordered anew where one begins or ends; half of them change their place."""
    keys = [source.distinct_of(name) for name in plan.partition]
    partitions = max(occupied(combinations(keys), source.alive), 1.0) if keys else 1.0
    size = source.alive / partitions
    seen = size if plan.limit is None else min(size, float(plan.limit[1]))
    changed = _touched(partitions, source) * max(seen / 2, 1.0)
    width = width_of(plan.schema)
    distinct = {**source.distinct, **dict.fromkeys((name for name, _ in plan.calls), max(size, 1.0))}
    return Estimate(
        changed, changed, changed, partitions * seen, distinct, width,
        work=source.elements + source.ends + 2 * changed, weight=VALUES, state=source.alive,
        state_bytes=source.alive * source.width, moved=source.flow, period=source.period,
        end_period=min(source.period, source.end_period), is_default=source.is_default,
    )  # fmt: skip


def _touched(groups: float, source: Estimate) -> float:
    """How many groups change per chronon: each once at an instant at which some of its rows begin or end."""
    if source.period == source.end_period:
        return occupied(groups, (source.rate + source.ends) * source.period) / source.period
    begin = occupied(groups, source.rate * source.period) / source.period
    return begin + occupied(groups, source.ends * source.end_period) / source.end_period


def streamed(source: Estimate, rate: float) -> Estimate:
    """Changes of a relation, or its rows, as a stream."""
    return replace(
        source, rate=rate, ends=rate, retracted=0.0, alive=rate, work=source.elements + source.ends + rate,
        weight=1.0, state=source.alive, state_bytes=source.alive * source.width, moved=source.flow,
    )  # fmt: skip
