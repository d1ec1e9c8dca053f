"""Conditions on the current time: conjuncts with NOW become predicate windows.      SyncSQL 2.2

Now view        SELECT 1 AS KEY, MAX(T.Timepoint) AS currTime FROM R(clockStr) T
joined in       FROM R(S) R, R(NowView) N WHERE N.currTime - 5 < R.TS AND R.TS <= N.currTime

A Now view that is used only in conditions is not joined: its columns are replaced by what they are, and no
plan has to tick.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from slackwater import algebra
from slackwater.algebra import Operator
from slackwater.algebra.expressions import (
    Call,
    Cast,
    Column,
    Expression,
    Literal,
    Now,
    Subquery,
    conjunction,
    conjuncts,
)
from slackwater.algebra.now import has_now, thresholds
from slackwater.algebra.points import ALL, Points
from slackwater.algebra.synchronization import TIMEPOINT
from slackwater.base.time import Clock
from slackwater.bind.binding import Binding
from slackwater.bind.synchronization import problems
from slackwater.optimize.facts.time_points import time_points
from slackwater.optimize.rebuild import substituted

_LOGIC = ("and", "or", "not")


@dataclass(frozen=True, slots=True)
class NowView:
    """What the columns of a Now view are: constants, and the newest of its points."""

    columns: dict[str, Expression]
    points: Points


class Current(NamedTuple):
    """A column of a Now view that is not in the plan: its value, and the points of its view."""

    value: Expression
    points: Points


def now_view(plan: Operator) -> NowView | None:
    """The Now view that the plan is: one row of constants and of the newest point of a set of points.

    Before the first point SQL's MAX is NULL, and no condition on it holds; nor has a `When` a row then.
    """
    values = {name: Column(type_, name) for name, type_ in plan.schema}
    shown: dict[str, Expression] = dict(values)
    while isinstance(plan, algebra.Project):
        shown = {name: substituted(value, dict(plan.columns)) for name, value in shown.items()}
        plan = plan.source
    if not isinstance(plan, algebra.Aggregate) or plan.keys or len(plan.aggregations) != 1:
        return None
    ((newest, call),) = plan.aggregations
    if call.function != "max" or not isinstance(call.argument, Column):
        return None
    at = time_points(algebra.Project(plan.source, ((TIMEPOINT, call.argument),)))
    if at is None or at.events is not None:
        return None
    current = {newest: Now(call.type)}
    columns = {name: substituted(value, current) for name, value in shown.items()}
    return NowView(columns, at.points) if all(map(_is_plain, columns.values())) else None


def _is_plain(value: Expression) -> bool:
    return isinstance(value, Now | Literal) or (
        isinstance(value, Cast) and isinstance(value.operand, Literal)
    )


def filtered(plan: Operator, condition: Expression, binding: Binding) -> Operator | None:
    """σ condition; conjuncts with NOW are predicate windows above it.

    None, and an error, where one is not; None without an error if only a Now view prevents it.
    """
    still, windows = split(condition, binding)
    if windows is None:
        return None
    rest = conjunction(still)
    if rest is not None:
        plan = algebra.Select(plan, rest, origin=condition.origin)
    return with_windows(plan, windows)


def with_windows(plan: Operator, windows: dict[Points, list[Expression]]) -> Operator:
    """The relation with its predicate windows, one for each set of points."""
    for points, conditions in windows.items():
        predicate = conjunction(conditions)
        assert predicate is not None
        plan = algebra.When(plan, predicate, points, origin=conditions[0].origin)
    return plan


def split(
    condition: Expression, binding: Binding
) -> tuple[list[Expression], dict[Points, list[Expression]] | None]:
    """The conjuncts without NOW, and those with it by the points at which it moves."""
    still: list[Expression] = []
    windows: dict[Points, list[Expression]] = {}
    for conjunct in conjuncts(condition):
        used = [binding.current[name] for name in _columns(conjunct) if name in binding.current]
        values = {name: current.value for name, current in binding.current.items()}
        predicate = substituted(conjunct, values) if used else conjunct
        if not has_now(predicate):
            still.append(predicate)
            continue
        sets = {current.points for current in used if isinstance(current.value, Now)} | (
            {ALL} if has_now(conjunct) else set()
        )
        if len(sets) != 1 or not _is_window(predicate, next(iter(sets)), binding.catalog.clock):
            if not used:
                binding.report(problems.NOW_NOT_COMPARED.at(conjunct.origin))
            return still, None
        windows.setdefault(next(iter(sets)), []).append(predicate)
    return still, windows


def _is_window(predicate: Expression, points: Points, clock: Clock) -> bool:
    """Whether it is true of a row in a few intervals that the row's values give, and never without a now."""
    if any(isinstance(part, Subquery) for part in predicate.walk()) or thresholds(predicate) is None:
        return False
    return clock.begin in points or _is_strict(predicate)


def _is_strict(predicate: Expression) -> bool:
    """Whether the condition is NULL where NOW is."""
    if isinstance(predicate, Call) and predicate.function in _LOGIC:
        return all(map(_is_strict, predicate.arguments))
    return has_now(predicate)


def _columns(expr: Expression) -> set[str]:
    return {part.name for part in expr.walk() if isinstance(part, Column)}
