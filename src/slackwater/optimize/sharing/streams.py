"""Streams without their row maps: conditions and columns over the stream below."""

from __future__ import annotations

from slackwater import algebra
from slackwater.algebra import Operator
from slackwater.algebra.expressions import Expression, column, conjuncts
from slackwater.algebra.types import BIGINT
from slackwater.optimize.rebuild import substituted

TIME = "@time"
"""The name of a row's own instant; no column can have it."""


def of_stream(plan: Operator, prefix: str = "") -> tuple[Operator, list[Expression], dict[str, Expression]]:
    """The stream below selections, projections and stamps, and the conditions and columns over it.

    A column of that stream is named by the prefix and its own name.
    """
    match plan:
        case algebra.Select():
            base, conditions, columns = of_stream(plan.source, prefix)
            return base, [*conditions, *(substituted(c, columns) for c in conjuncts(plan.predicate))], columns
        case algebra.Project():
            base, conditions, columns = of_stream(plan.source, prefix)
            return base, conditions, {name: substituted(expr, columns) for name, expr in plan.columns}
        case algebra.Stamp() if plan.type == BIGINT:
            base, conditions, columns = of_stream(plan.source, prefix)
            return base, conditions, {**columns, plan.column: column(f"{prefix}{TIME}", plan.type)}
    return plan, [], {name: column(f"{prefix}{name}", type_) for name, type_ in plan.schema}
