"""Time points of plans: which instants a synchronization stream names, and at which an answer is complete.

    SELECT C.Timepoint FROM R(clockStr) C WHERE C.Timepoint MOD 2 = 0          every 2
    SELECT R.TS FROM R(TempStr) R WHERE R.Temperature > 120                    when such a row comes

Points of the clock are a set of instants; those that come with data are a stream. A union may have both.
SyncSQL 3.2, 4.1, 4.2.2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from slackwater import algebra
from slackwater.algebra import Kind, Operator
from slackwater.algebra.expressions import Call, Column, Expression, Literal, column, conjunction
from slackwater.algebra.operator import once
from slackwater.algebra.points import ALL, EARLIEST, NEVER, Class, Points, TooManyPoints
from slackwater.algebra.synchronization import TIMEPOINT
from slackwater.algebra.types import BIGINT, BOOLEAN
from slackwater.base.time import INFINITY
from slackwater.optimize.facts.clock_conditions import satisfying


@dataclass(frozen=True, slots=True)
class TimePoints:
    """A set of instants, and those at which a stream of data has an element."""

    points: Points
    events: Operator | None = None
    """A stream with the column `Timepoint`, the instant of the element."""

    def in_words(self, lasting: Callable[[int], str] = str) -> str:
        """The points as a user reads them; `lasting` writes a number of chronons."""
        if self.events is None:
            return self.points.in_words(lasting)
        return "by events" + ("" if self.points.is_empty else f" or {self.points.in_words(lasting)}")

    def __or__(self, other: TimePoints) -> TimePoints:
        return TimePoints(self.points | other.points, _together(algebra.Union, self.events, other.events))

    def __and__(self, other: TimePoints) -> TimePoints:
        points = TimePoints(self.points & other.points)
        if self.events is not None and other.events is not None:
            points |= TimePoints(NEVER, _together(algebra.Intersect, self.events, other.events))
        return points | self._events_in(other.points) | other._events_in(self.points)

    def _events_in(self, points: Points) -> TimePoints:
        """The events at these points."""
        if self.events is None or points.is_empty:
            return TimePoints(NEVER)
        return TimePoints(
            NEVER, self.events if points.is_all else algebra.Select(self.events, _is_in(points))
        )


def _together(
    operation: type[algebra.Union] | type[algebra.Intersect], one: Operator | None, other: Operator | None
) -> Operator | None:
    """The events of both streams. A point is a row of its own, so that operations on rows are on points."""
    if one is None or other is None or one == other:
        return one if other is None else other
    return algebra.Istream(operation(algebra.Range(one, INFINITY), algebra.Range(other, INFINITY)))


def _is_in(points: Points) -> Expression:
    """Whether an event is at one of the points."""
    point = column(TIMEPOINT, BIGINT)

    def compared(function: str, left: Expression, right: int) -> Expression:
        return Call(BOOLEAN, function, (left, Literal(BIGINT, right)))

    def one_class(one: Class) -> Expression:
        bounds = [compared("ge", point, one.since)] if one.since != EARLIEST else []
        bounds += [compared("lt", point, one.until)] if one.until != INFINITY else []
        # A remainder has the sign of the dividend: where t is negative, that of t ≡ r (mod p) is r - p.
        remainder = Call(BIGINT, "modulo", (point, Literal(BIGINT, one.period)))
        residues = sorted({one.residue, one.residue - one.period if one.residue else 0})
        is_residue = _any([compared("eq", remainder, residue) for residue in residues])
        return conjunction([*bounds, is_residue]) or is_residue

    return _any([one_class(one) for one in points.classes])


def _any(conditions: list[Expression]) -> Expression:
    """The conditions joined by OR."""
    joined = conditions[0]
    for condition in conditions[1:]:
        joined = Call(BOOLEAN, "or", (joined, condition))
    return joined


def time_points(plan: Operator) -> TimePoints | None:
    """The points of a synchronization stream, given as a stream or as its relation.

    It has one column, the point, and a row comes at its point. None where the plan does not show that, or
    where the points of the clock cannot be written as a few progressions.
    """
    if len(plan.schema) != 1:
        return None
    try:
        return _points(plan, plan.schema.names[0])
    except TooManyPoints:
        return None


def _points(plan: Operator, name: str) -> TimePoints | None:
    """The instants at which rows come, each of which has its instant in the column."""
    if not any(isinstance(below, algebra.Ticks) for below in plan.walk()):
        return TimePoints(NEVER, events_of(plan)) if comes_at(plan, name) else None
    match plan:
        case algebra.Ticks():
            return TimePoints(plan.points)
        case algebra.Range() if plan.is_unbounded and plan.slide == 1:
            return _points(plan.source, name)
        case algebra.Distinct() | algebra.Istream():
            return _points(plan.source, name)
        case algebra.Select():
            below, chosen = _points(plan.source, name), satisfying(plan.predicate, name)
            return None if below is None or chosen is None else below & TimePoints(chosen)
        case algebra.Project():
            source = _source_of(plan, name)
            return None if source is None else _points(plan.source, source)
        case algebra.Union() | algebra.MaxUnion() | algebra.Intersect():
            sides = [_points(side, side.schema.names[plan.schema.index(name)]) for side in plan.inputs]
            if sides[0] is None or sides[1] is None:
                return None
            return sides[0] & sides[1] if isinstance(plan, algebra.Intersect) else sides[0] | sides[1]
        case algebra.Except() | algebra.StrictDifference():
            left, right = (_points(side, name) for side in plan.inputs)
            if left is None or right is None or right.events is not None:
                return None
            return left & TimePoints(~right.points)
    return None


def comes_at(plan: Operator, name: str) -> bool:
    """Whether every row comes at the instant in the column: a stamp, in windows that show rows at once."""
    match plan:
        case algebra.Stamp(column=stamp):
            return name == stamp
        case algebra.Range(slide=1) | algebra.Rows(slide=1) | algebra.Sliding() | algebra.Fixed():
            return comes_at(plan.source, name)
        case algebra.Assign() if name in plan.source.schema:
            return not plan.subplans and comes_at(plan.source, name)
        case algebra.Select() | algebra.Group() | algebra.Distinct() | algebra.Istream():
            return not plan.subplans and comes_at(plan.source, name)
        case algebra.Project():
            source = _source_of(plan, name)
            return source is not None and not plan.subplans and comes_at(plan.source, source)
        case algebra.Union() | algebra.MaxUnion() | algebra.Intersect():
            place = plan.schema.index(name)
            return all(comes_at(side, side.schema.names[place]) for side in plan.inputs)
    return False


def _source_of(plan: algebra.Project, name: str) -> str | None:
    """The column of the input that a projection gives under the name."""
    expr = dict(plan.columns)[name]
    return expr.name if isinstance(expr, Column) else None


def events_of(plan: Operator) -> Operator:
    """The instants at which a stream has an element, or a relation a new row, as a stream of points."""
    stream = plan if plan.kind is Kind.STREAM else algebra.Istream(plan)
    instant = "@instant"
    stamped = algebra.Stamp(stream, instant, BIGINT)
    return algebra.Project(stamped, ((TIMEPOINT, column(instant, BIGINT)),))


@once
def full_points(plan: Operator) -> TimePoints | None:
    """The instants at which the answer reflects all input up to then.      SyncSQL propositions 1 and 2

    Those of a synchronized relation are its points; of several inputs, the points that all have in common.
    """
    try:
        common = TimePoints(ALL)
        for source in plan.inputs[:1] if isinstance(plan, algebra.Synchronize) else plan.inputs:
            below = full_points(source)
            if below is None:
                return None
            common &= below
        return common & _own_points(plan)
    except TooManyPoints:
        return None


def _own_points(plan: Operator) -> TimePoints:
    match plan:
        case algebra.Synchronize():
            return TimePoints(plan.points, None if plan.events is None else events_of(plan.events))
        case algebra.When():
            return TimePoints(plan.points)
        case algebra.Range(slide=slide) if slide > 1:
            return TimePoints(Points.every(slide))
    return TimePoints(ALL)
