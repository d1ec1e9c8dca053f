"""JSON texts as Spark reads them: also in single quotes, with NaN and infinities, and with a rest behind.

Python's parser, which is fast, reads most texts; what it refuses is read by this module's own.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Final

_BLANKS: Final = re.compile(r"[ \t\n\r]*")
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?(?![0-9A-Za-z_.+-])")
_WORD: Final = re.compile(r"[+-]?[A-Za-z]+")
_SPECIAL: Final = {
    "NaN": "NaN",
    **dict.fromkeys(("+INF", "Infinity", "+Infinity"), "Infinity"),
    **dict.fromkeys(("-INF", "-Infinity"), "-Infinity"),
}
_WORDS: Final[dict[str, Any]] = {"true": True, "false": False, "null": None}
_ESCAPES: Final = {
    **dict.fromkeys('"\\/', ""), "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "'": "'"
}  # fmt: skip
_DEEPEST: Final = 500


class NotJson(ValueError):
    """The text is no JSON."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number as it is written; NaN and infinities are words."""

    text: str
    is_whole: bool


class Members(list[tuple[str, Any]]):
    """The names and values of an object, in their order."""


Node = str | bool | None | Number | Members | list[Any]


def read(text: str) -> Node:
    """The value at the beginning of the text; raises NotJson."""
    try:
        return _FAST.raw_decode(text, _blanks(text, 0))[0]  # type: ignore[no-any-return]
    except (ValueError, RecursionError):
        return _Scanner(text).value(0, 0)[0]


_FAST: Final = json.JSONDecoder(
    object_pairs_hook=Members,
    parse_int=lambda text: Number(text, True),
    parse_float=lambda text: Number(text, False),
    parse_constant=lambda text: Number(text, False),
)


def _blanks(text: str, place: int) -> int:
    blanks = _BLANKS.match(text, place)
    assert blanks is not None
    return blanks.end()


@dataclass(slots=True)
class _Scanner:
    text: str

    def value(self, place: int, depth: int) -> tuple[Node, int]:
        """The value that begins there, after blanks, and the place behind it."""
        place = _blanks(self.text, place)
        sign = self.text[place : place + 1]
        if depth > _DEEPEST or not sign:
            raise NotJson
        if sign in "\"'":
            return self._string(place)
        if sign == "{":
            return self._object(place, depth)
        if sign == "[":
            return self._array(place, depth)
        if number := _NUMBER.match(self.text, place):
            return Number(number[0], not (number[1] or number[2])), number.end()
        return self._word(place)

    def _word(self, place: int) -> tuple[Node, int]:
        word = _WORD.match(self.text, place)
        if word is None:
            raise NotJson
        if word[0] in _WORDS:
            return _WORDS[word[0]], word.end()
        if word[0] in _SPECIAL:
            return Number(_SPECIAL[word[0]], False), word.end()
        raise NotJson

    def _string(self, place: int) -> tuple[str, int]:
        quote, parts = self.text[place], list[str]()
        place += 1
        while True:
            sign = self.text[place : place + 1]
            if sign == quote:
                return "".join(parts), place + 1
            if not sign or sign < " ":
                raise NotJson
            if sign == "\\":
                part, place = self._escape(place + 1)
                parts.append(part)
            else:
                parts.append(sign)
                place += 1

    def _escape(self, place: int) -> tuple[str, int]:
        sign = self.text[place : place + 1]
        if sign == "u":
            digits = self.text[place + 1 : place + 5]
            if not re.fullmatch("[0-9a-fA-F]{4}", digits):
                raise NotJson
            return self._surrogates(int(digits, 16), place + 5)
        if sign not in _ESCAPES or not sign:
            raise NotJson
        return _ESCAPES[sign] or sign, place + 1

    def _surrogates(self, code: int, place: int) -> tuple[str, int]:
        if 0xD800 <= code < 0xDC00 and self.text[place : place + 2] == "\\u":
            low = self.text[place + 2 : place + 6]
            if re.fullmatch("[dD][c-fC-F][0-9a-fA-F]{2}", low):
                return chr(0x10000 + ((code - 0xD800) << 10) + int(low, 16) - 0xDC00), place + 6
        return chr(code), place

    def _object(self, place: int, depth: int) -> tuple[Members, int]:
        members = Members()
        place = _blanks(self.text, place + 1)
        if self.text[place : place + 1] == "}":
            return members, place + 1
        while True:
            place = _blanks(self.text, place)
            if self.text[place : place + 1] not in ('"', "'"):
                raise NotJson
            name, place = self._string(place)
            place = _blanks(self.text, place)
            if self.text[place : place + 1] != ":":
                raise NotJson
            value, place = self.value(place + 1, depth + 1)
            members.append((name, value))
            place = _blanks(self.text, place) + 1
            if self.text[place - 1 : place] == "}":
                return members, place
            if self.text[place - 1 : place] != ",":
                raise NotJson

    def _array(self, place: int, depth: int) -> tuple[list[Any], int]:
        items: list[Any] = []
        place = _blanks(self.text, place + 1)
        if self.text[place : place + 1] == "]":
            return items, place + 1
        while True:
            value, place = self.value(place, depth + 1)
            items.append(value)
            place = _blanks(self.text, place) + 1
            if self.text[place - 1 : place] == "]":
                return items, place
            if self.text[place - 1 : place] != ",":
                raise NotJson
