"""SYNC BY: the time points at which a relation is refreshed.      SyncSQL 3.1, 3.2"""

from __future__ import annotations

from sqlglot import exp

from slackwater import algebra
from slackwater.algebra import Operator
from slackwater.algebra.expressions import Column
from slackwater.algebra.points import Points
from slackwater.base.diagnostic import Diagnostic, quoted
from slackwater.base.span import Span
from slackwater.base.time import INFINITY, Clock
from slackwater.bind.binding import Binding
from slackwater.bind.synchronization import problems
from slackwater.optimize.facts.time_points import TimePoints, full_points, time_points

_CONDITION = "its condition does not compare Timepoint, or Timepoint MOD a number, with constants"


def synchronized(plan: Operator, at: TimePoints, span: Span) -> Operator:
    """The relation, refreshed at these points."""
    return algebra.Synchronize(plan, at.points, at.events, origin=span)


def points_of(stream: Operator, name: str, span: Span, binding: Binding) -> TimePoints | None:
    """The points of a synchronization stream; None, and an error, where it is none."""
    at = time_points(stream)
    if at is None:
        why = _why_not(stream)
        binding.report(problems.NOT_SYNCHRONIZATION.at(span, name=name, why=why))
    elif at.events is None and at.points.is_empty:
        binding.report(problems.EMPTY_SYNCHRONIZATION.at(span, name=name))
        return None
    elif note := _ends(at, name, span, binding.catalog.clock):
        binding.note(note)
    return at


def periodic(period: int, offset: int) -> TimePoints:
    """SYNC BY EVERY period OFFSET offset."""
    return TimePoints(Points.every(period, offset))


def at_full_points(plan: Operator, node: exp.Expression, binding: Binding) -> Operator | None:
    """The relation, refreshed where it reflects all its inputs; None, and an error, if that is not known."""
    points = full_points(plan)
    span = binding.span(node)
    if points is None:
        binding.report(problems.NO_FULL_POINTS.at(span))
        return None
    return synchronized(plan, points, span)


def _why_not(stream: Operator) -> str:
    names = stream.schema.names
    if len(names) != 1:
        return f"it has the columns {quoted(names)}"
    if any(isinstance(node, algebra.Ticks) for node in stream.walk()):
        projects = [node for node in stream.walk() if isinstance(node, algebra.Project)]
        is_computed = any(not isinstance(value, Column) for node in projects for _, value in node.columns)
        return f'"{names[0]}" is not Timepoint itself' if is_computed else _CONDITION
    return f'"{names[0]}" is not known to be the time of its row'


def _ends(at: TimePoints, name: str, span: Span, clock: Clock) -> Diagnostic | None:
    """The note on points that end."""
    if at.events is not None or any(one.until == INFINITY for one in at.points.classes):
        return None
    last = at.points.floor(INFINITY - 1)
    return (
        None if last is None else problems.LAST_SYNCHRONIZATION.at(span, name=name, last=clock.format(last))
    )
