"""The columns of a grouped query."""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlglot import exp

from slackwater.algebra.expressions import Aggregation, Expression, column
from slackwater.algebra.expressions.text import text_of
from slackwater.bind.scope import unique_names


@dataclass(slots=True)
class Grouping:
    """The columns that a grouped query's expressions may use: its keys, and the aggregates bound so far."""

    keys: list[tuple[str, Expression]]
    nodes: list[exp.Expression]
    """The keys as written in the query, in the same order."""
    aggregations: dict[Aggregation, str] = field(default_factory=dict)

    def key(self, value: Expression) -> Expression | None:
        return next((column(name, expr.type) for name, expr in self.keys if expr == value), None)

    def aggregate(self, call: Aggregation) -> Expression:
        if call not in self.aggregations:
            names = [*(name for name, _ in self.keys), *self.aggregations.values(), text_of(call)]
            self.aggregations[call] = unique_names(names)[-1]
        return column(self.aggregations[call], call.type)
