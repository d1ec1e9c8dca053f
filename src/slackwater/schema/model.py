"""A content model, built from the tokens of its declaration one by one.

    <!ELEMENT book (title, (author+ | editor+), price?)>

    book   (   title   ,   (   author+   |   editor+   )   ,   price?   )

Open groups are on an explicit stack, so deep parentheses need no recursion.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from sys import intern

from slackwater.schema.content import EMPTY, Choice, Content, Repeat, Sequence, Symbol, symbols
from slackwater.schema.schema import Kind

_BOUNDS = {"?": (0, 1), "*": (0, None), "+": (1, None)}


@dataclass(slots=True)
class _Group:
    """The parts between two parentheses, and the sign that separates them."""

    parts: list[Content] = field(default_factory=list)
    sign: str = ""

    @property
    def content(self) -> Content:
        if len(self.parts) == 1:
            return self.parts[0]
        return (Choice if self.sign == "|" else Sequence)(tuple(self.parts))


class Model:
    """The content model of an element, as far as its declaration has been read."""

    def __init__(self) -> None:
        self.name = ""
        self.size = 0
        """How many child names it has."""
        self._kind = Kind.ELEMENTS
        self._content: Content = EMPTY
        self._open: list[_Group] = []
        self._last = ""

    @property
    def depth(self) -> int:
        """How many parentheses are open."""
        return len(self._open)

    @property
    def kind(self) -> Kind:
        return Kind.TEXT if self._kind is Kind.MIXED and not self.size else self._kind

    @property
    def content(self) -> Content:
        """The content; in mixed content each name occurs once."""
        if self._kind is not Kind.MIXED:
            return self._content
        names = tuple(map(Symbol, symbols(self._content)))
        return Repeat(Choice(names), 0, None) if names else EMPTY

    def take(self, token: str) -> None:
        """Take the next token that is not white space; expat has checked their order."""
        if not self.name:
            self.name = intern(token)
        elif token == "(":
            self._open.append(_Group())
        elif token[0] == ")":
            self._add(self._open.pop().content, token[1:])
        elif token in ("|", ","):
            self._open[-1].sign = token
        elif token == "#PCDATA":
            self._kind = Kind.MIXED
        elif self._open:
            self.size += 1
            self._add(Symbol(intern(token.rstrip("?*+"))), token[-1])
        else:
            self._kind = Kind(token)
        self._last = token

    def _add(self, part: Content, sign: str) -> None:
        part = Repeat(part, *_BOUNDS[sign]) if sign in _BOUNDS else part
        if self._open:
            self._open[-1].parts.append(part)
        else:
            self._content = part

    @property
    def expected(self) -> str:
        """What can come next, as text for an error message."""
        if self._open:
            return self._expected_in_group(self._open[-1].sign)
        if not self.name:
            return "a name"
        return '"(", "EMPTY" or "ANY"' if self._last == self.name else '">"'

    def _expected_in_group(self, sign: str) -> str:
        is_mixed = self._kind is Kind.MIXED
        if self._last == "(" and self.depth == 1:
            return 'a name, "(" or "#PCDATA"'
        if self._last in ("(", "|", ","):
            return "a name" if is_mixed else 'a name or "("'
        if is_mixed:
            return '"|" or ")*"' if self.size else '"|" or ")"'
        return f'"{sign}" or ")"' if sign else '",", "|" or ")"'
