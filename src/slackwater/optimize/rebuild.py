"""Plans and expressions rebuilt with some part replaced; what does not change stays the same object."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from functools import cache
from typing import Any, cast

from slackwater.algebra import Operator, Project, Schema
from slackwater.algebra.expressions import Column, Expression, Outer, Subquery, changed, column
from slackwater.base.tree import rebuild, with_children

Change = Callable[[Expression], Expression]


def with_inputs(plan: Operator, inputs: tuple[Operator, ...]) -> Operator:
    """The same operator over other inputs; itself where they are the same objects."""
    is_same = all(new is old for new, old in zip(inputs, plan.inputs, strict=True))
    return plan if is_same else with_children(plan, Operator, inputs)


def with_expressions(plan: Operator, change: Change) -> Operator:
    """The same operator with its expressions changed."""
    return rebuild(plan, Expression, change)


def with_below(plan: Operator, below: tuple[Operator, ...]) -> Operator:
    """The same operator over other inputs and with other plans in its subqueries, in that order."""
    count = len(plan.inputs)
    changed = with_inputs(plan, below[:count])
    if count == len(below):
        return changed
    plans = iter(below[count:])

    def replaced(expr: Expression) -> Expression:
        # In the order of `walk`: a node, then its parts.
        if isinstance(expr, Subquery):
            expr = replace(expr, plan=next(plans))
        return rebuild(expr, Expression, replaced)

    return with_expressions(changed, replaced)


def substituted(expr: Expression, values: Mapping[str, Expression]) -> Expression:
    """The expression with columns replaced by what they are computed from."""
    return changed(expr, lambda node: values.get(node.name) if isinstance(node, Column) else None)


def without_outer(expr: Expression, values: Mapping[str, Expression]) -> Expression:
    """The expression with columns of the enclosing row replaced by columns of this one."""
    return changed(expr, lambda node: values.get(node.name) if isinstance(node, Outer) else None)


def without_node(expr: Expression, node: Expression, value: Expression) -> Expression:
    """The expression with one of its nodes, wherever it stands, replaced by a value."""
    return changed(expr, lambda part: value if part == node else None)


def columns_of(schema: Schema) -> tuple[tuple[str, Expression], ...]:
    """What a projection that keeps everything computes."""
    return tuple((name, column(name, type_)) for name, type_ in schema)


def likeness(plan: Operator) -> tuple[object, ...]:
    """Equal for operators that do the same with the same objects, as long as those live."""
    if plan.subplans:
        return (id(plan),)
    values = [getattr(plan, name) for name in _compared(cast(Any, type(plan)))]
    return (type(plan), *[id(value) if isinstance(value, Operator) else value for value in values])


@cache
def _compared(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind) if field.compare)


def only(plan: Operator, schema: Schema) -> Operator:
    """The plan with just these columns, in this order; itself when it has no others."""
    return plan if plan.schema == schema else Project(plan, columns_of(schema))
