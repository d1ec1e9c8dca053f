"""Statistics: what is known of sources, declared or measured, and what is assumed of others.

    CREATE STREAM trades (symbol STRING, price DOUBLE) TIME ts
      WITH (rate = '1000 per second', distinct_values = 'symbol 500');

Times are counted in chronons here, as in plans: a rate is a number of elements per chronon.

The defaults below are for sources of which nothing is declared. They make estimates possible; no plan is
chosen by them (`knows`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from slackwater.algebra import Operator, Relation, Schema, Stream
from slackwater.algebra.operator import once
from slackwater.algebra.types import Type

RATE: Final = 1.0
"""Elements of a stream per chronon, or, where time is that of timestamps, per second."""
ROWS: Final = 10_000.0
"""Rows of a relation."""
DISTINCT: Final = 100.0
"""Different values of a column."""
HORIZON: Final = 86_400.0
"""Chronons after which the state of an unbounded window is estimated, and over which the rows that a relation
has at the start are divided."""
ELEMENT: Final = 24.0
"""Bytes of an element beside its row: from, to and n."""
_WIDTHS: Final[Mapping[str, float]] = {
    "boolean": 1, "tinyint": 1, "smallint": 2, "int": 4, "bigint": 8, "float": 4, "double": 8, "date": 4,
    "timestamp": 8, "timestamp_ntz": 8, "decimal": 16, "null": 1,
}  # fmt: skip
_LONG: Final = 24.0
"""Bytes of a string, an array or a struct."""


@dataclass(frozen=True, slots=True)
class SourceStatistics:
    """What is known of one source; None is not known."""

    rate: float | None = None
    """Elements per chronon; of a relation, rows that are replaced."""
    rows: float | None = None
    """The rows of a relation at an instant."""
    distinct: Mapping[str, float] = field(default_factory=dict)
    """Different values, by column; names in lower case."""
    width: float | None = None
    """Bytes of a row."""

    @property
    def is_known(self) -> bool:
        return self.rate is not None or self.rows is not None


UNKNOWN: Final = SourceStatistics()


@dataclass(frozen=True, slots=True)
class Statistics:
    """What is known of all sources, by their names in lower case, and of conditions."""

    sources: Mapping[str, SourceStatistics] = field(default_factory=dict)
    selectivities: Mapping[str, float] = field(default_factory=dict)
    """The share of rows that a condition accepts, by its text in `explain`."""
    horizon: float = HORIZON
    rate: float = RATE
    """Elements per chronon of a stream of which nothing is known."""

    def of(self, source: Stream | Relation) -> SourceStatistics:
        return self.sources.get(source.name.lower(), UNKNOWN)

    def knows(self, plan: Operator) -> bool:
        """Whether something is known of every source of the plan."""
        return all(self.sources.get(name, UNKNOWN).is_known for name in _sources(plan))

    def updated(self, other: Statistics) -> Statistics:
        """With what the other knows, which may be newer."""
        sources = {**self.sources}
        for name, newer in other.sources.items():
            sources[name] = _merged(sources.get(name, UNKNOWN), newer)
        return Statistics(sources, {**self.selectivities, **other.selectivities}, self.horizon, self.rate)


@once
def _sources(plan: Operator) -> frozenset[str]:
    """The names of the sources of the plan, in lower case."""
    own = frozenset([plan.name.lower()] if isinstance(plan, Stream | Relation) else [])
    return own.union(*map(_sources, (*plan.inputs, *plan.subplans)))


NO_STATISTICS: Final = Statistics()


def _merged(older: SourceStatistics, newer: SourceStatistics) -> SourceStatistics:
    return SourceStatistics(
        older.rate if newer.rate is None else newer.rate,
        older.rows if newer.rows is None else newer.rows,
        {**older.distinct, **newer.distinct},
        older.width if newer.width is None else newer.width,
    )


def width_of(schema: Schema) -> float:
    """About how many bytes an element of these columns has."""
    return ELEMENT + sum(_width(type_) for type_ in schema.types)


def _width(type_: Type) -> float:
    return _WIDTHS.get(type_.name, _LONG)
