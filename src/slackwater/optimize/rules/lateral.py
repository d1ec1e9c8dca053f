"""LATERAL: arrays in rows, and queries that look at earlier items of FROM."""

from __future__ import annotations

from slackwater.algebra import DependentJoin, Operator, Select, Unnest
from slackwater.algebra.expressions import conjuncts
from slackwater.base.rules import rule
from slackwater.optimize.build import selected
from slackwater.optimize.decorrelate.lateral import as_join
from slackwater.optimize.facts.columns import columns
from slackwater.optimize.facts.failing import may_fail


@rule
def turn_dependent_join_into_join(plan: DependentJoin) -> Operator | None:
    """R ⋉→ Q = π (R, Q) (R ⋈ d (D ⋉→ Q)), D the values of R that Q looks at

    If Q looks at nothing of R, the join is a product; where a row without partners stays, both are outer.
    """
    return as_join(plan)


@rule
def push_select_below_unnest(plan: Select) -> Operator | None:
    """σ p (μ a R) = μ a (σ p R), if p looks at R only and cannot fail

    Below, p would see rows without elements as well.
    """
    match plan:
        case Select(source=Unnest() as unnest):
            below = set(unnest.source.schema.names)
            conditions = conjuncts(plan.predicate)
            early = [c for c in conditions if columns(c) <= below and not may_fail(c)]
            if early:
                rest = [condition for condition in conditions if condition not in early]
                return selected(unnest.over(selected(unnest.source, early)), rest)
    return None


UNNESTING = (turn_dependent_join_into_join,)
RULES = (push_select_below_unnest,)
