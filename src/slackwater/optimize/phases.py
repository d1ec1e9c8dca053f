"""The strategy: which laws are tried, and in what order.

Within a phase rules are applied until none fits. Between phases the order matters:

* subqueries first, because no other rule looks inside them, and with conditions that need no
  subquery already below them;
* then conditions go down, and products become joins on the way; projections of views on views become
  one, or each condition would have to pass all of them;
* then windows, which only see where they can go once conditions are past them;
* then the order of joins and the places of synchronization, by cost, where sources have statistics:
  conditions are at their inputs by then, and no projections are between joins yet;
* columns at last: which of them are used is known only when all other rules have been applied, and
  projections inserted earlier would keep conditions from going down.
"""

from __future__ import annotations

from typing import NamedTuple

from slackwater.algebra import Operator
from slackwater.base.depth import deep
from slackwater.base.diagnostic import Bug
from slackwater.base.rules import Pass, Rule, Step
from slackwater.optimize.cost.statistics import NO_STATISTICS, Statistics
from slackwater.optimize.driver import PlanDriver, shared_in
from slackwater.optimize.rebuild import likeness, with_inputs
from slackwater.optimize.rules import (
    bestmatch,
    columns,
    distincts,
    joins,
    lateral,
    orders,
    over,
    predicate_windows,
    projects,
    selects,
    subqueries,
    synchronization,
    values,
    windows,
)


class Phase(NamedTuple):
    name: str
    rules: tuple[Rule[Operator] | Pass[Operator], ...]
    copies: bool = False
    """Whether its rules give each use of a view a copy, with conditions of its own."""
    by_cost: bool = False
    """Whether its laws are chosen by statistics."""


PHASES = (
    Phase("unnest", (*subqueries.RULES, *values.RULES, *bestmatch.UNNESTING, *lateral.UNNESTING)),
    Phase(
        "push",
        (
            projects.merge_projects,
            *selects.RULES,
            *joins.RULES,
            *lateral.RULES,
            *bestmatch.RULES,
            *over.RULES,
            *distincts.RULES,
            *synchronization.RULES,
            *predicate_windows.RULES,
        ),
        copies=True,
    ),
    Phase("windows", (*windows.RULES, *selects.RULES), copies=True),
    Phase("order", (orders.order_joins, synchronization.place_synchronize), by_cost=True),
    Phase("prune", (columns.prune_columns,)),
    Phase("tidy", (*projects.RULES, *distincts.RULES)),
)


class Optimizer:
    """Optimizes the plans of one program, in the order of its views; what they share is optimized once."""

    def __init__(
        self, trace: list[Step[Operator]] | None = None, statistics: Statistics = NO_STATISTICS
    ) -> None:
        self._phases = [
            (phase, PlanDriver(_rules(phase), (statistics,) if phase.by_cost else (), trace))
            for phase in PHASES
        ]

    @deep()
    def optimized(self, plan: Operator) -> Operator:
        """An equal, cheaper plan, without subqueries; equal subplans are one object."""
        before = plan
        for phase, driver in self._phases:
            for law in phase.rules:
                if isinstance(law, Pass):
                    plan = driver.passed(law, plan)
            plan = driver.rewrite(plan, shared_in(plan) if phase.copies else ())
        _check(before, plan)
        return _shared(plan)


def optimized(plan: Operator, statistics: Statistics = NO_STATISTICS) -> Operator:
    """An equal, cheaper plan, without subqueries; equal subplans are one object."""
    return Optimizer(statistics=statistics).optimized(plan)


def steps(plan: Operator, statistics: Statistics = NO_STATISTICS) -> list[Step[Operator]]:
    """What `optimized` does, one application of one law after the other."""
    trace: list[Step[Operator]] = []
    Optimizer(trace, statistics).optimized(plan)
    return trace


def _rules(phase: Phase) -> tuple[Rule[Operator], ...]:
    return tuple(law for law in phase.rules if isinstance(law, Rule))


def _check(before: Operator, plan: Operator) -> None:
    if plan.schema != before.schema:
        raise Bug(f"optimizing turned {before.schema} into {plan.schema}")
    if any(below.subplans for below in plan.walk()):
        raise Bug("a subquery was not unnested")


def _shared(plan: Operator) -> Operator:
    """The plan with equal subplans made one object, since each object is lowered once."""
    known: dict[tuple[object, ...], Operator] = {}
    done: dict[int, Operator] = {}

    def shared(plan: Operator) -> Operator:
        if id(plan) not in done:
            again = with_inputs(plan, tuple(shared(source) for source in plan.inputs))
            done[id(plan)] = known.setdefault(likeness(again), again)
        return done[id(plan)]

    return shared(plan)
