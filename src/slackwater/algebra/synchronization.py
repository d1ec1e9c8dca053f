"""Synchronization: relations that are refreshed at time points, and conditions on the current time.

SyncSQL, sections 2 to 4:

time        0   1   2   3   4   5   6
R               a      ab   b       bc
points      •       •       •       •
R sync              a       b       bc      at each point what R has there, and until the next one
"""

from __future__ import annotations

from dataclasses import dataclass

from slackwater.algebra.expressions import Expression
from slackwater.algebra.now import thresholds
from slackwater.algebra.operator import Kind, Leaf, Operator, Unary, demand, demand_kind, once
from slackwater.algebra.points import ALL, Points
from slackwater.algebra.schema import Schema
from slackwater.algebra.types import BIGINT, BOOLEAN, NULL, Type

TIMEPOINT = "Timepoint"
STAMP = "TS"


@dataclass(frozen=True, slots=True)
class Ticks(Leaf):
    """⟦ticks P⟧ = [ (p, p) | p ∈ P ]      SyncSQL 3.2: clockStr is ticks of every instant"""

    points: Points = ALL
    type: Type = BIGINT
    column: str = TIMEPOINT

    @property
    @once
    def schema(self) -> Schema:
        return Schema(((self.column, self.type),))

    @property
    def kind(self) -> Kind:
        return Kind.STREAM


@dataclass(frozen=True, slots=True)
class Stamp(Unary):
    """⟦τ S⟧ = [ (x ∘ u, u) | (x, u) ∈ S ]      SyncSQL 2.1: the timestamp as the attribute TS"""

    column: str = STAMP
    type: Type = BIGINT

    def __post_init__(self) -> None:
        demand_kind(self.source, Kind.STREAM, "Stamp")
        demand(self.column not in self.source.schema, "a stamp is a new column")

    @property
    @once
    def schema(self) -> Schema:
        return self.source.schema + Schema(((self.column, self.type),))

    @property
    def kind(self) -> Kind:
        return Kind.STREAM


@dataclass(frozen=True, slots=True)
class When(Unary):
    """⟦R when p⟧(t) = [ x | x ∈ R(t), p(x, now) is true ], now = max { u ∈ P | u ≤ t }      SyncSQL 2.2, 3.3

    A predicate window. P is the clock, unless the window slides; before the first point there is no now, and
    no row. p compares `Now` with values of the row, so that it is true of a row in a few intervals.
    """

    predicate: Expression
    points: Points = ALL

    def __post_init__(self) -> None:
        demand_kind(self.source, Kind.RELATION, "When")
        demand(self.predicate.type in (BOOLEAN, NULL), f"a predicate is {BOOLEAN}")
        demand(thresholds(self.predicate) is not None, "now is compared with values of the row")


@dataclass(frozen=True, slots=True)
class Synchronize(Operator):
    """⟦ℜ P R⟧(t) = R(max { u ∈ P | u ≤ t }), and nothing before the first point      SyncSQL definition 2

    P is a set of instants and, with `events`, the instants at which that stream has an element.
    """

    source: Operator
    points: Points = ALL
    events: Operator | None = None

    def __post_init__(self) -> None:
        demand_kind(self.source, Kind.RELATION, "Synchronize")
        if self.events is not None:
            demand_kind(self.events, Kind.STREAM, "Synchronize by")

    @property
    def inputs(self) -> tuple[Operator, ...]:
        return (self.source,) if self.events is None else (self.source, self.events)

    @property
    @once
    def schema(self) -> Schema:
        return self.source.schema
