"""Row maps: what looks at one row at a time and leaves time and multiplicity alone."""

from __future__ import annotations

from dataclasses import dataclass

from slackwater.algebra.expressions import Column, Expression, column
from slackwater.algebra.expressions.casts import inner_types
from slackwater.algebra.operator import Kind, Operator, Unary, demand, once
from slackwater.algebra.schema import Schema
from slackwater.algebra.types import BIGINT, BOOLEAN, NULL, Type, element_of


@dataclass(frozen=True, slots=True)
class RowMap(Unary):
    """An operator on each row by itself: of a stream it makes a stream, of a relation a relation."""

    @property
    @once
    def kind(self) -> Kind:
        return self.source.kind


@dataclass(frozen=True, slots=True)
class Select(RowMap):
    """⟦σ p R⟧(t) = [ x | x ∈ R(t), p(x) is true ]      PIPES 3.2.1

    Over a stream it keeps the elements whose row p accepts: ⟦σ p S⟧ = [ (x, u) ∈ S | p(x) ].
    """

    predicate: Expression

    def __post_init__(self) -> None:
        demand(self.predicate.type in (BOOLEAN, NULL), f"a predicate is {BOOLEAN}")


@dataclass(frozen=True, slots=True)
class Project(RowMap):
    """⟦π f R⟧(t) = [ f(x) | x ∈ R(t) ]      PIPES 3.2.2, map: duplicates stay

    Over a stream it maps every element's row: ⟦π f S⟧ = [ (f(x), u) | (x, u) ∈ S ].
    """

    columns: tuple[tuple[str, Expression], ...]

    @property
    @once
    def schema(self) -> Schema:
        return Schema(tuple((name, expr.type) for name, expr in self.columns))

    @property
    def is_rename(self) -> bool:
        """Whether it only gives the input's columns, in order, other names."""
        return len(self.columns) == len(self.source.schema) and all(
            isinstance(expr, Column) and expr.name == old
            for (_, expr), old in zip(self.columns, self.source.schema.names, strict=True)
        )


@dataclass(frozen=True, slots=True)
class Group(RowMap):
    """⟦π j (γ f R)⟧(t) = [ x | x ∈ R(t), f(x) = j ]      PIPES 3.2.6

    PIPES' group splits a stream into one stream per value of f; this is the one for the value j.
    f(x) = j is SQL's IS NOT DISTINCT FROM: NULL makes a group of its own.
    """

    by: Expression
    member: Expression


@dataclass(frozen=True, slots=True)
class Unnest(RowMap):
    """⟦μ a R⟧(t) = [ x ∘ a(x)ᵢ | x ∈ R(t), 1 ≤ i ≤ |a(x)| ]: a row for each element of an array

    Several arrays are read side by side, up to the longest: |a, b| = max(|a|, |b|), and what a shorter one
    lacks is NULL. An array that is NULL has no elements. If `keeps`, a row without elements stays. With
    `fields`, the one array is of structs, and has a column for each of their fields.
    """

    arrays: tuple[tuple[str, Expression], ...]
    """Each with the name of the column of its elements."""
    ordinal: str = ""
    """The column that has i, if it is not empty."""
    keeps: bool = False
    dropped: tuple[str, ...] = ()
    """Columns of the input that the result does not have: an array is not copied for each of its elements."""
    fields: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        demand(not self.fields or len(self.arrays) == 1, "the fields of the elements of one array")
        for _, values in self.arrays:
            demand(values.type.name in ("array", "null"), f"an array is unnested, not a {values.type}")

    @property
    @once
    def schema(self) -> Schema:
        stay = tuple((name, type_) for name, type_ in self.source.schema if name not in self.dropped)
        return Schema(stay + self.added)

    @property
    def added(self) -> tuple[tuple[str, Type], ...]:
        """The columns behind those of the input."""
        elements = tuple((name, element_of(values.type)) for name, values in self.arrays)
        if self.fields:
            elements = tuple(zip(self.fields, inner_types(elements[0][1]), strict=True))
        return (*elements, (self.ordinal, BIGINT)) if self.ordinal else elements


def renamed(plan: Operator, names: tuple[str, ...]) -> Operator:
    """The plan with its columns called `names`; itself when they already are."""
    if plan.schema.names == names:
        return plan
    pairs = zip(names, plan.schema.columns, strict=True)
    return Project(plan, tuple((new, column(old, type_)) for new, (old, type_) in pairs))
