"""Joins: rows of two relations that are alive at the same instant."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from slackwater.algebra.expressions import Expression, Table
from slackwater.algebra.operator import Binary, Kind, Unary, demand_kind, once
from slackwater.algebra.schema import Schema


@dataclass(frozen=True, slots=True)
class Product(Binary):
    """⟦R × S⟧(t) = [ x ∘ y | x ∈ R(t), y ∈ S(t) ]      PIPES 3.2.3"""

    def __post_init__(self) -> None:
        _demand_relations(self)

    @property
    @once
    def schema(self) -> Schema:
        return self.left.schema + self.right.schema


@dataclass(frozen=True, slots=True)
class Conditional(Binary):
    """What the joins with a condition share: `on` is evaluated on x ∘ y."""

    on: Expression

    def __post_init__(self) -> None:
        _demand_relations(self)

    @property
    def pair(self) -> Schema:
        """The schema of x ∘ y."""
        return self.left.schema + self.right.schema


@dataclass(frozen=True, slots=True)
class Join(Conditional):
    """R ⋈ p S = σ p (R × S)      PIPES 3.4"""

    @property
    @once
    def schema(self) -> Schema:
        return self.pair


@dataclass(frozen=True, slots=True)
class SemiJoin(Conditional):
    """⟦R ⋉ p S⟧(t) = [ x | x ∈ R(t), ∃ y ∈ S(t): p(x ∘ y) is true ]      PIPES 3.5

    PIPES writes R ⋈ δ(S), which counts x once for each different partner; what its text describes,
    and what SQL's semi-join gives, is x as often as R has it.
    """

    @property
    @once
    def schema(self) -> Schema:
        return self.left.schema


@dataclass(frozen=True, slots=True)
class AntiJoin(Conditional):
    """⟦R ▷ p S⟧(t) = [ x | x ∈ R(t), ∄ y ∈ S(t): p(x ∘ y) is true ]      CQL table 1"""

    @property
    @once
    def schema(self) -> Schema:
        return self.left.schema


class Side(StrEnum):
    LEFT = "left"
    RIGHT = "right"
    FULL = "full"


@dataclass(frozen=True, slots=True)
class OuterJoin(Conditional):
    """R ⟕ p S = (R ⋈ p S) ∪ ((R ▷ p S) × [NULL…]); ⟖ the same from the right; ⟗ both"""

    side: Side = Side.LEFT

    @property
    @once
    def schema(self) -> Schema:
        return self.pair


@dataclass(frozen=True, slots=True)
class DependentJoin(Unary):
    """⟦R ⋉→ Q⟧(t) = [ x ∘ y | x ∈ R(t), y ∈ Q(x)(t) ]: SQL's LATERAL

    Q is a query for the columns of x that it looks at. If it `keeps` x, one without y is followed by NULLs.
    """

    query: Table
    keeps: bool = False

    def __post_init__(self) -> None:
        demand_kind(self.source, Kind.RELATION, "DependentJoin")
        demand_kind(self.query.plan, Kind.RELATION, "DependentJoin")

    @property
    @once
    def schema(self) -> Schema:
        return self.source.schema + self.query.plan.schema


def _demand_relations(join: Binary) -> None:
    demand_kind(join.left, Kind.RELATION, type(join).__name__)
    demand_kind(join.right, Kind.RELATION, type(join).__name__)
