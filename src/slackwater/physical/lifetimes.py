"""Lifetimes as columns: a round of a recursion over rows that carry when they are alive.

    x ⋈ y    alive from the later of both starts to the earlier of both ends, if that is after

A machine that runs this plan has rounds as its instants, so that the instants of rows are values. Then all
instants of an epoch take part in one round, and a change of an input costs what it changes.
"""

from __future__ import annotations

from dataclasses import replace

from slackwater import algebra
from slackwater.algebra import Operator
from slackwater.algebra.expressions import Call, Case, Expression, column, conjunction
from slackwater.algebra.recursion import ITSELF
from slackwater.algebra.schema import Schema
from slackwater.algebra.types import BIGINT, BOOLEAN
from slackwater.optimize.facts.failing import may_fail
from slackwater.optimize.phases import optimized

SINCE, UNTIL, ROUND = "~from", "~to", "~round"
"""The columns of a row's lifetime, and of the round that it is from, or the last that it is derived from."""


def with_lifetimes(plan: algebra.Recursion) -> Operator | None:
    """The body over rows with lifetimes, linear in each relation that it reads; None if it is not.

    With UNION only sets count, so that a DISTINCT in the body is left out. What it gives has the last round
    of the recursion's rows that it is made of.
    """
    if any(name.startswith("~") for node in plan.body.plan.walk() for name in node.schema.names):
        return None
    timed = _timed(plan.body.plan, plan.distinct)
    if timed is None or ROUND not in timed.schema.names:
        return None
    names = plan.schema.names
    columns = zip(names, plan.body.plan.schema.columns, strict=True)
    made = [(name, column(old, type_)) for name, (old, type_) in columns]
    return optimized(algebra.Project(timed, tuple(made) + _as_columns((SINCE, UNTIL, ROUND))))


def _timed(plan: Operator, distinct: bool) -> Operator | None:
    """The plan with the columns of lifetimes behind its own."""
    if plan.subplans:
        return None
    below = [_timed(source, distinct) for source in plan.inputs]
    sources = [source for source in below if source is not None]
    if len(sources) < len(below):
        return None
    match plan:
        case algebra.Relation():
            names = [SINCE, UNTIL, ROUND] if plan.name == ITSELF else [SINCE, UNTIL]
            return replace(plan, columns=plan.schema + _columns(names), append_only=False)
        case algebra.Select() | algebra.Group() | algebra.Unnest():
            return plan.over(sources[0])
        case algebra.Project():
            return replace(plan, source=sources[0], columns=plan.columns + _as_columns(_times(sources[0])))
        case algebra.Distinct():
            return sources[0] if distinct else None
        case algebra.Union():
            return _union(plan, sources[0], sources[1])
        case algebra.Product():
            return _pairs(plan, sources[0], sources[1], None)
        case algebra.Join() if not may_fail(plan.on):
            return _pairs(plan, sources[0], sources[1], plan.on)
    return None


def _union(plan: algebra.Union, left: Operator, right: Operator) -> Operator | None:
    if _times(left) != _times(right):
        return None
    sides = []
    for source, own in ((left, plan.left), (right, plan.right)):
        pairs = zip(plan.left.schema.names, own.schema.columns, strict=True)
        columns = tuple((name, column(old, type_)) for name, (old, type_) in pairs)
        sides.append(algebra.Project(source, columns + _as_columns(_times(left))))
    return algebra.Union(*sides)


def _pairs(plan: Operator, left: Operator, right: Operator, on: Expression | None) -> Operator:
    """The pairs that are alive together."""
    other = _renamed(right)
    overlap = [_less(SINCE, _other(UNTIL)), _less(_other(SINCE), UNTIL)]
    joined = algebra.Join(left, other, _all([*([] if on is None else [on]), *overlap]))
    times = [(SINCE, _chosen(SINCE, later=True)), (UNTIL, _chosen(UNTIL, later=False))]
    rounds = [name for name in (ROUND, _other(ROUND)) if name in joined.schema.names]
    if rounds:
        last = _chosen(ROUND, later=True) if len(rounds) > 1 else column(rounds[0], BIGINT)
        times.append((ROUND, last))
    return algebra.Project(joined, _as_columns(plan.schema.names, plan.schema) + tuple(times))


def _less(name: str, other: str) -> Expression:
    return Call(BOOLEAN, "lt", (column(name, BIGINT), column(other, BIGINT)))


def _chosen(name: str, *, later: bool) -> Expression:
    """The later or the earlier of both sides' times."""
    mine, theirs = column(name, BIGINT), column(_other(name), BIGINT)
    is_other = _less(name, _other(name)) if later else _less(_other(name), name)
    return Case(BIGINT, ((is_other, theirs),), mine)


def _renamed(plan: Operator) -> Operator:
    """The right side of a pair, whose lifetime needs names of its own."""
    columns = tuple(
        (_other(name) if name in (SINCE, UNTIL, ROUND) else name, column(name, type_))
        for name, type_ in plan.schema
    )
    return algebra.Project(plan, columns)


def _other(name: str) -> str:
    return f"{name} of the other"


def _all(conditions: list[Expression]) -> Expression:
    condition = conjunction(conditions)
    assert condition is not None
    return condition


def _times(plan: Operator) -> tuple[str, ...]:
    return tuple(name for name in (SINCE, UNTIL, ROUND) if name in plan.schema.names)


def _columns(names: list[str]) -> Schema:
    return Schema(tuple((name, BIGINT) for name in names))


def _as_columns(names: tuple[str, ...], schema: Schema | None = None) -> tuple[tuple[str, Expression], ...]:
    return tuple((name, column(name, BIGINT if schema is None else schema.type_of(name))) for name in names)
