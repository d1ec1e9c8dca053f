"""Formats of numbers in texts, as Spark's to_number reads them: 'S999,990.99', '$99.9MI', '9PR'."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

_FORMAT: Final = re.compile(
    r"(?P<before>S|MI)?(?P<dollar>\$)?(?P<whole>[09]+(?:[,G][09]+)*)?(?:(?P<point>[.D])(?P<part>[09]*))?"
    r"(?P<after>S|MI|PR)?"
)
_MOST: Final = 38


@dataclass(frozen=True, slots=True)
class NumberFormat:
    """The groups of digits before the point, from the left, the number of those after it, and the signs."""

    groups: tuple[str, ...]
    part: int
    has_point: bool
    has_dollar: bool
    before: str
    after: str

    @property
    def precision(self) -> int:
        return sum(map(len, self.groups)) + self.part


@lru_cache(maxsize=512)
def number_format(text: str) -> NumberFormat | None:
    """The format that the text is; None if it is none.

    >>> number_format("99,990.9S").precision
    6
    """
    match = _FORMAT.fullmatch(text.upper())
    if match is None or (match["before"] and match["after"]):
        return None
    groups = tuple(re.split("[,G]", match["whole"])) if match["whole"] else ()
    format_ = NumberFormat(
        groups,
        len(match["part"] or ""),
        bool(match["point"]),
        bool(match["dollar"]),
        match["before"] or "",
        match["after"] or "",
    )
    return format_ if 0 < format_.precision <= _MOST else None
