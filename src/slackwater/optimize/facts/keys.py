"""Keys: sets of columns of which no two rows of a relation, at one instant, have equal values."""

from __future__ import annotations

from slackwater.algebra import (
    Aggregate,
    AntiJoin,
    Distinct,
    Group,
    Join,
    Operator,
    Product,
    Project,
    Relation,
    Select,
    SemiJoin,
    Unit,
)
from slackwater.algebra.expressions import Column
from slackwater.algebra.operator import once

Key = frozenset[str]


@once
def keys(plan: Operator) -> frozenset[Key]:
    """Keys that the plan's shape shows; not all there are."""
    match plan:
        case Relation():
            return frozenset((frozenset(plan.key),)) if plan.key else frozenset()
        case Unit():
            return frozenset((frozenset[str](),))
        case Distinct():
            return keys(plan.source) | {frozenset(plan.schema.names)}
        case Aggregate():
            return frozenset((frozenset(name for name, _ in plan.keys),))
        case Select() | Group():
            return keys(plan.source)
        case SemiJoin() | AntiJoin():
            return keys(plan.left)
        case Product() | Join():
            return frozenset(one | other for one in keys(plan.left) for other in keys(plan.right))
        case Project():
            return frozenset(found for key in keys(plan.source) if (found := _kept(plan, key)) is not None)
        case _:
            return frozenset()


def _kept(plan: Project, key: Key) -> Key | None:
    """The key under the names that the projection gives it, if it keeps all of it."""
    # The first name wins where a column is given several.
    pairs = reversed(plan.columns)
    names = {expr.name: name for name, expr in pairs if isinstance(expr, Column)}
    return frozenset(names[each] for each in key) if key <= names.keys() else None


def has_one_row(plan: Operator) -> bool:
    """Whether the relation has exactly one row at every instant: SQL's aggregate without GROUP BY."""
    while isinstance(plan, Project):
        plan = plan.source
    return isinstance(plan, Unit) or (isinstance(plan, Aggregate) and not plan.keys)


def is_distinct(plan: Operator) -> bool:
    """Whether no row of the relation occurs twice."""
    return bool(keys(plan))
