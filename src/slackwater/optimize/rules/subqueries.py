"""Subqueries in a condition that must be true: semi- and anti-joins.

What stands under OR, NOT, CASE or in a select list is a value and has rules of its own (`values`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from slackwater.algebra import AntiJoin, Join, Operator, Product, Select, SemiJoin
from slackwater.algebra.expressions import Call, Exists, Expression, Quantified, changed, conjuncts
from slackwater.base.rules import rule
from slackwater.optimize.build import NEGATED, TRUE, call, compared, every, same, selected
from slackwater.optimize.decorrelate.conditions import partner
from slackwater.optimize.facts.columns import columns, has_subquery, outer_of
from slackwater.optimize.facts.failing import may_fail
from slackwater.optimize.facts.nulls import is_never_null, never_null
from slackwater.optimize.rebuild import with_expressions


@rule
def turn_not_any_into_all(plan: Operator) -> Operator | None:
    """¬(x θ ANY Q) = x θ̄ ALL Q, ¬(x θ ALL Q) = x θ̄ ANY Q

    NOT IN becomes `<> ALL`, which an anti-join answers. It holds with NULLs as well: both sides are
    unknown together, because ¬(x θ y) = x θ̄ y is three-valued.
    """
    if not plan.subplans or not any(_is_negated(node) for expr in plan.expressions for node in expr.walk()):
        return None
    return with_expressions(plan, lambda expr: changed(expr, _negation))


def _is_negated(expr: Expression) -> bool:
    return isinstance(expr, Call) and expr.function == "not" and isinstance(expr.arguments[0], Quantified)


def _negation(expr: Expression) -> Expression | None:
    match expr:
        case Call(function="not", arguments=(Quantified() as node,)):
            operands = tuple(changed(operand, _negation) for operand in node.operands)
            return replace(node, comparison=NEGATED[node.comparison], every=not node.every, operands=operands)
        case _:
            return None


@rule
def push_subquery_below_join(plan: Select) -> Operator | None:
    """σ s (R ⋈ p S) = (σ s R) ⋈ p S, if s is a condition with a subquery that looks at R only

    The subquery is then evaluated for R's rows, not for pairs; the same for S. A condition that may
    fail stays: below the join it would see rows without partners.
    """
    match plan:
        case Select(source=Product() | Join() as join) if has_subquery(plan.predicate):
            conditions = conjuncts(plan.predicate)
            for condition in conditions:
                if not has_subquery(condition) or outer_of(condition) or may_fail(condition):
                    continue
                for number, side in enumerate(join.inputs):
                    if columns(condition) <= set(side.schema.names):
                        sides = [*join.inputs]
                        sides[number] = Select(side, condition)
                        return selected(join.over(*sides), (c for c in conditions if c is not condition))
    return None


@rule
def split_select_before_subquery(plan: Select) -> Operator | None:
    """σ (p ∧ s) R = σ s (σ p R), if s has a subquery and p has none

    The subquery is evaluated for fewer rows. A p that stands behind s and may fail stays behind it:
    `EXISTS (…) AND CAST(x AS INT) > 1` casts only what the subquery lets through.
    """
    match plan:
        case Select() if has_subquery(plan.predicate):
            conditions = conjuncts(plan.predicate)
            first = next(n for n, condition in enumerate(conditions) if has_subquery(condition))
            early = [
                condition
                for n, condition in enumerate(conditions)
                if not has_subquery(condition) and (n < first or not may_fail(condition))
            ]
            if early:
                rest = [condition for condition in conditions if condition not in early]
                return selected(selected(plan.source, early), rest)
    return None


@rule
def turn_exists_into_semi_join(plan: Select) -> Operator | None:
    """σ (EXISTS Q) R = R ⋉ c Q', where Q = σ c Q' and c is on both rows"""
    return _conjunct(plan, lambda condition: isinstance(condition, Exists), _semi_join)


def _semi_join(source: Operator, node: Expression) -> Operator:
    assert isinstance(node, Exists)
    right = partner(source, node.plan)
    return SemiJoin(source, right.plan, every(right.conditions), origin=node.origin)


@rule
def turn_not_exists_into_anti_join(plan: Select) -> Operator | None:
    """σ (¬ EXISTS Q) R = R ▷ c Q', where Q = σ c Q' and c is on both rows"""
    return _conjunct(plan, _is_not_exists, _anti_join)


def _is_not_exists(expr: Expression) -> bool:
    return isinstance(expr, Call) and expr.function == "not" and isinstance(expr.arguments[0], Exists)


def _anti_join(source: Operator, node: Expression) -> Operator:
    exists = node.parts[0]
    assert isinstance(exists, Exists)
    right = partner(source, exists.plan)
    return AntiJoin(source, right.plan, every(right.conditions), origin=node.origin)


@rule
def turn_any_into_semi_join(plan: Select) -> Operator | None:
    """σ (x θ ANY Q) R = R ⋉ (c ∧ x θ y) Q', where Q = π y (σ c Q')

    Only where the condition must be true: a semi-join cannot tell false from unknown.
    """
    return _conjunct(
        plan, lambda condition: isinstance(condition, Quantified) and not condition.every, _any_join
    )


def _any_join(source: Operator, node: Expression) -> Operator:
    assert isinstance(node, Quantified)
    right = partner(source, node.plan)
    holds = compared(node.comparison, node.operands, (value for _, value in right.values))
    return SemiJoin(source, right.plan, every((*right.conditions, holds)), origin=node.origin)


@rule
def turn_all_into_anti_joins(plan: Select) -> Operator | None:
    """σ (x θ ALL Q) R = R ▷ (c ∧ x θ̄ y) Q' ▷ (c ∧ x IS NULL) Q' ▷ (c ∧ y IS NULL) Q'

    θ̄ is the negation of θ. Three anti-joins instead of one on `(x θ y) IS NOT TRUE`, so that the
    first may be on equal keys; those of NULLs that cannot be fall away. An x of a row further out
    may be NULL, whatever is known of R. With several operands the comparison is not one of keys
    and there is one anti-join.
    """
    return _conjunct(
        plan, lambda condition: isinstance(condition, Quantified) and condition.every, _all_joins
    )


def _all_joins(source: Operator, node: Expression) -> Operator:
    assert isinstance(node, Quantified)
    right = partner(source, node.plan)
    values = [value for _, value in right.values]
    holds = compared(node.comparison, node.operands, values)
    if len(values) > 1:
        refuted = [call("not", same(holds, TRUE))]
    else:
        (x,), (y,) = node.operands, values
        refuted = [compared(NEGATED[node.comparison], (x,), (y,))]
        known = never_null(source) | never_null(right.plan)
        refuted += [call("is_null", value) for value in (x, y) if not is_never_null(value, known)]
    for condition in refuted:
        source = AntiJoin(source, right.plan, every((*right.conditions, condition)), origin=node.origin)
    return source


def _conjunct(
    plan: Select, fits: Callable[[Expression], bool], build: Callable[[Operator, Expression], Operator]
) -> Operator | None:
    """The selection with its first fitting condition made an operator below it.

    Not where the condition has subqueries of its own operands: those are values, and come first.
    """
    conditions = conjuncts(plan.predicate)
    for condition in conditions:
        if fits(condition) and not any(has_subquery(part) for part in _operands(condition)):
            rest = (other for other in conditions if other is not condition)
            return selected(build(plan.source, condition), rest)
    return None


def _operands(expr: Expression) -> tuple[Expression, ...]:
    return expr.operands if isinstance(expr, Quantified) else ()


RULES = (
    turn_not_any_into_all,
    push_subquery_below_join,
    split_select_before_subquery,
    turn_exists_into_semi_join,
    turn_not_exists_into_anti_join,
    turn_any_into_semi_join,
    turn_all_into_anti_joins,
)
