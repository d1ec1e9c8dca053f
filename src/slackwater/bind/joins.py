"""Joins by their words: LEFT, SEMI, USING."""

from __future__ import annotations

from sqlglot import exp

from slackwater import algebra
from slackwater.algebra import Operator, Side
from slackwater.algebra.expressions import Call, Expression


def joined(kind: str, left: Operator, right: Operator, condition: Expression | None) -> Operator:
    """The join of that kind; without a condition all pairs."""
    if condition is None:
        return algebra.Product(left, right)
    match kind:
        case "semi":
            return algebra.SemiJoin(left, right, condition)
        case "anti":
            return algebra.AntiJoin(left, right, condition)
        case "left" | "right" | "full":
            return algebra.OuterJoin(left, right, condition, Side(kind))
        case _:
            return algebra.Join(left, right, condition)


def merged_column(kind: str, left: Expression, right: Expression) -> Expression:
    """The column that USING merges two into: the side never filled with NULLs, or COALESCE of both."""
    if kind == "full":
        return Call(left.type, "coalesce", (left, right))
    return right if kind == "right" else left


def kind_of(join: exp.Join) -> str:
    """inner, cross, left, right, full, semi or anti."""
    kind, side = (str(join.args.get(part) or "").lower() for part in ("kind", "side"))
    return kind if kind in ("semi", "anti") else side or kind or "inner"
