"""Tokens of a text."""

from __future__ import annotations

END = "$END"
"""The kind of the token after the last."""


class Token(str):
    """The value of a token, mostly its text, with its kind and place."""

    __slots__ = ("end", "kind", "start")

    kind: str
    start: int
    end: int

    def __new__(cls, kind: str, content: str, start: int, end: int) -> Token:
        token = super().__new__(cls, content)
        token.kind, token.start, token.end = kind, start, end
        return token
