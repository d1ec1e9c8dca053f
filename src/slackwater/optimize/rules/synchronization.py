"""Synchronization stands where it saves work.      SyncSQL 4.3

ℜ P R changes only at points of P, and there has what R has. So it commutes with every operator that looks at
one instant at a time; not with windows and `When`, which look at the time itself.
"""

from __future__ import annotations

from dataclasses import replace

from slackwater.algebra import (
    Aggregate,
    AntiJoin,
    Distinct,
    Join,
    Operator,
    Product,
    Project,
    Select,
    SemiJoin,
    Synchronize,
    Union,
)
from slackwater.base.rules import rule, whole
from slackwater.optimize.cost.estimate import Estimator
from slackwater.optimize.cost.statistics import NO_STATISTICS, Statistics
from slackwater.optimize.facts.failing import calls_user, may_fail
from slackwater.optimize.rebuild import with_below, with_inputs


@rule
def drop_synchronize_by_the_clock(plan: Synchronize) -> Operator | None:
    """ℜ P R = R, if P has every instant      SyncSQL 3.2"""
    match plan:
        case Synchronize() if plan.points.is_all:
            return plan.source
    return None


@rule
def merge_synchronize(plan: Synchronize) -> Operator | None:
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
def push_select_below_synchronize(plan: Select) -> Operator | None:
    """σ p (ℜ P R) = ℜ P (σ p R), if p cannot fail      SyncSQL corollary 2

    Fewer changes wait for the next point. Between points p sees rows that ℜ P R never shows, so it must not
    fail.
    """
    match plan:
        case Select(source=Synchronize() as below) if not may_fail(plan.predicate):
            return replace(below, source=plan.over(below.source))
    return None


@rule
def push_project_below_synchronize(plan: Project) -> Operator | None:
    """π f (ℜ P R) = ℜ P (π f R), if f cannot fail      SyncSQL corollary 2

    Rows that differ only in what f drops are one change, and the changes that wait are narrower.
    """
    match plan:
        case Project(source=Synchronize() as below) if not any(may_fail(expr) for _, expr in plan.columns):
            return replace(below, source=plan.over(below.source))
    return None


@rule
def push_synchronize_below_aggregate(plan: Synchronize) -> Operator | None:
    """ℜ P (α g f R) = α g f (ℜ P R), if g is not empty; the same for δ      SyncSQL corollary 2

    An aggregate then changes once for each point instead of at every change of its group. Without g there is
    always one row, even before the first point, where ℜ P has none.
    """
    return _pushed(plan, plan.source)


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


@whole
def place_synchronize(plan: Operator, statistics: Statistics = NO_STATISTICS) -> Operator:
    """ℜ P (Θ R S) = Θ (ℜ P R) (ℜ P S), if Θ looks at one instant at a time      SyncSQL corollary 2

    On the side that costs less by estimates, where something is known of every source. Below Θ, an aggregate
    changes once for each point, but all its input waits; above, what waits is only what Θ gives. A condition
    that may fail is not pulled out: between points it would see rows that ℜ P R never shows.
    """
    return _Placing(Estimator(statistics)).placed(plan)


class _Placing:
    def __init__(self, estimator: Estimator) -> None:
        self._estimator = estimator
        self._done: dict[int, tuple[Operator, Operator]] = {}

    def placed(self, plan: Operator) -> Operator:
        """The plan with each synchronization above or below an operator, whichever is cheaper."""
        if id(plan) not in self._done:
            again = with_below(plan, tuple(self.placed(one) for one in (*plan.inputs, *plan.subplans)))
            other = _inside(again) or _outside(again)
            if other is not None and self._estimator.statistics.knows(again):
                is_better = self._estimator.cost(other) < self._estimator.cost(again)
                again = other if is_better else again
            self._done[id(plan)] = (plan, again)
        return self._done[id(plan)][1]


def _inside(plan: Operator) -> Operator | None:
    """Θ (ℜ P R) (ℜ P S) for ℜ P (Θ R S)."""
    if not isinstance(plan, Synchronize) or not _looks_at_instants(plan.source):
        return None
    return with_inputs(plan.source, tuple(replace(plan, source=one) for one in plan.source.inputs))


def _outside(plan: Operator) -> Operator | None:
    """ℜ P (Θ R S) for Θ (ℜ P R) (ℜ P S)."""
    below = [one for one in plan.inputs if isinstance(one, Synchronize)]
    if not below or len(below) < len(plan.inputs) or not _looks_at_instants(plan):
        return None
    first = below[0]
    if any((one.points, one.events) != (first.points, first.events) for one in below[1:]):
        return None
    if any(map(may_fail, plan.expressions)) or calls_user(plan):
        return None
    return replace(first, source=with_inputs(plan, tuple(one.source for one in below)))


def _looks_at_instants(plan: Operator) -> bool:
    """Whether the rows of an instant follow from those of the inputs, and there are none before the first."""
    if isinstance(plan, Aggregate):
        return bool(plan.keys)
    return isinstance(plan, Distinct | Join | Product | SemiJoin | AntiJoin | Union) and not plan.subplans


RULES = (
    drop_synchronize_by_the_clock,
    merge_synchronize,
    push_select_below_synchronize,
    push_project_below_synchronize,
    push_synchronize_below_aggregate,
)
