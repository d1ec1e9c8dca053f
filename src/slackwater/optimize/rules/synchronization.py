"""Synchronization stands where it saves work.      SyncSQL 4.3

ℜ P R changes only at points of P, and there has what R has. So it commutes with every operator that looks at
one instant at a time; not with windows and `When`, which look at the time itself.
"""

from __future__ import annotations

from dataclasses import replace

from slackwater.algebra import Aggregate, Distinct, Operator, Project, Select, Synchronize
from slackwater.base.rules import rule
from slackwater.optimize.facts.failing import may_fail


@rule
def drop_synchronize_by_the_clock(plan: Operator) -> Operator | None:
    """ℜ P R = R, if P has every instant      SyncSQL 3.2"""
    match plan:
        case Synchronize() if plan.points.is_all:
            return plan.source
    return None


@rule
def merge_synchronize(plan: Operator) -> Operator | None:
    """ℜ Q (ℜ P R) = ℜ Q R, if Q ⊆ P      SyncSQL theorem 1, corollary 1

    At a point of Q, ℜ P R has what R has. Where Q has a point between two of P it does not: there ℜ P R has
    what R had at the last point of P.
    """
    match plan:
        case Synchronize(events=None, source=Synchronize() as inner) if plan.points <= inner.points:
            return replace(plan, source=inner.source)
        case Synchronize(source=Synchronize() as inner) if plan.events == inner.events:
            if plan.points <= inner.points:
                return replace(plan, source=inner.source)
    return None


@rule
def push_select_below_synchronize(plan: Operator) -> Operator | None:
    """σ p (ℜ P R) = ℜ P (σ p R), if p cannot fail      SyncSQL corollary 2

    Fewer changes wait for the next point. Between points p sees rows that ℜ P R never shows, so it must not
    fail.
    """
    match plan:
        case Select(source=Synchronize() as below) if not may_fail(plan.predicate):
            return replace(below, source=plan.over(below.source))
    return None


@rule
def push_project_below_synchronize(plan: Operator) -> Operator | None:
    """π f (ℜ P R) = ℜ P (π f R), if f cannot fail      SyncSQL corollary 2

    Rows that differ only in what f drops are one change, and the changes that wait are narrower.
    """
    match plan:
        case Project(source=Synchronize() as below) if not any(may_fail(expr) for _, expr in plan.columns):
            return replace(below, source=plan.over(below.source))
    return None


@rule
def push_synchronize_below_aggregate(plan: Operator) -> Operator | None:
    """ℜ P (α g f R) = α g f (ℜ P R), if g is not empty; the same for δ      SyncSQL corollary 2

    An aggregate then changes once for each point instead of at every change of its group. Without g there is
    always one row, even before the first point, where ℜ P has none.
    """
    match plan:
        case Synchronize():
            return _pushed(plan, plan.source)
    return None


def _pushed(plan: Synchronize, below: Operator) -> Operator | None:
    """The synchronization below an aggregate, past the conditions and projections that are above that."""
    match below:
        case Select() | Project():
            inside = _pushed(plan, below.source)
            return None if inside is None else below.over(inside)
        case Aggregate(keys=keys) if keys:
            return below.over(replace(plan, source=below.source))
        case Distinct():
            return below.over(replace(plan, source=below.source))
    return None


RULES = (
    drop_synchronize_by_the_clock,
    merge_synchronize,
    push_select_below_synchronize,
    push_project_below_synchronize,
    push_synchronize_below_aggregate,
)
