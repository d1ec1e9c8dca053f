"""Expressions over rows: the nodes, and the table of functions they may call."""

from slackwater.algebra.expressions.nodes import (
    Aggregation,
    Call,
    Case,
    Cast,
    Column,
    Exists,
    Expression,
    Literal,
    Outer,
    Quantified,
    Scalar,
    Subquery,
    changed,
    column,
    conjunction,
    conjuncts,
)

__all__ = [
    "Aggregation",
    "Call",
    "Case",
    "Cast",
    "Column",
    "Exists",
    "Expression",
    "Literal",
    "Outer",
    "Quantified",
    "Scalar",
    "Subquery",
    "changed",
    "column",
    "conjunction",
    "conjuncts",
]
