"""Formats of dates and times, by the letters of Java: 'yyyy-MM-dd HH:mm:ss.SSS'."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final

LETTERS: Final = {
    "y": 6, "u": 6, "M": 4, "L": 4, "d": 2, "D": 3, "Q": 3, "q": 3, "E": 4, "a": 1, "H": 2, "h": 2, "K": 2,
    "k": 2, "m": 2, "s": 2, "S": 9,
}  # fmt: skip
"""The letters, and how often each may be repeated."""
PARSED: Final = frozenset("yuMLdaHhmsS")
"""The letters that texts are read by."""
DEFAULT: Final = "yyyy-MM-dd HH:mm:ss"
MONTHS: Final = (
    "January February March April May June July August September October November December".split()  # noqa: SIM905
)
DAYS: Final = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()  # noqa: SIM905


class Refused(Exception):
    """Why a format is not supported, as the end of a sentence."""


@dataclass(frozen=True, slots=True)
class Field:
    """A letter and how often it is repeated."""

    letter: str
    count: int

    @property
    def is_name(self) -> bool:
        return self.letter in "Ea" or (self.letter in "ML" and self.count > 2)

    @property
    def has_width(self) -> bool:
        """Whether its number of digits is fixed."""
        return self.count > 1


@lru_cache(maxsize=512)
def parts(text: str) -> tuple[str | Field, ...]:
    """Texts and fields, in order; raises Refused."""
    listed: list[str | Field] = []
    at = 0
    while at < len(text):
        char = text[at]
        end = at + 1
        if char == "'":
            end = _quote_end(text, at)
            listed.append(text[at + 1 : end - 1].replace("''", "'") or "'")
        elif char.isascii() and char.isalpha():
            while text[end : end + 1] == char:
                end += 1
            listed.append(_field(char, end - at))
        elif char in "[]{}#":
            raise Refused(f'"{char}" is not supported')
        else:
            listed.append(char)
        at = end
    return tuple(listed)


def _quote_end(text: str, at: int) -> int:
    end = at + 1
    while True:
        end = text.find("'", end) + 1
        if not end:
            raise Refused("a quote is not closed")
        if text[end : end + 1] != "'" or end == at + 2:
            return end
        end += 1


def _field(letter: str, count: int) -> Field:
    if count > LETTERS.get(letter, 0):
        raise Refused(f'"{letter * count}" is not supported')
    return Field(letter, count)


def check_parsed(text: str) -> None:
    """Whether texts can be read by the format; raises Refused."""
    fields = parts(text)
    letters = [part.letter for part in fields if isinstance(part, Field)]
    for part in fields:
        if isinstance(part, Field) and (
            part.letter not in PARSED or (part.letter in "yu" and part.count not in (1, 2, 4))
        ):
            raise Refused(f'"{part.letter * part.count}" cannot be read')
    if len(set(letters)) < len(letters):
        raise Refused("a letter occurs twice")
    for one, other in pairwise(
        part if isinstance(part, Field) and not part.is_name else None for part in fields
    ):
        if one and other and (not other.has_width or one.letter == "S"):
            raise Refused("two numbers stand side by side, and the second has any length")
