"""Keys: sets of columns of which no two rows of a relation, at one instant, have equal values."""

from __future__ import annotations

from slackwater import algebra
from slackwater.algebra import Operator
from slackwater.algebra.expressions import Column
from slackwater.algebra.operator import once

Key = frozenset[str]


@once
def keys(plan: Operator) -> frozenset[Key]:
    """Keys that the plan's shape shows; not all there are."""
    match plan:
        case algebra.Relation():
            return frozenset((frozenset(plan.key),)) if plan.key else frozenset()
        case algebra.Unit():
            return frozenset((frozenset[str](),))
        case algebra.Distinct():
            return keys(plan.source) | {frozenset(plan.schema.names)}
        case algebra.Aggregate():
            return frozenset((frozenset(name for name, _ in plan.keys),))
        case algebra.Select() | algebra.Group():
            return keys(plan.source)
        case algebra.SemiJoin() | algebra.AntiJoin():
            return keys(plan.left)
        case algebra.Product() | algebra.Join():
            return frozenset(one | other for one in keys(plan.left) for other in keys(plan.right))
        case algebra.Project():
            renamed = (_renamed(plan, key) for key in keys(plan.source))
            return frozenset(key for key in renamed if key is not None)
        case _:
            return frozenset()


def _renamed(plan: algebra.Project, key: Key) -> Key | None:
    """The key under the names that the projection gives it, if it keeps all of it."""
    # The first name wins where a column is given several.
    pairs = reversed(plan.columns)
    names = {expr.name: name for name, expr in pairs if isinstance(expr, Column)}
    return frozenset(names[column] for column in key) if key <= names.keys() else None


def has_one_row(plan: Operator) -> bool:
    """Whether the relation has exactly one row at every instant: SQL's aggregate without GROUP BY."""
    while isinstance(plan, algebra.Project):
        plan = plan.source
    return isinstance(plan, algebra.Unit) or (isinstance(plan, algebra.Aggregate) and not plan.keys)


def is_distinct(plan: Operator) -> bool:
    """Whether no row of the relation occurs twice."""
    return bool(keys(plan))
