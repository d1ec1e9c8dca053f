"""Paths into JSON texts, as Spark reads them: $.name, ['name'], [0] and [*], one after the other."""

from __future__ import annotations

import re
from enum import Enum
from functools import lru_cache
from typing import Final

MOST_NESTED: Final = 200
"""How deep objects and arrays may be inside each other; a deeper text is NULL."""


class Wild(Enum):
    """Steps to more than one value; that to all fields finds none in Spark."""

    ELEMENTS = "[*]"
    FIELDS = ".*"


Step = str | int | Wild
"""The field of a name, the element at a place, or all of them."""

_BLANKS: Final = " \t\n\x0b\f\r"
_BLANK: Final = rf"[{_BLANKS}]*+"
_STEP: Final = re.compile(
    rf"{_BLANK}(?P<fields>\.\*|\['\*'\])"
    rf"|\.{_BLANK}(?P<name>[^.\[]+)"
    rf"|{_BLANK}\['{_BLANK}(?P<quoted>[^']+)'\]"
    rf"|\[{_BLANK}(?P<place>[0-9]+)\]"
    r"|(?P<elements>\[\*\])"
)


@lru_cache(maxsize=512)
def steps(path: str) -> tuple[Step, ...] | None:
    """The steps of a path; None if it is not one.

    >>> steps("$.a[0]['b c'][*]")
    ('a', 0, 'b c', <Wild.ELEMENTS: '[*]'>)
    """
    if not path.startswith("$"):
        return None
    listed: list[Step] = []
    at = 1
    while path[at:].strip(_BLANKS):
        match = _STEP.match(path, at)
        if match is None:
            return None
        listed.append(_step(match))
        at = match.end()
    return tuple(listed)


def _step(match: re.Match[str]) -> Step:
    if match["elements"] or match["fields"]:
        return Wild.ELEMENTS if match["elements"] else Wild.FIELDS
    return int(match["place"]) if match["place"] else match["name"] or match["quoted"]
