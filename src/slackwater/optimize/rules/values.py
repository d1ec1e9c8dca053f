"""Subqueries anywhere else: their values become columns of the rows they are evaluated for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from slackwater import algebra
from slackwater.algebra import Operator
from slackwater.algebra.expressions import Exists, Expression, Literal, Quantified, Scalar, Subquery, column
from slackwater.algebra.joins import Conditional
from slackwater.base.rules import rule
from slackwater.optimize.build import every, same
from slackwater.optimize.decorrelate.values import Valued, exists_value, quantified_value, scalar_value
from slackwater.optimize.facts.columns import columns, fresh, has_subquery, subqueries
from slackwater.optimize.rebuild import columns_of, only, with_expressions, without_node

Node = TypeVar("Node", bound=Subquery)
OfRows = algebra.Select | algebra.Group | algebra.Project | algebra.Unnest | algebra.Aggregate
"""What evaluates expressions on the rows of its only input."""


@rule
def join_value_of_exists(plan: OfRows | Conditional) -> Operator | None:
    """σ … EXISTS Q … R = π R (σ … mark IS NOT NULL … (R ⟕ d (π (d, true as mark) (δ d (D ⋉→ Q)))))

    For an EXISTS under OR or NOT, in CASE, in a select list, a group's key or an aggregate. If Q looks
    at nothing outside, R × count(Q) takes the place of the join.
    """
    return _with_value(plan, Exists, exists_value)


@rule
def join_value_of_quantified(plan: OfRows | Conditional) -> Operator | None:
    """π (x θ ANY Q) R = π (n > 0 ? true : u > 0 ? NULL : false) (R ⟕ d (α d n u (D ⋉→ Q)))

    n counts the rows for which x θ y is true (for ALL: false), u those for which it is unknown. x
    is one of the columns of D. Where a condition only has to be true, a semi-join is cheaper.
    """
    return _with_value(plan, Quantified, quantified_value)


@rule
def join_value_of_scalar(plan: OfRows | Conditional) -> Operator | None:
    """π (scalar Q) R = π v (R ⟕ d (1 d (D ⋉→ Q))), v the value's column

    1 d is the check that no d has a second row; it falls away where Q is an aggregate, or where d
    is a key. The check is made for all rows of R, also for those whose CASE takes another branch
    (docs/decisions/0010-errors-and-rewriting.md).
    """
    return _with_value(plan, Scalar, scalar_value)


def _with_value(
    plan: OfRows | Conditional, kind: type[Node], build: Callable[[Operator, Node, Operator], Valued]
) -> Operator | None:
    node = next(subqueries(plan.expressions), None) if plan.subplans else None
    if not isinstance(node, kind):
        return None
    match plan:
        case algebra.Select() | algebra.Group() | algebra.Project() | algebra.Unnest() | algebra.Aggregate():
            source, value = build(plan.source, node, plan)
            changed = _with_node_replaced(plan.over(source), node, value)
            return only(changed, plan.schema)
        case Conditional():
            seen = columns(node)
            if seen <= set(plan.left.schema.names):
                left, value = build(plan.left, node, plan)
                return only(_with_node_replaced(plan.over(left, plan.right), node, value), plan.schema)
            if seen <= set(plan.right.schema.names):
                right, value = build(plan.right, node, plan)
                return only(_with_node_replaced(plan.over(plan.left, right), node, value), plan.schema)
    return None


def _with_node_replaced(plan: Operator, node: Subquery, value: Expression) -> Operator:
    return with_expressions(plan, lambda expr: without_node(expr, node, value))


@rule
def split_join_with_subquery(plan: algebra.Join) -> Operator | None:
    """R ⋈ p S = σ p (R × S), if p has a subquery

    It is then one of a selection, and becomes a semi-join where it can.
    """
    match plan:
        case algebra.Join() if has_subquery(plan.on):
            return _accepted(plan)
    return None


@rule
def pair_half_join_with_subquery(plan: algebra.SemiJoin | algebra.AntiJoin) -> Operator | None:
    """R ⋉ p S = R ⋉ (x = x') (σ p (R' × S)), if p has a subquery that looks at both rows

    The same for ▷. R' is R under other names; x = x' also where both are NULL. A subquery that looks
    at one side only is better joined to that side.
    """
    match plan:
        case algebra.SemiJoin() | algebra.AntiJoin() if _looks_at_both(plan):
            pairs, met = _pairs(plan, plan.left)
            return replace(plan, right=pairs, on=met)
    return None


@rule
def pair_outer_join_with_subquery(plan: algebra.OuterJoin) -> Operator | None:
    """R ⟕ p S = M ∪ ((R ▷ (x = x') M) × [NULL…]), M = σ p (R × S), if p has a subquery on both rows

    The same from the right, and from both sides.
    """
    match plan:
        case algebra.OuterJoin() if _looks_at_both(plan):
            result: Operator = _accepted(plan)
            if plan.side is not algebra.Side.RIGHT:
                result = algebra.Union(result, _unmatched(plan, plan.left))
            if plan.side is not algebra.Side.LEFT:
                result = algebra.Union(result, _unmatched(plan, plan.right))
            return result
    return None


def _accepted(plan: Conditional) -> Operator:
    """The pairs that the join's condition accepts, as a selection."""
    return algebra.Select(algebra.Product(plan.left, plan.right), plan.on, origin=plan.origin)


def _looks_at_both(plan: Conditional) -> bool:
    node = next(subqueries((plan.on,)), None)
    if node is None:
        return False
    sides = (set(plan.left.schema.names), set(plan.right.schema.names))
    return not any(columns(node) <= names for names in sides)


def _pairs(plan: Conditional, side: Operator) -> tuple[Operator, Expression]:
    """The pairs that p accepts, with that side's columns under other names, and that they are equal."""
    names = {name: fresh(f"{name} of pair", plan) for name in side.schema.names}
    own = tuple((names[name], expr) for name, expr in columns_of(side.schema))
    met = every(same(column(name, type_), column(names[name], type_)) for name, type_ in side.schema)
    return algebra.Project(_accepted(plan), own), met


def _unmatched(plan: algebra.OuterJoin, side: Operator) -> Operator:
    pairs, met = _pairs(plan, side)
    alone = algebra.AntiJoin(side, pairs, met)
    values = (
        (name, column(name, type_) if name in side.schema else Literal(type_, None))
        for name, type_ in plan.schema
    )
    return algebra.Project(alone, tuple(values))


RULES = (
    split_join_with_subquery,
    join_value_of_exists,
    join_value_of_quantified,
    join_value_of_scalar,
    pair_half_join_with_subquery,
    pair_outer_join_with_subquery,
)
