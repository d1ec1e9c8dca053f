"""What a plan looks at outside itself: columns of the rows of enclosing queries."""

from __future__ import annotations

from slackwater.algebra.expressions import Outer, Subquery
from slackwater.algebra.operator import Operator, once


@once
def outer_columns(plan: Operator) -> frozenset[str]:
    """The columns of enclosing rows that the plan looks at."""
    names: set[str] = set()
    for source in plan.inputs:
        names |= outer_columns(source)
    here = {name for source in plan.inputs for name in source.schema.names}
    for expr in plan.expressions:
        for node in expr.walk():
            if isinstance(node, Outer):
                names.add(node.name)
            elif isinstance(node, Subquery):
                names |= outer_columns(node.plan) - here
    return frozenset(names)
