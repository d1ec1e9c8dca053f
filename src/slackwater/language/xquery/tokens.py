"""Words and signs of a text."""

from __future__ import annotations

END = "$END"
"""The kind of the token behind the last."""


class Token(str):
    """What a token says, which is mostly how it is written; its kind, and where it stands."""

    __slots__ = ("end", "kind", "start")

    kind: str
    start: int
    end: int

    def __new__(cls, kind: str, content: str, start: int, end: int) -> Token:
        token = super().__new__(cls, content)
        token.kind, token.start, token.end = kind, start, end
        return token
