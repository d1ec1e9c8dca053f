"""Keys: sets of columns of which no two rows of a relation, at one instant, have equal values."""

from __future__ import annotations

from slackwater import algebra
from slackwater.algebra import Operator
from slackwater.algebra.expressions import Call, Column, conjuncts
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
        case algebra.Select() | algebra.Group() | algebra.When() | algebra.Synchronize():
            return keys(plan.source)
        case algebra.Sessions():
            return keys(plan.source)
        case algebra.Assign():
            return frozenset(key | {plan.start, plan.end} for key in keys(plan.source))
        case algebra.Over():
            return keys(plan.source) | _places(plan)
        case algebra.Rows(count=1, partition=partition):
            return frozenset((frozenset(partition),))
        case algebra.SemiJoin() | algebra.AntiJoin():
            return keys(plan.left)
        case algebra.Product() | algebra.Join():
            pairs = frozenset(one | other for one in keys(plan.left) for other in keys(plan.right))
            return pairs | (keys(plan.left) if _has_one_partner(plan) else frozenset())
        case algebra.Project():
            renamed = (_renamed(plan, key) for key in keys(plan.source))
            return frozenset(key for key in renamed if key is not None)
        case _:
            return frozenset()


def _places(plan: algebra.Over) -> frozenset[Key]:
    """A partition has each row number once; with a limit of one row, it has one row."""
    numbers = [name for name, call in plan.calls if getattr(call, "function", "") == "row_number"]
    partition = frozenset(plan.partition)
    is_one = plan.limit is not None and plan.limit[1] <= 1 and plan.limit[0] in numbers
    return frozenset(partition | {name} for name in numbers) | (
        frozenset((partition,)) if is_one else frozenset()
    )


def _has_one_partner(plan: Operator) -> bool:
    """Whether a row of the left side meets at most one of the right: its key is equal to left columns."""
    if not isinstance(plan, algebra.Join):
        return False
    equal = {
        two.name
        for condition in conjuncts(plan.on)
        if isinstance(condition, Call) and condition.function in ("eq", "is_not_distinct_from")
        for one, two in (condition.arguments, condition.arguments[::-1])
        if isinstance(one, Column) and isinstance(two, Column) and one.name in plan.left.schema
    }
    return any(key <= equal for key in keys(plan.right))


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


def smallest_key(plan: Operator) -> Key | None:
    """The key of fewest columns; None where no key is known, or several are the smallest."""
    known = sorted(keys(plan), key=len)
    is_unique = len(known) == 1 or (len(known) > 1 and len(known[0]) < len(known[1]))
    return known[0] if is_unique else None
