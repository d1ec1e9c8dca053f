"""Time points that come with data: whether those of one stream are points of another.      SyncSQL 4.3.1

    Temperature > 120   comes only when   Temperature > 100   comes

Containment of the queries, without their outputs: of events only the instants count.
"""

from __future__ import annotations

from slackwater import algebra
from slackwater.algebra import Operator
from slackwater.algebra.expressions import Expression, column, conjuncts
from slackwater.optimize.rebuild import substituted
from slackwater.optimize.sharing.conditions import facts_of

_TIME = "@time"
Values = dict[str, Expression]


def come_with(events: Operator, other: Operator) -> bool:
    """Whether the other stream has an element wherever the first has one; True is a promise."""
    base, conditions, _ = _parts(events)
    other_base, other_conditions, _ = _parts(other)
    facts = facts_of(conditions)
    return base == other_base and all(map(facts.implies, other_conditions))


def _parts(plan: Operator) -> tuple[Operator, list[Expression], Values]:
    """A stream as conditions over the stream below its row maps, and its columns."""
    match plan:
        case algebra.Select() if not plan.subplans:
            base, conditions, values = _parts(plan.source)
            return (
                base,
                [*conditions, *(substituted(part, values) for part in conjuncts(plan.predicate))],
                values,
            )
        case algebra.Project() if not plan.subplans:
            base, conditions, values = _parts(plan.source)
            return base, conditions, {name: substituted(expr, values) for name, expr in plan.columns}
        case algebra.Stamp():
            base, conditions, values = _parts(plan.source)
            return base, conditions, {**values, plan.column: column(_TIME, plan.type)}
    return plan, [], {name: column(name, type_) for name, type_ in plan.schema}
