"""Grouping and aggregation: one row for each group, as long as the group has rows."""

from __future__ import annotations

from dataclasses import dataclass

from slackwater.algebra.expressions import Aggregation, Expression
from slackwater.algebra.operator import Kind, Unary, demand_kind, once
from slackwater.algebra.schema import Schema


@dataclass(frozen=True, slots=True)
class Aggregate(Unary):
    """⟦α g f R⟧(t) = [ g ∘ f(G) | G a class of R(t) under equal g ]      PIPES 3.2.6, 3.2.7

    Rows whose g is NULL make one class. Without g there is one class, R(t) itself, even where it
    is empty: SQL's one row (COUNT 0, SUM NULL), from instant 0 on.
    """

    keys: tuple[tuple[str, Expression], ...]
    aggregations: tuple[tuple[str, Aggregation], ...]

    def __post_init__(self) -> None:
        demand_kind(self.source, Kind.RELATION, "Aggregate")

    @property
    @once
    def schema(self) -> Schema:
        keys = tuple((name, expr.type) for name, expr in self.keys)
        return Schema(keys + tuple((name, call.type) for name, call in self.aggregations))
