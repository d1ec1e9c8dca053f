"""What the expressions of a grouped query may name."""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlglot import exp

from slackwater.algebra.expressions import Aggregation, Expression, column
from slackwater.algebra.expressions.text import text_of
from slackwater.bind.scope import unique_names


@dataclass(slots=True)
class Grouping:
    """What a grouped query's expressions may name: its keys, and aggregates as they turn up."""

    keys: list[tuple[str, Expression]]
    written: list[exp.Expression]
    """The keys as the query writes them, in the same order."""
    aggregations: dict[Aggregation, str] = field(default_factory=dict)

    def key(self, value: Expression) -> Expression | None:
        return next((column(name, expr.type) for name, expr in self.keys if expr == value), None)

    def aggregate(self, call: Aggregation) -> Expression:
        if call not in self.aggregations:
            taken = [*(name for name, _ in self.keys), *self.aggregations.values(), text_of(call)]
            self.aggregations[call] = unique_names(taken)[-1]
        return column(self.aggregations[call], call.type)
