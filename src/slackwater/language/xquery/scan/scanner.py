"""The state of scanning a text."""

from __future__ import annotations

import re
from dataclasses import dataclass

from slackwater.base.span import Span, Text
from slackwater.language.xquery import errors
from slackwater.language.xquery.errors import Refused
from slackwater.language.xquery.scan import words
from slackwater.language.xquery.scan.tokens import Token


@dataclass(frozen=True, slots=True)
class Frame:
    """An open construct: braces around an expression, a tag, an attribute's value, an element's content."""

    kind: str
    name: str
    start: int


class Scanner:
    """A position in a text, with the constructs open there (`frames`) and the last tokens before it."""

    def __init__(self, text: Text) -> None:
        self.text = text
        self.content = text.content
        self.position = 0
        self.frames: list[Frame] = []
        self.brackets: list[Frame] = []
        self.last: list[Token] = []
        self.preserve = False

    @property
    def previous(self) -> str:
        """The kind of the previous token; empty at the beginning."""
        return self.last[-1].kind if self.last else ""

    def span(self, start: int, end: int | None = None) -> Span:
        return self.text.span(start, self.position if end is None else end)

    def token(self, kind: str, start: int, value: str | None = None) -> Token:
        """A token from `start` to here."""
        content = self.content[start : self.position] if value is None else value
        return Token(kind, content, start, self.position)

    def take(self, pattern: re.Pattern[str], kind: str) -> Token | None:
        match = pattern.match(self.content, self.position)
        if match is None:
            return None
        self.position = match.end()
        return self.token(kind, match.start())

    def skip(self, position: int) -> int:
        """The end of the white space and comments at a position."""
        while match := words.SKIPPED.match(self.content, position):
            position = self._past_comment(match.start()) if match[0] == "(:" else match.end()
        return position

    def _past_comment(self, start: int) -> int:
        depth, position = 1, start + 2
        while depth:
            edge = words.COMMENT_EDGE.search(self.content, position)
            if edge is None:
                raise Refused(errors.never_closed(self.span(start, start + 2), "a comment"))
            depth += 1 if edge[0] == "(:" else -1
            position = edge.end()
        return position
