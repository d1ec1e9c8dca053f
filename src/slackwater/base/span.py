"""Places in the text of a user: spans, lines and columns."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Text:
    """A text with the name a user knows it by: a file's path, or `<query>`."""

    name: str
    content: str
    first: int = 1
    """The number of its first line, where it is a part of something longer."""

    def span(self, start: int = 0, end: int | None = None) -> Span:
        """The characters [start, end), kept inside the text."""
        size = len(self.content)
        start = min(max(start, 0), size)
        return Span(self, start, size if end is None else min(max(end, start), size))

    def line(self, number: int) -> str:
        """Line `number`, counted from `first`, without its end."""
        lines = self.content.split("\n")
        index = number - self.first
        return lines[index].rstrip("\r") if 0 <= index < len(lines) else ""


@dataclass(frozen=True, slots=True)
class Span:
    """The characters [start, end) of a text."""

    text: Text
    start: int
    end: int

    @property
    def line(self) -> int:
        return self.text.content.count("\n", 0, self.start) + self.text.first

    @property
    def column(self) -> int:
        return self.start - (self.text.content.rfind("\n", 0, self.start) + 1) + 1

    @property
    def content(self) -> str:
        return self.text.content[self.start : self.end]

    def to(self, other: Span) -> Span:
        """The smallest span that covers both."""
        return Span(self.text, min(self.start, other.start), max(self.end, other.end))
