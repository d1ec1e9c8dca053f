"""Name resolution: the sources of one FROM, the enclosing queries, the columns of a grouped query."""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlglot import exp

from slackwater.algebra import Operator
from slackwater.algebra.expressions import Aggregation, Expression, column
from slackwater.algebra.expressions.text import text_of
from slackwater.algebra.types import Type


@dataclass(frozen=True, slots=True)
class Field:
    """A column of a source: its name in the query, its name in the plan, and its type."""

    name: str
    column: str
    type: Type
    is_hidden: bool = False
    """Whether it is a column only where it is named, as TS is: `*` does not include it."""

    @property
    def expression(self) -> Expression:
        return column(self.column, self.type)


@dataclass(frozen=True, slots=True)
class Table:
    """A source in FROM under its alias; `known` is False where the source itself is unknown."""

    alias: str
    fields: tuple[Field, ...]
    known: bool = True

    @property
    def shown(self) -> list[Field]:
        """The columns of `*`."""
        return [column for column in self.fields if not column.is_hidden]

    @property
    def is_listed(self) -> bool:
        """Whether it is one of the sources of FROM, and not a window of GROUP BY."""
        return bool(self.shown) or not self.fields

    def matching(self, name: str) -> list[Field]:
        return [column for column in self.fields if column.name.lower() == name.lower()]


@dataclass(slots=True)
class Scope:
    """The sources that a query's expressions may use, in the order of FROM."""

    tables: list[Table] = field(default_factory=list)
    merged: dict[str, tuple[str, Expression]] = field(default_factory=dict)
    """Columns merged by USING or NATURAL, by name in lower case: the name as written, and the value."""

    def table(self, alias: str) -> Table | None:
        return next((table for table in self.tables if table.alias.lower() == alias.lower()), None)

    def find(self, name: str, alias: str | None) -> list[tuple[str, Expression]]:
        """All columns that the name can mean here, each with the alias of its table."""
        if alias is None and name.lower() in self.merged:
            return [("", self.merged[name.lower()][1])]
        tables = self.tables if alias is None else [table for table in [self.table(alias)] if table]
        matching = [(table.alias, column) for table in tables for column in table.matching(name)]
        shown = [(alias, column) for alias, column in matching if not column.is_hidden]
        return [(alias, column.expression) for alias, column in shown or matching]

    @property
    def is_known(self) -> bool:
        return all(table.known for table in self.tables)

    @property
    def summary(self) -> list[tuple[str, list[str]]]:
        return [
            (table.alias, [column.name for column in table.shown]) for table in self.tables if table.is_listed
        ]

    def star(self, alias: str | None = None) -> list[tuple[str, Expression]]:
        """The names and values of `*`; merged columns come first and once."""
        if alias is not None:
            table = self.table(alias)
            return [(column.name, column.expression) for column in table.shown] if table else []
        rest = [
            (column.name, column.expression)
            for table in self.tables
            for column in table.shown
            if column.name.lower() not in self.merged
        ]
        return [*self.merged.values(), *rest]


@dataclass(slots=True)
class From:
    """The result of FROM: a plan with the columns of all its sources, and their scope."""

    plan: Operator
    scope: Scope


def unique_names(names: list[str]) -> list[str]:
    """The names, with a number added to repeated ones: a, b, a → a, b, a_2."""
    uniques: list[str] = []
    used: set[str] = set()
    for name in names:
        unique, count = name, 1
        while unique.lower() in used:
            count += 1
            unique = f"{name}_{count}"
        used.add(unique.lower())
        uniques.append(unique)
    return uniques


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
