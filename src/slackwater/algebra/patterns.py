"""Row patterns: matches of a regular expression over the rows of each partition of a stream.      SQL:2016

    PATTERN (A B+ C?)       A, B and C are variables; DEFINE says which rows may be mapped to each

A pattern is a tree; its alternatives and repetitions are in the order in which matches are preferred.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from slackwater.algebra.expressions import Aggregation, Expression
from slackwater.algebra.operator import Kind, Unary, demand, demand_kind, once
from slackwater.algebra.schema import Schema
from slackwater.algebra.types import Type
from slackwater.base.time import INFINITY
from slackwater.base.tree import Part


@dataclass(frozen=True, slots=True)
class Pattern:
    """A part of a pattern."""

    def variables(self) -> Iterator[str]:
        """The variables in it, in the order in which they are written."""
        raise NotImplementedError

    @property
    def shortest(self) -> int:
        """The number of rows of its shortest match."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Variable(Pattern):
    """one row that the variable's condition accepts"""

    name: str

    def variables(self) -> Iterator[str]:
        yield self.name

    @property
    def shortest(self) -> int:
        return 1

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True)
class _Several(Pattern):
    """parts in order"""

    parts: tuple[Pattern, ...]

    def variables(self) -> Iterator[str]:
        for part in self.parts:
            yield from part.variables()


@dataclass(frozen=True, slots=True)
class Sequence(_Several):
    """the parts, one after the other"""

    @property
    def shortest(self) -> int:
        return sum(part.shortest for part in self.parts)

    def __str__(self) -> str:
        return f"({' '.join(map(str, self.parts))})"


@dataclass(frozen=True, slots=True)
class Choice(_Several):
    """one of the parts; an earlier one is preferred"""

    @property
    def shortest(self) -> int:
        return min(part.shortest for part in self.parts)

    def __str__(self) -> str:
        return f"({' | '.join(map(str, self.parts))})"


@dataclass(frozen=True, slots=True)
class Repeated(Pattern):
    """the part, `least` to `most` times; more are preferred, or, if it is reluctant, fewer"""

    part: Pattern
    least: int
    most: int | None
    reluctant: bool = False

    def variables(self) -> Iterator[str]:
        yield from self.part.variables()

    @property
    def shortest(self) -> int:
        return self.least * self.part.shortest

    def __str__(self) -> str:
        most = "" if self.most is None else str(self.most)
        return f"{self.part}{{{self.least},{most}}}{'?' if self.reluctant else ''}"


class Reading(StrEnum):
    """What is read of the rows that are mapped so far."""

    FIRST = "first"
    LAST = "last"
    AGGREGATE = "aggregate"
    CLASSIFIER = "classifier"
    NUMBER = "match_number"


@dataclass(frozen=True, slots=True)
class Read(Part):
    """A value of a match: of its first or last row of a variable, of all of them, or of the match itself.

    `offset` counts among the rows of the variable, from the first on or from the last back; `before` counts
    rows of the partition back from there, as PREV does. Without a variable all rows of the match count.
    """

    type: Type
    reading: Reading
    variable: str = ""
    offset: int = 0
    before: int = 0
    value: Expression | None = None
    aggregation: Aggregation | None = None


class Skip(StrEnum):
    """Where the search goes on after a match."""

    PAST_LAST = "past last row"
    TO_NEXT = "to next row"
    TO_FIRST = "to first"
    TO_LAST = "to last"


@dataclass(frozen=True, slots=True)
class Recognize(Unary):
    """⟦M p S⟧ = [ (measures(m), t) | m ∈ the matches of p in S, partition by partition, decided at t ]

    The rows of a partition are in the order of their instants and, at one instant, of their values. From
    each start the match is the first in the order of preference; then the search goes on as `skip` says,
    or, without a match, from the next row. It is decided at the first instant t at which the search finds it,
    or none, without looking at a row after t. The rows of a match are less than `within` apart.
    """

    partition: tuple[str, ...]
    pattern: Pattern
    reads: tuple[tuple[str, Read], ...]
    """What conditions and measures look at, by the names of their columns."""
    conditions: tuple[tuple[str, Expression], ...]
    """By variable; one without a condition accepts every row."""
    measures: tuple[tuple[str, Expression], ...]
    skip: Skip = Skip.PAST_LAST
    target: str = ""
    within: int = INFINITY

    def __post_init__(self) -> None:
        demand_kind(self.source, Kind.STREAM, "Recognize")
        demand(self.pattern.shortest > 0, "a match has rows")

    @property
    def kind(self) -> Kind:
        return Kind.STREAM

    @property
    @once
    def schema(self) -> Schema:
        own = tuple((name, self.source.schema.type_of(name)) for name in self.partition)
        return Schema(own + tuple((name, value.type) for name, value in self.measures))

    @property
    def context(self) -> Schema:
        """The columns that conditions and measures look at."""
        return Schema(tuple((name, read.type) for name, read in self.reads))

    @property
    def history(self) -> int:
        """How many rows before a match are looked at."""
        return max((read.before for _, read in self.reads), default=0)
