"""Quoted texts and comments, the parts of a text in which signs have no meaning; comments nest."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_LEXEME = re.compile(
    r"""'(?:[^']|'')*+' | "(?:[^"]|"")*+" | `(?:[^`]|``)*+` | --[^\r\n]* | /\* | . """, re.VERBOSE | re.DOTALL
)
_COMMENT_SIGN = re.compile(r"/\*|\*/")


class Lexeme(NamedTuple):
    """A quoted text, a comment, or one sign of anything else; an opening sign alone is never closed."""

    start: int
    text: str

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    @property
    def is_comment(self) -> bool:
        return self.text.startswith(("--", "/*"))


def lexemes(content: str) -> Iterator[Lexeme]:
    """The lexemes of a text, one after the other."""
    place = 0
    while match := _LEXEME.match(content, place):
        end = _comment_end(content, place) or match.end() if match[0] == "/*" else match.end()
        yield Lexeme(place, content[place:end])
        place = end


def _comment_end(content: str, start: int) -> int | None:
    """The end of the comment that begins there, with the comments inside it; None if it has none."""
    depth = 0
    for sign in _COMMENT_SIGN.finditer(content, start):
        depth += 1 if sign[0] == "/*" else -1
        if not depth:
            return sign.end()
    return None
