"""Best matches: the pairs of two relations that no other pair matches better.      thesis 4.2

y₂                   R = [A], S = [a, b, c, d], dimensions |A.y₁ - s.y₁| MIN, |A.y₂ - s.y₂| MIN
│    b
│                    A b     best in y₁
│    A   c           A c     best in y₂
│      a             A a     better than b in y₂, and than c in y₁
│        d           A d     dominated by A a, which is better in both
└──────────── y₁
"""

from __future__ import annotations

from dataclasses import dataclass

from slackwater.algebra.expressions import Call, Cast, Expression, Literal, conjunction, conjuncts
from slackwater.algebra.joins import Conditional, Side
from slackwater.algebra.operator import demand, once
from slackwater.algebra.orders import MIN, Order
from slackwater.algebra.schema import Schema
from slackwater.algebra.types import BOOLEAN, Type, common
from slackwater.base.tree import Part


@dataclass(frozen=True, slots=True)
class Dimension(Part):
    """One respect in which pairs are compared: an order of a value of x ∘ y, or of one of x and one of y.

    A bound is a limit that a pair must not exceed: the value is at most the bound of a MIN, at least that of
    a MAX.
    """

    operands: tuple[Expression, ...]
    order: Order
    bound: Literal | None = None

    def __post_init__(self) -> None:
        demand(len(self.operands) == (1 if self.order.is_total else 2), "an order has its operands")
        demand(self.bound is None or self.order.is_total, "only a value has a bound")
        demand(self.bound is None or self.bound.value is not None, "a bound is a value")

    @property
    def admits(self) -> list[Expression]:
        """The conditions on a pair: no operand is NULL, the value is within the bound."""
        if self.bound is None:
            return [_not_null(operand) for operand in self.operands]
        within = "le" if self.order == MIN else "ge"
        type_ = common(self.operands[0].type, self.bound.type) or self.bound.type
        sides = (_as(self.operands[0], type_), _as(self.bound, type_))
        return [Call(BOOLEAN, within, sides, origin=self.bound.origin)]


@dataclass(frozen=True, slots=True)
class BestMatch(Conditional):
    """⟦R ⊠ S⟧(t) = [ c | c ∈ C(t), ∄ c' ∈ C(t): c' ~ c, c' ≺ c ]      thesis 4.2.4 to 4.2.6, 4.2.12, 4.2.13

    C = R ⋈ q S, the candidates: q is the condition `on`, each dimension is not NULL and within its bound.
    c' ≺ c, c' dominates c: it is at least as good in every dimension, and c is not in one of them. So equal
    pairs do not dominate each other, and copies stay. c' ~ c, they compete: any two without a side; those
    with the same x for LEFT, the same y for RIGHT. For FULL a pair stays that is not dominated among those
    of its x, or not among those of its y.
    """

    dimensions: tuple[Dimension, ...]
    side: Side | None = None

    def __post_init__(self) -> None:
        # slots: the class that `super()` would name is another one.
        Conditional.__post_init__(self)
        demand(bool(self.dimensions), "a best match has a dimension")

    @property
    @once
    def schema(self) -> Schema:
        return self.pair

    @property
    def admits(self) -> Expression:
        """The condition q of a candidate."""
        conditions = [] if _is_true(self.on) else conjuncts(self.on)
        conditions += [part for dimension in self.dimensions for part in dimension.admits]
        condition = conjunction(conditions)
        assert condition is not None
        return condition


def _not_null(expr: Expression) -> Expression:
    return Call(BOOLEAN, "not", (Call(BOOLEAN, "is_null", (expr,)),))


def _as(expr: Expression, type_: Type) -> Expression:
    return expr if expr.type == type_ else Cast(type_, expr, origin=expr.origin)


def _is_true(expr: Expression) -> bool:
    return isinstance(expr, Literal) and expr.value is True
