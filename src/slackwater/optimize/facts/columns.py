"""Which columns a plan or an expression looks at, and names that are not used yet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from slackwater.algebra import Operator
from slackwater.algebra.expressions import Column, Expression, Outer, Subquery
from slackwater.algebra.outer import outer_columns


def columns(expr: Expression) -> frozenset[str]:
    """The columns of the row that the value depends on, those its subqueries look at included."""
    names: set[str] = set()
    for node in expr.walk():
        if isinstance(node, Column):
            names.add(node.name)
        elif isinstance(node, Subquery):
            names |= outer_columns(node.plan)
    return frozenset(names)


def outer_of(expr: Expression) -> frozenset[str]:
    """The columns of enclosing rows that the expression itself names."""
    return frozenset(node.name for node in expr.walk() if isinstance(node, Outer))


def subqueries(exprs: Iterable[Expression]) -> Iterator[Subquery]:
    """The subqueries in the expressions, innermost first."""
    for expr in exprs:
        yield from subqueries(expr.parts)
        if isinstance(expr, Subquery):
            yield expr


def has_subquery(expr: Expression) -> bool:
    return any(isinstance(node, Subquery) for node in expr.walk())


def fresh(name: str, *plans: Operator) -> str:
    """The name, or the first numbered one of it that no column of the plans has."""
    used = {column for plan in plans for node in plan.walk() for column in node.schema.names}
    count, unique = 1, name
    while unique in used:
        count += 1
        unique = f"{name}#{count}"
    return unique
