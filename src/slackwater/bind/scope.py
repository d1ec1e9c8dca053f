"""Which column a name means: the sources of one FROM, and the queries around it."""

from __future__ import annotations

from dataclasses import dataclass, field

from slackwater.algebra import Operator
from slackwater.algebra.expressions import Expression, column
from slackwater.algebra.types import Type


@dataclass(frozen=True, slots=True)
class Field:
    """A column of a source: what users call it, what the plan calls it, and its type."""

    name: str
    column: str
    type: Type

    @property
    def expression(self) -> Expression:
        return column(self.column, self.type)


@dataclass(frozen=True, slots=True)
class Table:
    """A source in FROM under its alias; `known` is False where the source itself is unknown."""

    alias: str
    fields: tuple[Field, ...]
    known: bool = True

    def named(self, name: str) -> list[Field]:
        return [each for each in self.fields if each.name.lower() == name.lower()]


@dataclass(slots=True)
class Scope:
    """The sources a query's expressions may name, in the order of FROM."""

    tables: list[Table] = field(default_factory=list)
    merged: dict[str, tuple[str, Expression]] = field(default_factory=dict)
    """Columns that USING or NATURAL made one of two, by folded name: as written, and their value."""

    def table(self, alias: str) -> Table | None:
        return next((each for each in self.tables if each.alias.lower() == alias.lower()), None)

    def find(self, name: str, alias: str | None) -> list[tuple[str, Expression]]:
        """All that the name can mean here, each with the alias it was found under."""
        if alias is None and name.lower() in self.merged:
            return [("", self.merged[name.lower()][1])]
        tables = self.tables if alias is None else [each for each in [self.table(alias)] if each]
        return [(each.alias, found.expression) for each in tables for found in each.named(name)]

    @property
    def is_known(self) -> bool:
        return all(each.known for each in self.tables)

    @property
    def summary(self) -> list[tuple[str, list[str]]]:
        return [(each.alias, [found.name for found in each.fields]) for each in self.tables]

    def star(self, alias: str | None = None) -> list[tuple[str, Expression]]:
        """What `*` stands for: names and values; merged columns come first and once."""
        if alias is not None:
            table = self.table(alias)
            return [(each.name, each.expression) for each in table.fields] if table else []
        rest = [
            (each.name, each.expression)
            for table in self.tables
            for each in table.fields
            if each.name.lower() not in self.merged
        ]
        return [*self.merged.values(), *rest]


@dataclass(slots=True)
class From:
    """What FROM gives: a plan that has the columns of all its sources, and their names."""

    plan: Operator
    scope: Scope


def unique_names(names: list[str]) -> list[str]:
    """The names, those that come again with a number: a, b, a → a, b, a_2."""
    found: list[str] = []
    taken: set[str] = set()
    for name in names:
        unique, count = name, 1
        while unique.lower() in taken:
            count += 1
            unique = f"{name}_{count}"
        taken.add(unique.lower())
        found.append(unique)
    return found
