"""The context of binding one statement: its text, its errors and notes, the names in use."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlglot import exp

from slackwater.algebra import Unit
from slackwater.base.diagnostic import Diagnostic
from slackwater.base.span import Span, Text
from slackwater.bind.catalog import Catalog
from slackwater.language.cql import span_of

if TYPE_CHECKING:
    from slackwater.bind.synchronization.now import Current


BROKEN = Unit()
"""The plan of a query with errors, which have been reported."""


@dataclass(slots=True)
class Binding:
    text: Text
    catalog: Catalog
    errors: list[Diagnostic] = field(default_factory=list)
    notes: list[Diagnostic] = field(default_factory=list)
    unwindowed: list[exp.Expression] = field(default_factory=list)
    """The streams in FROM that got an unbounded window by default."""
    unstreamed: list[exp.Expression] = field(default_factory=list)
    """The queries that got an Istream by default."""
    used: set[str] = field(default_factory=set)
    """The names of declarations that the statement reads, in lower case."""
    output: exp.Expression | None = None
    """The STREAMED or COMPLETE of the whole answer."""
    current: dict[str, Current] = field(default_factory=dict)
    """The columns of Now views that no plan has, by their names in plans."""
    _aliases: dict[str, int] = field(default_factory=dict)

    def span(self, node: exp.Expression) -> Span:
        return span_of(node, self.text)

    def report(self, error: Diagnostic) -> None:
        if error not in self.errors:
            self.errors.append(error)

    def note(self, note: Diagnostic) -> None:
        if note not in self.notes:
            self.notes.append(note)

    def unique(self, alias: str) -> str:
        """The alias, made different from those of other queries in the same statement."""
        count = self._aliases.get(alias.lower(), 0) + 1
        self._aliases[alias.lower()] = count
        return alias if count == 1 else f"{alias}#{count}"
