"""Sources: where streams and relations come from."""

from __future__ import annotations

from dataclasses import dataclass, field

from slackwater.algebra.operator import Kind, Leaf
from slackwater.algebra.schema import Schema


@dataclass(frozen=True, slots=True)
class Stream(Leaf):
    """⟦S⟧ = [ (x, u) | x arrived with time u ]      CQL definition 1

    A bag: two elements may be equal, and those of one instant have no order.
    """

    name: str
    columns: Schema
    time: str | None = None
    """The column that has u as a number or a timestamp, where there is one."""

    @property
    def schema(self) -> Schema:
        return self.columns

    @property
    def kind(self) -> Kind:
        return Kind.STREAM


@dataclass(frozen=True, slots=True)
class Relation(Leaf):
    """⟦R⟧(t) = [ x | inserted at some u ≤ t and not deleted since ]      CQL definition 2"""

    name: str
    columns: Schema
    key: tuple[str, ...] = ()
    append_only: bool = field(default=False)

    @property
    def schema(self) -> Schema:
        return self.columns


@dataclass(frozen=True, slots=True)
class Unit(Leaf):
    """⟦1⟧(t) = [ () ]      what a SELECT without FROM selects from"""

    @property
    def schema(self) -> Schema:
        return Schema(())
