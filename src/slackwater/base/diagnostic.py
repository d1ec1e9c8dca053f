"""What the user sees when something is wrong.

error[unknown-column]: column "prise" does not exist
 --> trades.cql:3:7
  |
3 | WHERE prise > 100
  |       ^^^^^ no such column in stream "trades"
  = detail: Stream "trades" has columns "symbol", "price" and "volume".
  = hint: Did you mean "price"?
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from slackwater.base.near import nearest
from slackwater.base.span import Span

_WIDEST = 140
"""How much of a line is shown."""


class Severity(StrEnum):
    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding. The message is lower case without a full stop; detail and hint are sentences."""

    code: str
    message: str
    span: Span | None = None
    label: str = ""
    detail: str | None = None
    hint: str | None = None
    severity: Severity = Severity.ERROR
    where: str | None = None
    """The place, in words, where there is no span: a data file's name, line and column."""

    def __str__(self) -> str:
        return render(self)


class SlackwaterError(Exception):
    """An error with diagnostics."""

    def __init__(self, diagnostics: Diagnostic | Iterable[Diagnostic]) -> None:
        several = [diagnostics] if isinstance(diagnostics, Diagnostic) else diagnostics
        self.diagnostics: tuple[Diagnostic, ...] = tuple(several)
        super().__init__("\n\n".join(map(render, self.diagnostics)))

    def __reduce__(self) -> tuple[type[SlackwaterError], tuple[tuple[Diagnostic, ...]]]:
        """A task returns its error to another process; by default it would be made again of its text."""
        return type(self), (self.diagnostics,)


class QueryError(SlackwaterError):
    """An error in the text of a query."""


class EngineError(SlackwaterError):
    """An error in the data or the environment, not in the text of a query."""


class Bug(Exception):
    """A bug in this program."""


def render(diagnostic: Diagnostic) -> str:
    """The exact text a user sees."""
    head = f"{diagnostic.severity}[{diagnostic.code}]: {diagnostic.message}"
    body, gutter = _excerpt(diagnostic)
    notes = [
        f"{gutter} = {name}: {text}"
        for name, text in (("detail", diagnostic.detail), ("hint", diagnostic.hint))
        if text
    ]
    return "\n".join([head, *body, *notes])


def _excerpt(diagnostic: Diagnostic) -> tuple[list[str], str]:
    span = diagnostic.span
    if span is None:
        return ([f" --> {diagnostic.where}"] if diagnostic.where else []), " "
    number = str(span.line)
    gutter = " " * len(number)
    line, before = _cut(span.text.line(span.line), span.column - 1)
    # Tabs are kept in the margin so that the carets stay under what they mark.
    margin = "".join("\t" if char == "\t" else " " for char in before)
    width = max(1, min(span.end - span.start, len(line) - len(before)))
    caret = f"{gutter} | {margin}{'^' * width} {diagnostic.label}".rstrip()
    return [
        f"{gutter}--> {span.text.name}:{number}:{span.column}",
        f"{gutter} |",
        f"{number} | {line}".rstrip(),
        caret,
    ], gutter


def _cut(line: str, column: int) -> tuple[str, str]:
    """A line short enough to be read, and what of it stands before the column."""
    start = max(0, column - _WIDEST // 2) if len(line) > _WIDEST else 0
    end = start + _WIDEST
    lead, trail = "…" if start else "", "…" if end < len(line) else ""
    return lead + line[start:end] + trail, lead + line[start:column]


def quoted(names: Iterable[str]) -> str:
    """`"a", "b" and "c"`."""
    words = [f'"{name}"' for name in names]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}" if words else "none"


def did_you_mean(name: str, known: Iterable[str]) -> str | None:
    """A hint that names the known word nearest to `name`, if one is near."""
    near = nearest(name, known)
    return None if near is None else f'Did you mean "{near}"?'
