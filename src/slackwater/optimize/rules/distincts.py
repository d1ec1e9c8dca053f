"""Duplicates that cannot be, and counts of them that no operator needs."""

from __future__ import annotations

from dataclasses import replace

from slackwater.algebra import AntiJoin, Distinct, Group, Operator, Project, Select, SemiJoin
from slackwater.base.rules import rule
from slackwater.optimize.facts.keys import is_distinct


@rule
def drop_distinct_over_key(plan: Distinct) -> Operator | None:
    """δ R = R, if R has a key

    A declared key, the keys of a grouping, the columns of another δ, as far as they are kept: π may
    lose the key, and with it the law.
    """
    match plan:
        case Distinct() if is_distinct(plan.source):
            return plan.source
    return None


@rule
def drop_distinct_of_partners(plan: SemiJoin | AntiJoin) -> Operator | None:
    """R ⋉ p (L (δ S)) = R ⋉ p (L S), if L is made of σ, π and γ only; the same for ▷

    One partner is as good as many.
    """
    right = _without_distinct(plan.right)
    return None if right is None else replace(plan, right=right)


def _without_distinct(plan: Operator) -> Operator | None:
    match plan:
        case Distinct():
            return plan.source
        case Select() | Project() | Group():
            below = _without_distinct(plan.source)
            return None if below is None else plan.over(below)
        case _:
            return None


RULES = (drop_distinct_over_key, drop_distinct_of_partners)
