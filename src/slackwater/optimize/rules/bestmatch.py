"""Best matches: conditions on one side go below them."""

from __future__ import annotations

from dataclasses import replace

from slackwater.algebra import BestMatch, Operator, Select, Side
from slackwater.base.rules import rule
from slackwater.optimize.bestmatch import as_joins
from slackwater.optimize.build import selected
from slackwater.optimize.facts.columns import columns, subqueries
from slackwater.optimize.facts.failing import may_fail
from slackwater.optimize.rules.joins import conditions_of, split_by_side


@rule
def turn_best_match_into_joins(plan: BestMatch) -> Operator | None:
    """R ⊠ q S = C ▷ (c ~ c' ∧ c' ≺ c) C', C = R ⋈ q S, if a subquery looks at rows of both sides

    Joins with subqueries have rules; a subquery that looks at one side only is joined to that side.
    """
    sides = [set(side.schema.names) for side in plan.inputs]
    for node in subqueries(plan.expressions):
        if not any(columns(node) <= names for names in sides):
            return as_joins(plan)
    return None


@rule
def push_condition_below_best_match(plan: BestMatch) -> Operator | None:
    """R ⊠ (p ∧ q) S = (σ p R) ⊠ q S, if p is on R only and cannot fail; the same for S, on any side

    Conditions of ON choose the candidates, before they are compared.
    """
    lefts, rest = split_by_side(plan.on, plan.left)
    rights, rest = split_by_side(rest, plan.right)
    if lefts or rights:
        left, right = selected(plan.left, lefts), selected(plan.right, rights)
        return replace(plan, left=left, right=right, on=rest)
    return None


@rule
def push_bound_below_best_match(plan: BestMatch) -> Operator | None:
    """R ⊠ (f ≤ ε) S = R ⊠ (f) (σ (f ≤ ε) S), if f is on S only and cannot fail; the same for R

    A dimension of one side: rows out of its bound are not kept.
    """
    for at, dimension in enumerate(plan.dimensions):
        if dimension.bound is None or may_fail(dimension.operands[0]):
            continue
        free = (*plan.dimensions[:at], replace(dimension, bound=None), *plan.dimensions[at + 1 :])
        seen = columns(dimension.operands[0])
        for place, side in enumerate(plan.inputs):
            if seen and seen <= set(side.schema.names):
                sides = list(plan.inputs)
                sides[place] = selected(side, dimension.admits)
                return replace(plan, left=sides[0], right=sides[1], dimensions=free)
    return None


@rule
def push_select_below_best_match(plan: Select) -> Operator | None:
    """σ p (R ⊠ left S) = (σ p R) ⊠ left S, if p is on R only and cannot fail; ⊠ right the same on S

    The pairs of a row of R compete only with each other. Those of a row of S do not, and a row of S that p
    drops was perhaps the best: with |r - s| MIN, σ (s = 2) ([0] ⊠ left [1, 2]) is empty, [0] ⊠ left [2] is
    not. Without a side, and for ⊠ full, pairs of other rows compete, too.
    """
    match plan:
        case Select(source=BestMatch(side=Side.LEFT) as best):
            below, rest = split_by_side(plan.predicate, best.left)
            pushed = replace(best, left=selected(best.left, below))
            return selected(pushed, conditions_of(rest)) if below else None
        case Select(source=BestMatch(side=Side.RIGHT) as best):
            below, rest = split_by_side(plan.predicate, best.right)
            pushed = replace(best, right=selected(best.right, below))
            return selected(pushed, conditions_of(rest)) if below else None
    return None


RULES = (push_condition_below_best_match, push_bound_below_best_match, push_select_below_best_match)
UNNESTING = (turn_best_match_into_joins,)
