"""Regular expressions in plain Python: the tree of a pattern as one of Python's."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from slackwater.algebra.expressions import regexes as r

_PLACES = {"start": r"\A", "end": r"\Z", "word": r"\b", "inside": r"\B"}


@lru_cache(maxsize=512)
def compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(_text(r.parsed(pattern)), re.ASCII)


def _text(pattern: r.Pattern) -> str:
    match pattern:
        case r.Characters(ranges=ranges):
            return "[" + "".join(f"\\U{low:08x}-\\U{high:08x}" for low, high in ranges) + "]"
        case r.Place(kind=kind):
            return _PLACES[kind]
        case r.Group(body=body, is_numbered=is_numbered):
            return f"({'' if is_numbered else '?:'}{_text(body)})"
        case r.Sequence(parts=parts):
            return "".join(map(_text, parts))
        case r.Choice(parts=parts):
            return f"(?:{'|'.join(map(_text, parts))})"
        case r.Repeat(body=body, least=least, most=most, is_lazy=is_lazy):
            counts = f"{{{least},{'' if most is None else most}}}"
            return f"(?:{_text(body)}){counts}{'?' if is_lazy else ''}"


def extract(text: str, pattern: str, group: int = 1) -> str:
    match = compiled(pattern).search(text)
    return (match[group] or "") if match else ""


def extract_all(text: str, pattern: str, group: int = 1) -> tuple[str, ...]:
    return tuple(match[group] or "" for match in compiled(pattern).finditer(text))


def replace(text: str, pattern: str, new: str) -> str:
    """`$1` and `\\$` in the new text are as in Java."""

    def filled(match: re.Match[str]) -> str:
        return "".join(part if isinstance(part, str) else match[part] or "" for part in replacement(new))

    return compiled(pattern).sub(filled, text)


def replacement(new: str) -> list[str | int]:
    """Texts and numbers of groups, by turns of the new text."""
    parts: list[str | int] = []
    for sign in re.finditer(r"\\(.)|\$(\d)|(.)", new, re.DOTALL):
        parts.append(int(sign[2]) if sign[2] else sign[1] or sign[3])
    return parts


def instr(text: str, pattern: str) -> int:
    match = compiled(pattern).search(text)
    return match.start() + 1 if match else 0


def substr(text: str, pattern: str) -> str | None:
    match = compiled(pattern).search(text)
    return match[0] if match else None


def split(text: str, pattern: str, limit: int = -1) -> tuple[str, ...]:
    parts: list[str] = []
    begin = 0
    for match in compiled(pattern).finditer(text):
        if limit > 0 and len(parts) == limit - 1:
            break
        parts.append(text[begin : match.start()])
        begin = match.end()
    return (*parts, text[begin:])


PLAIN: dict[str, Callable[..., Any]] = {
    "regexp_like": lambda text, pattern: compiled(pattern).search(text) is not None,
    "regexp_extract": extract,
    "regexp_extract_all": extract_all,
    "regexp_replace": replace,
    "regexp_count": lambda text, pattern: sum(1 for _ in compiled(pattern).finditer(text)),
    "regexp_instr": instr,
    "regexp_substr": substr,
    "split": split,
}
