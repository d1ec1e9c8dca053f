"""The context of binding one statement: its text, its errors and notes, the names in use."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlglot import exp

from slackwater.algebra import Kind, Unit
from slackwater.base.diagnostic import Diagnostic
from slackwater.base.span import Span, Text
from slackwater.bind.catalog import Catalog, Source
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
    unread: dict[Span, exp.Expression] = field(default_factory=dict)
    """The texts of parameters whose type depends on their place, by the place."""
    read: dict[Span, exp.Expression] = field(default_factory=dict)
    """What these texts were read as, by the place."""
    earlier: list[frozenset[str]] = field(default_factory=list)
    """The names of the sources that each query before this statement reads, in lower case."""
    output: exp.Expression | None = None
    """The STREAMED or COMPLETE of the whole answer."""
    current: dict[str, Current] = field(default_factory=dict)
    """The columns of Now views that no plan has, by their names in plans."""
    _aliases: dict[str, int] = field(default_factory=dict)

    def span(self, node: exp.Expression) -> Span:
        return span_of(node, self.text)

    def quiet(self) -> Binding:
        """A binding of the same statement whose errors and notes are not reported."""
        return Binding(self.text, self.catalog, unread=self.unread, read=self.read)

    def read_alike(self, node: exp.Expression, like: exp.Expression) -> None:
        """Read the texts of parameters in a node as those of an equal one."""
        for one, other in zip(node.find_all(exp.Literal), like.find_all(exp.Literal), strict=True):
            if self.span(other) in self.read:
                self.read[self.span(one)] = self.read[self.span(other)]

    def report(self, error: Diagnostic) -> None:
        if error not in self.errors:
            self.errors.append(error)

    def note(self, note: Diagnostic) -> None:
        if note not in self.notes:
            self.notes.append(note)

    def declaration_with_time(self, name: str) -> str | None:
        """How to declare the time column of that name of a source, which queries cannot use yet."""
        for source in map(self.catalog.get, sorted(self.used)):
            if isinstance(source, Source) and source.time is not None and source.time.lower() == name.lower():
                type_ = "BIGINT" if not source.calendar else "TIMESTAMP" if source.zoned else "TIMESTAMP_NTZ"
                kind = "STREAM" if source.plan.kind is Kind.STREAM else "RELATION"
                return f"CREATE {kind} {source.name} (…, {source.time} {type_}) … TIME {source.time}"
        return None

    def unique(self, alias: str) -> str:
        """The alias, made different from those of other queries in the same statement."""
        count = self._aliases.get(alias.lower(), 0) + 1
        self._aliases[alias.lower()] = count
        return alias if count == 1 else f"{alias}#{count}"
