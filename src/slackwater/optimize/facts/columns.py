"""Which columns a plan or an expression looks at, and names that are not used yet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from slackwater.algebra import Operator
from slackwater.algebra.expressions import Column, Expression, Outer, Subquery
from slackwater.algebra.outer import outer_columns


def columns(expr: Expression) -> frozenset[str]:
    """The columns of the row that the value depends on, those its subqueries look at included."""
    found: set[str] = set()
    for node in expr.walk():
        if isinstance(node, Column):
            found.add(node.name)
        elif isinstance(node, Subquery):
            found |= outer_columns(node.plan)
    return frozenset(found)


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
    taken = {each for plan in plans for below in plan.walk() for each in below.schema.names}
    count, unique = 1, name
    while unique in taken:
        count += 1
        unique = f"{name}#{count}"
    return unique
