"""Functions of texts in plain Python, on arguments that are not NULL; characters are code points."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from slackwater.algebra.errors import long_escape, unfinished_pattern
from slackwater.algebra.expressions.nodes import Call
from slackwater.base.diagnostic import EngineError
from slackwater.base.span import Span

Matcher = Callable[..., bool]


def like(call: Call) -> Matcher:
    @lru_cache(maxsize=256)
    def regex(pattern: str, escape: str | None) -> re.Pattern[str]:
        return _regex(pattern, escape, call.origin)

    def matches(text: str, pattern: str, escape: str | None = None) -> bool:
        return regex(pattern, escape).fullmatch(text) is not None

    return matches


def ilike(call: Call) -> Matcher:
    matches = like(call)

    def matches_in_any_case(text: str, pattern: str, escape: str | None = None) -> bool:
        return matches(text.lower(), pattern.lower(), escape and escape.lower())

    return matches_in_any_case


def _regex(pattern: str, escape: str | None, origin: Span | None) -> re.Pattern[str]:
    """% matches any text, _ any character; a character after the escape matches itself."""
    if escape is not None and len(escape) != 1:
        raise EngineError(long_escape(escape, origin))
    parts: list[str] = []
    characters = iter(pattern)
    for char in characters:
        if char == escape:
            escaped = next(characters, None)
            if escaped is None:
                raise EngineError(unfinished_pattern(pattern, origin))
            parts.append(re.escape(escaped))
        else:
            parts.append({"%": ".*", "_": "."}.get(char) or re.escape(char))
    return re.compile("".join(parts), re.DOTALL)


def substring(text: str, start: int, length: int | None = None) -> str:
    """From the end if start is negative; places before the start of the text count towards the length."""
    first = start - 1 if start > 0 else len(text) + start if start < 0 else 0
    last = len(text) if length is None else first + length
    return text[max(first, 0) : max(last, 0)]


def replace(text: str, old: str, new: str) -> str:
    return text.replace(old, new) if old else text


def left(text: str, count: int) -> str:
    return text[: max(count, 0)]


def right(text: str, count: int) -> str:
    return text[-count:] if count > 0 else ""


def position(needle: str, text: str, start: int = 1) -> int:
    if not needle:
        return int(start > 0)
    return text.find(needle, start - 1) + 1 if start > 0 else 0


def _filling(text: str, length: int, fill: str) -> str:
    missing = max(length - len(text), 0)
    return (fill * (missing // len(fill) + 1))[:missing] if fill else ""


def lpad(text: str, length: int, fill: str = " ") -> str:
    return _filling(text, length, fill) + text[: max(length, 0)]


def rpad(text: str, length: int, fill: str = " ") -> str:
    return text[: max(length, 0)] + _filling(text, length, fill)


def split_part(text: str, delimiter: str, number: int) -> str:
    parts = text.split(delimiter) if delimiter else [text]
    index = number - 1 if number > 0 else len(parts) + number
    return parts[index] if number and 0 <= index < len(parts) else ""


PLAIN: dict[str, Callable[..., Any]] = {
    "upper": str.upper,
    "lower": str.lower,
    "length": len,
    "trim": lambda text, chars=" ": text.strip(chars) if chars else text,
    "ltrim": lambda text, chars=" ": text.lstrip(chars) if chars else text,
    "rtrim": lambda text, chars=" ": text.rstrip(chars) if chars else text,
    "substring": substring,
    "concat": lambda *texts: "".join(texts),
    "replace": replace,
    "left": left,
    "right": right,
    "starts_with": str.startswith,
    "ends_with": str.endswith,
    "contains": lambda text, needle: needle in text,
    "position": position,
    "reverse": lambda text: text[::-1],
    "lpad": lpad,
    "rpad": rpad,
    "repeat": lambda text, count: text * count,
    "split_part": split_part,
}
