"""The text of a row pattern, as a tree.

pattern  = sequence ("|" sequence)*          repeat = ("*" | "+" | "?" | "{" [n] ["," [m]] "}") ["?"]
sequence = (atom [repeat])+                  atom   = variable | "(" pattern ")"
"""

from __future__ import annotations

import re

from slackwater.algebra.patterns import Choice, Pattern, Repeated, Sequence, Variable

_TOKEN = re.compile(
    r"""\s*(?: "(?P<quoted>[^"]+)" | (?P<name>[^\W\d]\w*) | (?P<number>\d+) | (?P<sign>\{-|.) )""", re.VERBOSE
)
_QUANTIFIERS: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}
_LARGEST = 1_000
"""The largest number in a quantifier: its part is searched so often."""
_LARGEST_PATTERN = 10_000
_DEEPEST = 50


class Misread(Exception):
    """Why a text is not a pattern."""


def read_pattern(text: str) -> Pattern:
    """The pattern of a text; raises Misread. Unquoted names are in upper case."""
    reader = _Reader(text)
    pattern = reader.choice(0)
    if reader.here:
        raise Misread(f'unexpected "{reader.here}"')
    if _size(pattern) > _LARGEST_PATTERN:
        raise Misread(f"its repetitions have more than {_LARGEST_PATTERN:,} variables")
    return pattern


def _size(pattern: Pattern) -> int:
    """The number of variables, those of repetitions counted as often as they may have to be there."""
    match pattern:
        case Sequence(parts) | Choice(parts):
            return sum(map(_size, parts))
        case Repeated(part, least, most):
            return max(least, most or 0, 1) * _size(part)
    return 1


class _Reader:
    def __init__(self, text: str) -> None:
        self._tokens = list(_TOKEN.finditer(text.rstrip()))
        self._at = 0

    @property
    def here(self) -> str:
        """The text of the next token; empty at the end."""
        return self._tokens[self._at][0].strip() if self._at < len(self._tokens) else ""

    def _take(self, sign: str) -> bool:
        is_next = self.here == sign
        self._at += is_next
        return is_next

    def choice(self, depth: int) -> Pattern:
        if depth > _DEEPEST:
            raise Misread("it is nested too deeply")
        parts = [self._sequence(depth)]
        while self._take("|"):
            parts.append(self._sequence(depth))
        return parts[0] if len(parts) == 1 else Choice(tuple(parts))

    def _sequence(self, depth: int) -> Pattern:
        parts = [self._repeated(depth)]
        while self.here and self.here not in ("|", ")"):
            parts.append(self._repeated(depth))
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def _repeated(self, depth: int) -> Pattern:
        part = self._atom(depth)
        bounds = self._bounds()
        if bounds is None:
            return part
        least, most = bounds
        if most is not None and (most < least or not most):
            raise Misread(f"no number is from {least} to {most}")
        if max(least, most or 0) > _LARGEST:
            raise Misread(f"a quantifier is at most {_LARGEST:,}")
        return Repeated(part, least, most, self._take("?"))

    def _bounds(self) -> tuple[int, int | None] | None:
        if self.here in _QUANTIFIERS:
            sign = self.here
            self._at += 1
            return _QUANTIFIERS[sign]
        if not self._take("{"):
            return None
        least = self._number()
        most = least
        if self._take(","):
            most = self._number()
        elif least is None:
            raise Misread('"{" begins a quantifier, {n} or {n,m}')
        if not self._take("}"):
            raise Misread(f'"}}" is expected, not "{self.here}"')
        return least or 0, most

    def _number(self) -> int | None:
        if not self.here.isdigit():
            return None
        number = int(self.here)
        self._at += 1
        return number

    def _atom(self, depth: int) -> Pattern:
        if self._take("("):
            inside = self.choice(depth + 1)
            if not self._take(")"):
                raise Misread('")" is missing')
            return inside
        if self.here == "{-":
            raise Misread("exclusions, {- … -}, need ALL ROWS PER MATCH")
        token = self._tokens[self._at] if self._at < len(self._tokens) else None
        if token is None or not (token["name"] or token["quoted"]):
            raise Misread(f'a variable is expected, not "{self.here}"' if token else "it ends too early")
        self._at += 1
        if token["name"] and token["name"].upper() == "PERMUTE" and self.here == "(":
            raise Misread("PERMUTE is not supported; list the orders with |")
        return Variable(token["quoted"] or token["name"].upper())
