"""What a plan looks at outside itself: columns of the rows of enclosing queries."""

from __future__ import annotations

from slackwater.algebra.expressions import Outer, Subquery
from slackwater.algebra.operator import Operator, once


@once
def outer_columns(plan: Operator) -> frozenset[str]:
    """The columns of enclosing rows that the plan looks at."""
    found: set[str] = set()
    for each in plan.inputs:
        found |= outer_columns(each)
    here = {name for below in plan.inputs for name in below.schema.names}
    for expr in plan.expressions:
        for node in expr.walk():
            if isinstance(node, Outer):
                found.add(node.name)
            elif isinstance(node, Subquery):
                found |= outer_columns(node.plan) - here
    return frozenset(found)
