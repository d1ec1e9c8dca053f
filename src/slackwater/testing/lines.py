"""The lines of a `.cqt` file: without comments, in groups between blank lines, and cut into cells."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from slackwater.base.span import Span, Text

_DOUBLE = r'"(?:[^"\\]|\\.)*"'
_TABLE = re.compile(rf"(?:{_DOUBLE}|[^#])*")
_SQL = re.compile(rf"(?:{_DOUBLE}|'(?:[^']|'')*'|[^#])*")
_CELL = re.compile(rf"(?:{_DOUBLE}|[^|])*")


@dataclass(frozen=True, slots=True)
class Line:
    """A line that is not only a comment."""

    raw: Span

    @property
    def span(self) -> Span:
        """The line without its comment and the blanks at its ends."""
        return _trimmed(self.raw, _TABLE)

    @property
    def sql(self) -> Span:
        """The same where text in single quotes is kept as well."""
        return _trimmed(self.raw, _SQL)

    @property
    def content(self) -> str:
        return self.span.content

    @property
    def word(self) -> Span:
        """The first word."""
        start = self.span.start
        return self.raw.text.span(start, start + len(self.content.split()[0]))

    @property
    def rest(self) -> Span:
        """What follows the first word."""
        after = self.span.text.span(self.word.end, self.span.end)
        return _trimmed(after, re.compile(r".*", re.DOTALL))

    def cells(self) -> list[Span]:
        """The parts between bars that are not in quotes."""
        cells: list[Span] = []
        at, content = 0, self.content
        while at <= len(content):
            match = _CELL.match(content, at)
            assert match is not None
            begin = self.span.start + at
            cells.append(_trimmed(self.raw.text.span(begin, self.span.start + match.end()), _CELL))
            at = match.end() + 1
        return cells


def _trimmed(span: Span, pattern: re.Pattern[str]) -> Span:
    match = pattern.match(span.content)
    content = match[0] if match else ""
    indent = len(content) - len(content.lstrip())
    return span.text.span(span.start + indent, span.start + max(indent, len(content.rstrip())))


def groups(text: Text) -> Iterator[list[Line]]:
    """The groups of lines between blank lines; lines that are only a comment are left out."""
    group: list[Line] = []
    start = 0
    for content in text.content.split("\n"):
        end = start + len(content)
        if not content.strip():
            if group:
                yield group
            group = []
        elif not content.lstrip().startswith("#"):
            group.append(Line(text.span(start, end)))
        start = end + 1
    if group:
        yield group
