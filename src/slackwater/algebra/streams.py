"""From relations to streams: rows that come, that go, and that are there.      CQL 6.3

R        t=0 []   1 [a]   2 [a b]   3 [b]   4 [b]
Istream          (a,1)    (b,2)
Dstream                             (a,3)
Rstream          (a,1)  (a,2)(b,2)  (b,3)  (b,4) …
"""

from __future__ import annotations

from dataclasses import dataclass

from slackwater.algebra.operator import Kind, Unary, demand_kind


@dataclass(frozen=True, slots=True)
class ToStream(Unary):
    """What the three share."""

    def __post_init__(self) -> None:
        demand_kind(self.source, Kind.RELATION, type(self).__name__)

    @property
    def kind(self) -> Kind:
        return Kind.STREAM


@dataclass(frozen=True, slots=True)
class Istream(ToStream):
    """⟦Istream R⟧ = [ (x, t) | x ∈ R(t) - R(t - 1) ], with R(-1) empty"""


@dataclass(frozen=True, slots=True)
class Dstream(ToStream):
    """⟦Dstream R⟧ = [ (x, t) | x ∈ R(t - 1) - R(t) ]"""


@dataclass(frozen=True, slots=True)
class Rstream(ToStream):
    """⟦Rstream R⟧ = [ (x, t) | x ∈ R(t) ]"""
