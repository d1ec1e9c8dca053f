"""Plans and expressions built anew with some part exchanged; what does not change stays the same object."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, replace

from slackwater.algebra import Operator, Project, Schema
from slackwater.algebra.expressions import Column, Expression, Outer, Subquery, changed, column
from slackwater.base.tree import rebuild, with_children

Change = Callable[[Expression], Expression]


def with_inputs(plan: Operator, inputs: tuple[Operator, ...]) -> Operator:
    """The same operator over other inputs."""
    return with_children(plan, Operator, inputs)


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

    def exchanged(expr: Expression) -> Expression:
        # In the order of `walk`: a node, then its parts.
        if isinstance(expr, Subquery):
            expr = replace(expr, plan=next(plans))
        return rebuild(expr, Expression, exchanged)

    return with_expressions(changed, exchanged)


def substituted(expr: Expression, values: Mapping[str, Expression]) -> Expression:
    """The expression with columns exchanged for what they are computed from."""
    return changed(expr, lambda each: values.get(each.name) if isinstance(each, Column) else None)


def without_outer(expr: Expression, values: Mapping[str, Expression]) -> Expression:
    """The expression with columns of the enclosing row exchanged for columns of this one."""
    return changed(expr, lambda each: values.get(each.name) if isinstance(each, Outer) else None)


def without_node(expr: Expression, node: Expression, value: Expression) -> Expression:
    """The expression with one of its nodes, wherever it stands, exchanged for a value."""
    return changed(expr, lambda each: value if each == node else None)


def columns_of(schema: Schema) -> tuple[tuple[str, Expression], ...]:
    """What a projection that keeps everything computes."""
    return tuple((name, column(name, type_)) for name, type_ in schema)


def likeness(plan: Operator) -> tuple[object, ...]:
    """Equal for operators that ask the same of the same objects; as long as those are there."""
    if plan.subplans:
        return (id(plan),)
    own = (getattr(plan, each.name) for each in fields(plan) if each.compare)
    return (type(plan), *(id(each) if isinstance(each, Operator) else each for each in own))


def only(plan: Operator, schema: Schema) -> Operator:
    """The plan with just these columns, in this order; itself when it has no others."""
    return plan if plan.schema == schema else Project(plan, columns_of(schema))
