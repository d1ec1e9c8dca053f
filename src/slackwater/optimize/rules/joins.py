"""Joins out of products, and conditions on one side out of joins."""

from __future__ import annotations

from dataclasses import replace

from slackwater.algebra import AntiJoin, Join, Operator, OuterJoin, Product, Select, SemiJoin, Side
from slackwater.algebra.expressions import Expression, Literal, conjuncts
from slackwater.base.rules import rule
from slackwater.optimize.build import TRUE, every, selected
from slackwater.optimize.facts.columns import columns
from slackwater.optimize.facts.failing import may_fail
from slackwater.optimize.facts.nulls import rejects_nulls


@rule
def turn_product_into_join(plan: Select) -> Operator | None:
    """σ p (R × S) = R ⋈ p S      PIPES 3.4

    A join on equal columns pairs only rows that can meet.
    """
    match plan:
        case Select(source=Product() as product):
            return Join(product.left, product.right, plan.predicate, origin=plan.origin)
    return None


@rule
def merge_select_into_join(plan: Select) -> Operator | None:
    """σ p (R ⋈ q S) = R ⋈ (q ∧ p) S, if p cannot fail"""
    match plan:
        case Select(source=Join() as join) if not may_fail(plan.predicate):
            return replace(join, on=every((*conjuncts(join.on), *conjuncts(plan.predicate))))
    return None


@rule
def turn_join_into_product(plan: Join) -> Operator | None:
    """R ⋈ true S = R × S"""
    match plan:
        case Join(on=Literal(value=True)):
            return Product(plan.left, plan.right, origin=plan.origin)
    return None


@rule
def push_condition_below_join(plan: Join) -> Operator | None:
    """R ⋈ (p ∧ q) S = (σ p R) ⋈ q S, if p is on R only and cannot fail; the same for S

    Rows that cannot match are not kept, shipped or paired.
    """
    return _pushed_to_both_sides(plan)


@rule
def push_condition_below_semi_join(plan: SemiJoin) -> Operator | None:
    """R ⋉ (p ∧ q ∧ r) S = (σ p R) ⋉ r (σ q S), if p is on R only, q on S only, and neither can fail"""
    return _pushed_to_both_sides(plan)


@rule
def push_condition_below_anti_join(plan: AntiJoin) -> Operator | None:
    """R ▷ (p ∧ q) S = R ▷ q (σ p S), if p is on S only and cannot fail

    Not so on R: a row that p refuses has no partner and stays.
    """
    rights, rest = split_by_side(plan.on, plan.right)
    if rights:
        return replace(plan, right=selected(plan.right, rights), on=rest)
    return None


@rule
def push_condition_below_outer_join(plan: OuterJoin) -> Operator | None:
    """R ⟕ (p ∧ q) S = R ⟕ q (σ p S), if p is on S only and cannot fail; ⟖ the same on R

    Not so on the preserved side, whose rows stay whatever the condition says, and not for ⟗.
    """
    match plan:
        case OuterJoin(side=Side.LEFT):
            rights, rest = split_by_side(plan.on, plan.right)
            return replace(plan, right=selected(plan.right, rights), on=rest) if rights else None
        case OuterJoin(side=Side.RIGHT):
            lefts, rest = split_by_side(plan.on, plan.left)
            return replace(plan, left=selected(plan.left, lefts), on=rest) if lefts else None
    return None


@rule
def push_select_below_outer_join(plan: Select) -> Operator | None:
    """σ p (R ⟕ q S) = (σ p R) ⟕ q S, if p is on R only and cannot fail; ⟖ the same on S

    On the other side it would turn partners away and let the row appear with NULLs instead:
    σ (y = 2) of [1, 1] ⟕ [1, 1] is empty, [1] ⟕ σ (y = 2) [1] is [1, NULL].
    """
    match plan:
        case Select(source=OuterJoin(side=Side.LEFT) as join):
            below, rest = split_by_side(plan.predicate, join.left)
            left = replace(join, left=selected(join.left, below))
            return selected(left, conditions_of(rest)) if below else None
        case Select(source=OuterJoin(side=Side.RIGHT) as join):
            below, rest = split_by_side(plan.predicate, join.right)
            right = replace(join, right=selected(join.right, below))
            return selected(right, conditions_of(rest)) if below else None
    return None


@rule
def turn_outer_join_into_join(plan: Select) -> Operator | None:
    """σ p (R ⟕ q S) = σ p (R ⋈ q S), if p is never true where S is NULL

    An inner join does not have to find the rows without partners. Of ⟗ the side that p refuses is given up.
    """
    match plan:
        case Select(source=OuterJoin() as join):
            side = _still_filled(plan.predicate, join)
            if side is None:
                return plan.over(Join(join.left, join.right, join.on, origin=join.origin))
            return plan.over(replace(join, side=side)) if side is not join.side else None
    return None


def _still_filled(condition: Expression, join: OuterJoin) -> Side | None:
    """The side whose rows must stay although they have no partner."""
    lefts, rights = frozenset(join.left.schema.names), frozenset(join.right.schema.names)
    keeps_left = join.side is not Side.RIGHT and not rejects_nulls(condition, rights)
    keeps_right = join.side is not Side.LEFT and not rejects_nulls(condition, lefts)
    if keeps_left and keeps_right:
        return Side.FULL
    return Side.LEFT if keeps_left else Side.RIGHT if keeps_right else None


@rule
def push_half_join_below_join(plan: SemiJoin | AntiJoin) -> Operator | None:
    """(R ⋈ p S) ⋉ q T = (R ⋉ q T) ⋈ p S, if q is on R and T only; the same for S, for × and for ▷

    Rows are dropped before they are paired. q must not fail: below the join it sees rows that have
    no partner in S.
    """
    match plan:
        case SemiJoin(left=Product() | Join() as join) | AntiJoin(left=Product() | Join() as join):
            if may_fail(plan.on):
                return None
            seen = columns(plan.on) - set(plan.right.schema.names)
            if seen and seen <= set(join.left.schema.names):
                return join.over(plan.over(join.left, plan.right), join.right)
            if seen and seen <= set(join.right.schema.names):
                return join.over(join.left, plan.over(join.right, plan.right))
    return None


def _pushed_to_both_sides(plan: Join | SemiJoin) -> Operator | None:
    """The join with the conditions on one side selected there; None where there are none."""
    lefts, rest = split_by_side(plan.on, plan.left)
    rights, rest = split_by_side(rest, plan.right)
    if not lefts and not rights:
        return None
    return replace(plan, left=selected(plan.left, lefts), right=selected(plan.right, rights), on=rest)


def split_by_side(condition: Expression, side: Operator) -> tuple[list[Expression], Expression]:
    """What of the condition can be decided on one side, and the rest."""
    names = set(side.schema.names)
    own = [part for part in conditions_of(condition) if columns(part) <= names and not may_fail(part)]
    return own, every(part for part in conditions_of(condition) if part not in own)


def conditions_of(condition: Expression) -> list[Expression]:
    return [] if condition == TRUE else conjuncts(condition)


RULES = (
    turn_outer_join_into_join,
    turn_product_into_join,
    merge_select_into_join,
    push_condition_below_join,
    push_condition_below_semi_join,
    push_condition_below_anti_join,
    push_condition_below_outer_join,
    push_select_below_outer_join,
    push_half_join_below_join,
    turn_join_into_product,
)
