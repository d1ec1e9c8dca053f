"""Set operations by their words: UNION BY NAME, EXCEPT STRICT."""

from __future__ import annotations

from sqlglot import exp

from slackwater import algebra
from slackwater.algebra import Operator
from slackwater.algebra.expressions import Literal, column
from slackwater.algebra.types import NULL, Type
from slackwater.bind.coercion import coerced
from slackwater.language.cql import nodes


def set_operation(node: exp.SetOperation, left: Operator, right: Operator) -> Operator:
    """The set operation of two relations with equal columns."""
    match node:
        case nodes.MaxUnion():
            return algebra.MaxUnion(left, right)
        case nodes.StrictExcept():
            return algebra.StrictDifference(left, right)
        case exp.Union():
            union = algebra.Union(left, right)
            return algebra.Distinct(union) if node.args.get("distinct") else union
    kind = algebra.Except if isinstance(node, exp.Except) else algebra.Intersect
    if node.args.get("distinct"):
        left, right = algebra.Distinct(left), algebra.Distinct(right)
    return kind(left, right)


def by_name(left: Operator, right: Operator) -> tuple[Operator, Operator]:
    """Both sides with all columns that one of them has, in one order; what a side lacks is NULL."""
    known = {name.lower() for name in left.schema.names}
    more = [name for name in right.schema.names if name.lower() not in known]
    names = [*left.schema.names, *more]
    return _with_columns(left, names), _with_columns(right, names)


def _with_columns(side: Operator, names: list[str]) -> Operator:
    own = {name.lower(): (name, type_) for name, type_ in side.schema}
    columns = [
        (name, column(*own[name.lower()]) if name.lower() in own else Literal(NULL, None)) for name in names
    ]
    return algebra.Project(side, tuple(columns))


def cast_columns(side: Operator, names: tuple[str, ...], types: list[Type]) -> Operator:
    """A side of a set operation with the names and types that both sides share."""
    if side.schema.names == names and list(side.schema.types) == types:
        return side
    columns = [algebra.expressions.column(name, type_) for name, type_ in side.schema]
    values = [coerced(column, type_) for column, type_ in zip(columns, types, strict=True)]
    return algebra.Project(side, tuple(zip(names, values, strict=True)))
