"""Regular expressions of Java, as far as every engine agrees on them, as trees.

    a(b|c)+\\d{2}   sequence of a, a repeated group of alternatives, and a repeated set

What Java has and linear engines have not (references to groups, looking around, possessive repetition) is
refused, and so is what they define differently. Sets of characters become ranges of code points: \\d, \\w,
\\s and ignoring case are those of ASCII, as in Java. `$` is the end of the text.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

LAST: Final = 0x10FFFF
_MOST: Final = 1000
"""Repetitions in repetitions, multiplied, so that no pattern becomes a huge automaton."""
_SURROGATES: Final = (0xD800, 0xDFFF)
Ranges = tuple[tuple[int, int], ...]


class Refused(Exception):
    """Why a pattern is not supported, as the end of a sentence."""


@dataclass(frozen=True, slots=True)
class Characters:
    """One character out of ranges of code points."""

    ranges: Ranges


@dataclass(frozen=True, slots=True)
class Place:
    """A place between characters: `start`, `end`, `word` (the edge of a word) or `inside` (none)."""

    kind: str


@dataclass(frozen=True, slots=True)
class Group:
    body: Pattern
    is_numbered: bool


@dataclass(frozen=True, slots=True)
class Sequence:
    parts: tuple[Pattern, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """The first alternative that leads to a match."""

    parts: tuple[Pattern, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    body: Pattern
    least: int
    most: int | None
    is_lazy: bool


Pattern = Characters | Place | Group | Sequence | Choice | Repeat


def _complement(ranges: Ranges) -> Ranges:
    gaps, begin = [], 0
    for low, high in sorted((*ranges, _SURROGATES)):
        if low > begin:
            gaps.append((begin, low - 1))
        begin = max(begin, high + 1)
    return (*gaps, (begin, LAST)) if begin <= LAST else tuple(gaps)


def _spans(text: str) -> Ranges:
    """Pairs of characters, each the ends of a range."""
    return tuple((ord(text[i]), ord(text[i + 1])) for i in range(0, len(text), 2))


_DIGIT, _WORD, _SPACE = _spans("09"), _spans("09AZ__az"), _spans("\t\r  ")
_POSITIVE: Final[dict[str, Ranges]] = {"d": _DIGIT, "w": _WORD, "s": _SPACE}
_SETS: Final = _POSITIVE | {name.upper(): _complement(ranges) for name, ranges in _POSITIVE.items()}
_CLASSES: Final[dict[str, Ranges]] = {
    "Lower": _spans("az"), "Upper": _spans("AZ"), "Alpha": _spans("AZaz"), "Digit": _DIGIT,
    "Alnum": _spans("09AZaz"), "Punct": _spans("!/:@[`{~"), "Space": _SPACE, "Blank": _spans("  \t\t"),
    "XDigit": _spans("09AFaf"), "ASCII": _spans("\0\x7f"),
}  # fmt: skip
_LINE_ENDS: Final = _spans("\n\n\r\r\x85\x85\u2028\u2029")
_CONTROLS: Final = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "a": "\a", "e": "\x1b"}


@lru_cache(maxsize=512)
def parsed(pattern: str) -> Pattern:
    """The tree of a pattern; raises Refused."""
    parser = _Parser(pattern)
    tree = parser.choice()
    if parser.at < len(pattern):
        raise Refused('it has a ")" without a "("')
    _check(tree, 1)
    return tree


def group_count(pattern: Pattern) -> int:
    return sum(isinstance(part, Group) and part.is_numbered for part in _walk(pattern))


def has_places(pattern: Pattern) -> bool:
    return any(isinstance(part, Place) for part in _walk(pattern))


def may_be_empty(pattern: Pattern) -> bool:
    """Whether it can match no characters."""
    match pattern:
        case Characters():
            return False
        case Place():
            return True
        case Group(body=body):
            return may_be_empty(body)
        case Sequence(parts=parts):
            return all(map(may_be_empty, parts))
        case Choice(parts=parts):
            return any(map(may_be_empty, parts))
        case Repeat(body=body, least=least):
            return least == 0 or may_be_empty(body)


def _walk(pattern: Pattern) -> list[Pattern]:
    match pattern:
        case Group(body=body) | Repeat(body=body):
            return [pattern, *_walk(body)]
        case Sequence(parts=parts) | Choice(parts=parts):
            return [pattern, *(inner for part in parts for inner in _walk(part))]
    return [pattern]


def _check(pattern: Pattern, times: int) -> None:
    match pattern:
        case Repeat(body=body, least=least, most=most):
            if may_be_empty(body):
                raise Refused("it repeats what may be empty")
            times *= max(least, most or 1)
            if times > _MOST:
                raise Refused(f"it repeats more than {_MOST} times")
            _check(body, times)
        case Group(body=body):
            _check(body, times)
        case Sequence(parts=parts) | Choice(parts=parts):
            for part in parts:
                _check(part, times)


class _Parser:
    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0
        self.ignores_case = self.dot_is_all = False

    def _next(self) -> str:
        if self.at >= len(self.text):
            raise Refused("it is cut")
        self.at += 1
        return self.text[self.at - 1]

    def _takes(self, text: str) -> bool:
        if not self.text.startswith(text, self.at):
            return False
        self.at += len(text)
        return True

    def choice(self) -> Pattern:
        parts = [self._sequence()]
        while self._takes("|"):
            parts.append(self._sequence())
        return parts[0] if len(parts) == 1 else Choice(tuple(parts))

    def _sequence(self) -> Pattern:
        parts: list[Pattern] = []
        while self.at < len(self.text) and self.text[self.at] not in "|)":
            part = self._atom()
            if part is not None:
                parts.append(self._repeated(part))
        return Sequence(tuple(parts))

    def _atom(self) -> Pattern | None:
        match self._next():
            case "(":
                return self._group()
            case "[":
                return Characters(self._cased(self._set()))
            case ".":
                return Characters(
                    ((0, 0xD7FF), (0xE000, LAST)) if self.dot_is_all else _complement(_LINE_ENDS)
                )
            case "^":
                return Place("start")
            case "$":
                return Place("end")
            case "\\":
                return self._escape()
            case "*" | "+" | "?" | "{" as sign:
                raise Refused(f'nothing stands before "{sign}"')
            case char:
                return Characters(self._cased(((ord(char), ord(char)),)))

    def _group(self) -> Pattern | None:
        is_numbered = True
        if self._takes("?"):
            if self._takes(":"):
                is_numbered = False
            elif self._takes("<") and self.text[self.at : self.at + 1] not in ("=", "!", ""):
                self.at = self.text.find(">", self.at) + 1 or len(self.text)
            elif self._flags():
                return None
            else:
                raise Refused("it looks around, or sets flags inside")
        body = self.choice()
        if not self._takes(")"):
            raise Refused('it has a "(" without a ")"')
        return Group(body, is_numbered)

    def _flags(self) -> bool:
        """Flags at the start of the pattern: (?i), (?s)."""
        end = self.text.find(")", self.at)
        if self.at != 2 or end < 0 or not set(self.text[self.at : end]) <= set("is"):
            return False
        flags = self.text[self.at : end]
        self.ignores_case, self.dot_is_all = "i" in flags, "s" in flags
        self.at = end + 1
        return True

    def _escape(self) -> Pattern:
        char = self._next()
        if char in "bB":
            return Place("word" if char == "b" else "inside")
        if char in "Az":
            return Place("start" if char == "A" else "end")
        return Characters(self._cased(self._escaped(char)))

    def _escaped(self, char: str) -> Ranges:
        if char in _SETS:
            return _SETS[char]
        if char in "pP":
            return self._property(char == "P")
        if char in "xu":
            return self._coded(2 if char == "x" else 4)
        if char.isascii() and char.isalnum() and char not in _CONTROLS:
            raise Refused(f'"\\{char}" is not supported')
        code = ord(_CONTROLS.get(char, char))
        return ((code, code),)

    def _property(self, is_negated: bool) -> Ranges:
        end = self.text.find("}", self.at)
        name = self.text[self.at : end] if self._takes("{") else ""
        if name not in _CLASSES:
            raise Refused(f'the class "{name}" is not supported')
        self.at = end + 1
        return _complement(_CLASSES[name]) if is_negated else _CLASSES[name]

    def _coded(self, digits: int) -> Ranges:
        try:
            code = int(self.text[self.at : self.at + digits], 16)
        except ValueError:
            raise Refused("a code point is not in hexadecimal") from None
        self.at += digits
        return ((code, code),)

    def _set(self) -> Ranges:
        is_negated = self._takes("^")
        ranges: list[tuple[int, int]] = []
        while not self._takes("]"):
            if self.text.startswith("&&", self.at) or self.text.startswith("[", self.at):
                raise Refused("it combines sets of characters")
            low = self._member()
            if self._takes("-") and not self.text.startswith("]", self.at):
                high = self._member()
                if len(low) != 1 or len(high) != 1 or low[0][0] > high[0][1]:
                    raise Refused("a range of characters has no ends, or wrong ones")
                ranges.append((low[0][0], high[0][1]))
                continue
            ranges += low
            if self.text[self.at - 1] == "-" and self.text.startswith("]", self.at):
                ranges.append((ord("-"), ord("-")))
        if not ranges:
            raise Refused("a set of characters is empty")
        if not is_negated:
            return tuple(ranges)
        return _complement(self._cased(tuple(ranges)))

    def _member(self) -> Ranges:
        char = self._next()
        return self._escaped(self._next()) if char == "\\" else ((ord(char), ord(char)),)

    def _cased(self, ranges: Ranges) -> Ranges:
        """With the letters of ASCII in the other case, if case is ignored."""
        if not self.ignores_case:
            return ranges
        more = []
        for low, high in ranges:
            for first, last, move in ((65, 90, 32), (97, 122, -32)):
                if max(low, first) <= min(high, last):
                    more.append((max(low, first) + move, min(high, last) + move))
        return (*ranges, *more)

    def _repeated(self, part: Pattern) -> Pattern:
        counts = {"*": (0, None), "+": (1, None), "?": (0, 1)}
        char = self.text[self.at : self.at + 1]
        if char in counts:
            self.at += 1
            least, most = counts[char]
        elif char == "{":
            least, most = self._counts()
        else:
            return part
        if isinstance(part, Place):
            raise Refused("it repeats a place")
        is_lazy = self._takes("?")
        if self.text[self.at : self.at + 1] in ("+", "*", "?", "{"):
            raise Refused("a repetition is repeated, or possessive")
        return Repeat(part, least, most, is_lazy)

    def _counts(self) -> tuple[int, int | None]:
        end = self.text.find("}", self.at)
        first, comma, last = self.text[self.at + 1 : end].partition(",")
        if end < 0 or not first.isdecimal() or not (last.isdecimal() or not last):
            raise Refused("the number of repetitions is not one")
        self.at = end + 1
        least, most = int(first), int(last) if last else None if comma else int(first)
        if most is not None and (most < least or not most):
            raise Refused("the number of repetitions is not one")
        return least, most
