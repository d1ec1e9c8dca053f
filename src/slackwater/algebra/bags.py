"""Bags: operators that only count copies of rows. m and n are a row's copies in R and S at t."""

from __future__ import annotations

from dataclasses import dataclass

from slackwater.algebra.operator import Binary, Kind, Unary, demand, demand_kind, once
from slackwater.algebra.schema import Schema


@dataclass(frozen=True, slots=True)
class Distinct(Unary):
    """δ R: min(m, 1) copies      PIPES 3.2.4"""

    def __post_init__(self) -> None:
        demand_kind(self.source, Kind.RELATION, "Distinct")


@dataclass(frozen=True, slots=True)
class Single(Unary):
    """⟦1 k R⟧(t) = R(t) if R(t) has at most one row for each k, else an error of the data

    What is left of a subquery that is used as a value: it must not have more than one row.
    """

    keys: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        demand_kind(self.source, Kind.RELATION, "Single")
        demand(all(name in self.source.schema for name in self.keys), "single by its columns")


@dataclass(frozen=True, slots=True)
class Counted(Binary):
    """What the operators on two bags of one schema share."""

    def __post_init__(self) -> None:
        demand_kind(self.left, Kind.RELATION, type(self).__name__)
        demand_kind(self.right, Kind.RELATION, type(self).__name__)
        demand(self.left.schema == self.right.schema, "both sides have one schema")

    @property
    @once
    def schema(self) -> Schema:
        return self.left.schema


@dataclass(frozen=True, slots=True)
class Union(Counted):
    """R ∪₊ S: m + n copies      PIPES 3.2.8"""


@dataclass(frozen=True, slots=True)
class Except(Counted):
    """R - S: max(m - n, 0) copies      PIPES 3.2.5, difference"""


@dataclass(frozen=True, slots=True)
class Intersect(Counted):
    """R ∩ S = R - (R - S): min(m, n) copies      PIPES 3.6"""


@dataclass(frozen=True, slots=True)
class MaxUnion(Counted):
    """R ∪max S: max(m, n) copies      PIPES 3.7"""


@dataclass(frozen=True, slots=True)
class StrictDifference(Counted):
    """R -strict S = R - (R ⋉= S): m copies if n = 0, else none      PIPES 3.8"""
