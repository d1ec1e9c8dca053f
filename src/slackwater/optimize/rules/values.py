"""Subqueries anywhere else: their values become columns beside the rows they are asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from slackwater.algebra import (
    Aggregate,
    AntiJoin,
    Group,
    Join,
    Operator,
    OuterJoin,
    Product,
    Project,
    Select,
    SemiJoin,
    Side,
    Union,
)
from slackwater.algebra.expressions import Exists, Expression, Literal, Quantified, Scalar, Subquery, column
from slackwater.algebra.joins import Conditional
from slackwater.base.rules import rule
from slackwater.optimize.build import every, same
from slackwater.optimize.facts.columns import columns, fresh, has_subquery, subqueries
from slackwater.optimize.rebuild import columns_of, only, with_expressions, without_node
from slackwater.optimize.values import Valued, exists_value, quantified_value, scalar_value

Node = TypeVar("Node", bound=Subquery)


@rule
def join_value_of_exists(plan: Operator) -> Operator | None:
    """σ … EXISTS Q … R = π R (σ … mark IS NOT NULL … (R ⟕ d (π (d, true as mark) (δ d (D ⋉→ Q)))))

    For an EXISTS under OR or NOT, in CASE, in a select list, a group's key or an aggregate. If Q looks
    at nothing outside, R × count(Q) takes the place of the join.
    """
    return _with_value(plan, Exists, exists_value)


@rule
def join_value_of_quantified(plan: Operator) -> Operator | None:
    """π (x θ ANY Q) R = π (n > 0 ? true : u > 0 ? NULL : false) (R ⟕ d (α d n u (D ⋉→ Q)))

    n counts the rows for which x θ y is true (for ALL: false), u those for which it is unknown. x
    is one of the columns of D. Where a condition only has to be true, a semi-join is cheaper.
    """
    return _with_value(plan, Quantified, quantified_value)


@rule
def join_value_of_scalar(plan: Operator) -> Operator | None:
    """π (scalar Q) R = π v (R ⟕ d (1 d (D ⋉→ Q))), v the value's column

    1 d is the check that no d has a second row; it falls away where Q is an aggregate, or where d
    is a key. The check is made for all rows of R, also for those whose CASE takes another branch
    (docs/decisions/0010-errors-and-rewriting.md).
    """
    return _with_value(plan, Scalar, scalar_value)


def _with_value(
    plan: Operator, kind: type[Node], build: Callable[[Operator, Node, Operator], Valued]
) -> Operator | None:
    node = next(subqueries(plan.expressions), None)
    if not isinstance(node, kind):
        return None
    match plan:
        case Select() | Group() | Project() | Aggregate():
            source, value = build(plan.source, node, plan)
            changed = _exchanged(plan.over(source), node, value)
            return only(changed, plan.schema)
        case Conditional():
            seen = columns(node)
            if seen <= set(plan.left.schema.names):
                left, value = build(plan.left, node, plan)
                return only(_exchanged(plan.over(left, plan.right), node, value), plan.schema)
            if seen <= set(plan.right.schema.names):
                right, value = build(plan.right, node, plan)
                return only(_exchanged(plan.over(plan.left, right), node, value), plan.schema)
    return None


def _exchanged(plan: Operator, node: Subquery, value: Expression) -> Operator:
    return with_expressions(plan, lambda expr: without_node(expr, node, value))


@rule
def split_join_with_subquery(plan: Operator) -> Operator | None:
    """R ⋈ p S = σ p (R × S), if p has a subquery

    It is then one of a selection, and becomes a semi-join where it can.
    """
    match plan:
        case Join() if has_subquery(plan.on):
            return Select(Product(plan.left, plan.right), plan.on, origin=plan.origin)
    return None


@rule
def pair_half_join_with_subquery(plan: Operator) -> Operator | None:
    """R ⋉ p S = R ⋉ (x = x') (σ p (R' × S)), if p has a subquery that looks at both rows

    The same for ▷. R' is R under other names; x = x' also where both are NULL. A subquery that looks
    at one side only is better joined to that side.
    """
    match plan:
        case SemiJoin() | AntiJoin() if _looks_at_both(plan):
            pairs, met = _pairs(plan, plan.left)
            return replace(plan, right=pairs, on=met)
    return None


@rule
def pair_outer_join_with_subquery(plan: Operator) -> Operator | None:
    """R ⟕ p S = M ∪ ((R ▷ (x = x') M) × [NULL…]), M = σ p (R × S), if p has a subquery on both rows

    The same from the right, and from both sides.
    """
    match plan:
        case OuterJoin() if _looks_at_both(plan):
            result: Operator = Select(Product(plan.left, plan.right), plan.on, origin=plan.origin)
            if plan.side is not Side.RIGHT:
                result = Union(result, _unmatched(plan, plan.left))
            if plan.side is not Side.LEFT:
                result = Union(result, _unmatched(plan, plan.right))
            return result
    return None


def _looks_at_both(plan: Conditional) -> bool:
    node = next(subqueries((plan.on,)), None)
    if node is None:
        return False
    sides = (set(plan.left.schema.names), set(plan.right.schema.names))
    return not any(columns(node) <= side for side in sides)


def _pairs(plan: Conditional, kept: Operator) -> tuple[Operator, Expression]:
    """The pairs that p accepts, with the kept side's columns under other names, and that they are equal."""
    accepted = Select(Product(plan.left, plan.right), plan.on, origin=plan.origin)
    names = {name: fresh(f"{name} of pair", plan) for name in kept.schema.names}
    own = tuple((names[name], expr) for name, expr in columns_of(kept.schema))
    met = every(same(column(name, type_), column(names[name], type_)) for name, type_ in kept.schema)
    return Project(accepted, own), met


def _unmatched(plan: OuterJoin, kept: Operator) -> Operator:
    pairs, met = _pairs(plan, kept)
    alone = AntiJoin(kept, pairs, met)
    values = (
        (name, column(name, type_) if name in kept.schema else Literal(type_, None))
        for name, type_ in plan.schema
    )
    return Project(alone, tuple(values))


RULES = (
    split_join_with_subquery,
    join_value_of_exists,
    join_value_of_quantified,
    join_value_of_scalar,
    pair_half_join_with_subquery,
    pair_outer_join_with_subquery,
)
