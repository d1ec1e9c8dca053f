"""Formats of texts by the signs of Java's Formatter: '%s has %,d of %5.2f'."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from slackwater.algebra.types import Type

_SIGN: Final = re.compile(
    r"%(?:(?P<number>[0-9]+)\$)?(?P<flags>[-#+ 0,(<]*)(?P<width>[0-9]+)?(?:\.(?P<digits>[0-9]+))?"
    r"(?P<kind>.?)",
    re.DOTALL,
)
_FLAGS: Final = {
    "s": "-<", "S": "-<", "b": "-<", "B": "-<", "d": "-+ 0,(<", "o": "-#0<", "x": "-#0<", "X": "-#0<",
    "f": "-+ 0,(<", "e": "-+ 0(<", "E": "-+ 0(<", "n": "", "%": "-",
}  # fmt: skip
"""The conversions, and the flags that each may have."""
_LONGEST: Final = 1_000


class Refused(Exception):
    """Why a format is not supported, as the end of a sentence."""


@dataclass(frozen=True, slots=True)
class Field:
    """An argument, by its place from 0, and how it is written."""

    place: int
    kind: str
    flags: str = ""
    width: int = 0
    digits: int | None = None


@lru_cache(maxsize=512)
def parts(text: str) -> tuple[str | Field, ...]:
    """Texts and fields, in order; raises Refused.

    >>> parts("%5s%%")
    (Field(place=0, kind='s', flags='', width=5, digits=None), '%')
    """
    listed: list[str | Field] = []
    at, ordinary, last = 0, 0, -1
    while at < len(text):
        match = _SIGN.match(text, at)
        if match is None:
            end = text.find("%", at) if "%" in text[at:] else len(text)
            listed.append(text[at:end])
            at = end
            continue
        at = match.end()
        _check(match)
        if match["kind"] in "%n":
            listed.append("\n" if match["kind"] == "n" else _padded("%", match))
            continue
        if match["number"]:
            last = int(match["number"]) - 1
        elif "<" not in match["flags"]:
            last, ordinary = ordinary, ordinary + 1
        if last < 0:
            raise Refused("there is no argument before it")
        digits = None if match["digits"] is None else int(match["digits"])
        flags = "".join(sorted(match["flags"].replace("<", "")))
        listed.append(Field(last, match["kind"], flags, int(match["width"] or 0), digits))
    return tuple(listed)


def _check(match: re.Match[str]) -> None:
    kind, flags, width = match["kind"], match["flags"], match["width"]
    if kind not in _FLAGS or not kind:
        raise Refused(f'"{match[0]}" is not one of %s %b %d %o %x %e %f %n %%')
    wrong = next((flag for flag in flags if flag not in _FLAGS[kind]), None)
    if wrong is not None or len(set(flags)) < len(flags):
        raise Refused(f'"{wrong or flags}" has no meaning in "{match[0]}"')
    if {"-", "0"} <= {*flags} or {"+", " "} <= {*flags} or ({"-", "0"} & {*flags} and not width):
        raise Refused(f'the flags of "{match[0]}" contradict each other, or need a width')
    if match["digits"] is not None and kind in "doxXn%":
        raise Refused(f'"{match[0]}" takes no number of digits')
    if int(width or 0) > _LONGEST or int(match["digits"] or 0) > _LONGEST or (kind == "n" and width):
        raise Refused(f'"{match[0]}" is too wide')


def _padded(text: str, match: re.Match[str]) -> str:
    width = int(match["width"] or 0)
    return text.ljust(width) if "-" in match["flags"] else text.rjust(width)


def check(text: str, types: Sequence[Type]) -> None:
    """Raises Refused if the fields of the format do not go with arguments of these types."""
    for field in parts(text):
        if isinstance(field, str):
            continue
        if field.place >= len(types):
            raise Refused(f"there is no argument {field.place + 1}")
        type_ = types[field.place]
        fits = {
            **dict.fromkeys("doxX", type_.is_integer),
            **dict.fromkeys("eEf", type_.name == "double"),
        }
        if not fits.get(field.kind, True) and type_.name != "null":
            raise Refused(f"%{field.kind} does not write a {type_}")
