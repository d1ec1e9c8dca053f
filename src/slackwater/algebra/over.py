"""OVER: to each row of a relation, values that depend on the other rows of its partition."""

from __future__ import annotations

from dataclasses import dataclass

from slackwater.algebra.expressions.nodes import Column
from slackwater.algebra.expressions.over import OverCall, SortKey
from slackwater.algebra.operator import Kind, Unary, demand, demand_kind, once
from slackwater.algebra.schema import Schema

LIMITS = ("row_number", "rank")
"""The functions of which a limit can be."""


@dataclass(frozen=True, slots=True)
class Over(Unary):
    """⟦Over k o f R⟧(t) = [ x ∘ f(x, P) | x ∈ R(t), P the rows of R(t) with the k of x, ordered by o ]

    Rows that o does not tell apart are ordered by all their columns, in the order of the schema, each
    ascending with NULL first. Rows that are equal in all columns are interchangeable, so that the answer is
    a function of the bag.

    With a limit (c, n) it is σ (c ≤ n) of that, where c is a ROW_NUMBER or RANK among f.
    """

    partition: tuple[str, ...]
    order: tuple[SortKey, ...]
    calls: tuple[tuple[str, OverCall], ...]
    limit: tuple[str, int] | None = None

    def __post_init__(self) -> None:
        demand_kind(self.source, Kind.RELATION, "Over")
        names = (*self.partition, *(key.column for key in self.order))
        demand(all(name in self.source.schema for name in names), "Over looks at columns of its input")
        demand(
            all(isinstance(expr, Column) or not expr.parts for expr in self.expressions), "of columns only"
        )
        for _, call in self.calls:
            demand(not call.frame.has_distance or len(self.order) == 1, "a distance is in one column")
        if self.limit is not None:
            limited = dict(self.calls)[self.limit[0]]
            demand(getattr(limited, "function", "") in LIMITS, "a limit of a ROW_NUMBER or RANK")
            demand(
                all(call.looks_back for _, call in self.calls), "a limit drops only rows that none looks at"
            )

    @property
    @once
    def schema(self) -> Schema:
        return self.source.schema + Schema(tuple((name, call.type) for name, call in self.calls))

    @property
    @once
    def looks_at(self) -> frozenset[str]:
        """The columns of the input that it looks at: all of them where ties matter."""
        if not all(call.is_of_peers for _, call in self.calls):
            return frozenset(self.source.schema.names)
        arguments = {expr.name for expr in self.expressions if isinstance(expr, Column)}
        return frozenset((*self.partition, *(key.column for key in self.order), *arguments))
