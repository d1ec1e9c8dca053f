"""The strategy: which laws are tried, and in what order.

Within a phase rules are applied until none fits. Between phases the order matters:

* subqueries first, because no other rule looks inside them, and with conditions that need no
  subquery already below them;
* then conditions go down, and products become joins on the way;
* then windows, which only see where they can go once conditions are past them;
* columns at last: which of them are used is known only when everything stands in its place, and
  projections put in earlier would stand in the way of conditions.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from slackwater.algebra import Operator
from slackwater.base.diagnostic import Bug
from slackwater.optimize.rebuild import with_inputs
from slackwater.optimize.rule import Pass, Rule, Step, applied
from slackwater.optimize.rules import (
    columns,
    distincts,
    joins,
    projects,
    selects,
    subqueries,
    values,
    windows,
)


class Phase(NamedTuple):
    name: str
    rules: tuple[Rule | Pass, ...]


PHASES = (
    Phase("unnest", (*subqueries.RULES, *values.RULES)),
    Phase("push", (*selects.RULES, *joins.RULES, *distincts.RULES)),
    Phase("windows", (*windows.RULES, *selects.RULES)),
    Phase("prune", (columns.prune_columns,)),
    Phase("tidy", (*projects.RULES, *distincts.RULES)),
)


def optimized(plan: Operator) -> Operator:
    """An equal, cheaper plan, without subqueries; equal subplans are one object."""
    for step in _steps(plan):
        plan = step.plan
    return _shared(plan, {})


def steps(plan: Operator) -> list[Step]:
    """What `optimized` does, one application of one law after the other."""
    return list(_steps(plan))


def _steps(plan: Operator) -> Iterator[Step]:
    before = plan.schema
    for phase in PHASES:
        for step in _applied(plan, phase):
            if step.plan != plan:
                yield step
            plan = step.plan
    if plan.schema != before:
        raise Bug(f"optimizing turned {before} into {plan.schema}")
    if any(below.subplans for below in plan.walk()):
        raise Bug("a subquery was not unnested")


def _applied(plan: Operator, phase: Phase) -> Iterator[Step]:
    rules = tuple(each for each in phase.rules if isinstance(each, Rule))
    passes = tuple(each for each in phase.rules if isinstance(each, Pass))
    for each in passes:
        plan = each(plan)
        yield Step(each.name, each.law, plan)
    yield from applied(plan, rules)


def _shared(plan: Operator, known: dict[Operator, Operator]) -> Operator:
    """The plan with equal subplans made one object, for those who compute each object once."""
    again = with_inputs(plan, tuple(_shared(each, known) for each in plan.inputs))
    return known.setdefault(again, again)
