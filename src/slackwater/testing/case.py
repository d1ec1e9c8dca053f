"""A case of a `.cqt` file, as it was read."""

from __future__ import annotations

from dataclasses import dataclass, field

from slackwater.algebra import Relation, Stream
from slackwater.algebra.changes import Changes
from slackwater.base.diagnostic import Diagnostic
from slackwater.base.span import Span, Text
from slackwater.base.time import SECONDS, Clock
from slackwater.texts.cutouts import cutout


@dataclass(frozen=True, slots=True)
class Table:
    """A heading and rows of cells, each at its place in the file."""

    heading: list[Span]
    heading_span: Span
    rows: list[list[Span]]


@dataclass(frozen=True, slots=True)
class Source:
    """A stream or relation with all its changes."""

    plan: Stream | Relation
    changes: Changes


@dataclass(frozen=True, slots=True)
class Sql:
    """The text of a query, on its lines in the file."""

    lines: tuple[Span, ...]

    @property
    def text(self) -> Text:
        return cutout(self.lines[0].text, self.lines)

    @property
    def piece(self) -> Span:
        return self.lines[0].to(self.lines[-1])


@dataclass(frozen=True, slots=True)
class View:
    name: str
    sql: Sql


@dataclass(frozen=True, slots=True)
class Declarations:
    """Statements of a `declare` block: tagged streams and views."""

    sql: Sql


@dataclass(frozen=True, slots=True)
class Check:
    """What an answer has to be: `at` an instant, all `changes`, what it `emits`, or an `error`.

    `tagged` are the changes by a key.
    """

    kind: str
    span: Span
    instant: int = 0
    code: str = ""
    table: Table | None = None
    key: tuple[Span, ...] = ()


@dataclass(slots=True)
class Question:
    """A query and the checks under it."""

    span: Span
    sql: Sql
    checks: list[Check] = field(default_factory=list)


@dataclass(slots=True)
class Case:
    name: str
    span: Span
    clock: Clock = SECONDS
    until: int | None = None
    """The last instant that is answered; None is the end of time."""
    sources: dict[str, Source] = field(default_factory=dict)
    statements: list[View | Declarations | Question] = field(default_factory=list)
    """Views and queries in the order of the file."""
    mistakes: list[Diagnostic] = field(default_factory=list)
    """The mistakes in the text of the case; with any, it cannot be run."""

    @property
    def questions(self) -> list[Question]:
        return [statement for statement in self.statements if isinstance(statement, Question)]

    @property
    def inputs(self) -> dict[str, Changes]:
        return {source.plan.name: source.changes for source in self.sources.values()}
