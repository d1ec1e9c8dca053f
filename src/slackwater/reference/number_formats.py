"""Numbers read by formats, in plain Python."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import zip_longest
from typing import Any

from slackwater.algebra.expressions.number_formats import NumberFormat, number_format

_NUMBER = re.compile(
    r"(?P<before>[+-]?)(?P<dollar>\$?)(?P<whole>[\d,\s]*)(?:(?P<point>\.)(?P<part>[\d\s]*))?(?P<after>[+-]?)"
)
_SIGNS = {"S": ("", "+", "-"), "MI": ("", "-")}


def _digits(text: str) -> str:
    """The digits of a text, in ASCII."""
    return "".join(str(int(char)) for char in text if char.isdecimal())


def _fits(match: re.Match[str], format_: NumberFormat) -> bool:
    """Whether signs are where the format has them, and no group has more digits, or fewer than one of 0."""
    groups = [len(_digits(group)) for group in match["whole"].split(",")] if match["whole"] else []
    expected = [(len(group), group[0] == "0") for group in reversed(format_.groups)]
    pairs = zip_longest(reversed(groups), expected, fillvalue=0)
    return (
        match["before"] in _SIGNS.get(format_.before, ("",))
        and match["after"] in _SIGNS.get(format_.after, ("",))
        and bool(match["dollar"]) == format_.has_dollar
        and (format_.has_point or not match["point"])
        and (len(_digits(match["part"] or "")) <= format_.part)
        and all(
            isinstance(group, tuple) and (size == group[0] if group[1] else size <= group[0])
            for size, group in pairs
        )
    )


def number_text(text: str, form: str) -> str | None:
    format_ = number_format(form)
    if format_ is None:
        return None
    is_bracketed = format_.after == "PR" and text.startswith("<") and text.endswith(">")
    match = _NUMBER.fullmatch(text[1:-1] if is_bracketed else text)
    if match is None or not _fits(match, format_):
        return None
    whole, part = _digits(match["whole"]), _digits(match["part"] or "")
    if not whole + part:
        return None
    is_negative = is_bracketed != ("-" in match["before"] + match["after"])
    return f"{'-' if is_negative else ''}{whole or '0'}.{part or '0'}"


PLAIN: dict[str, Callable[..., Any]] = {"number_text": number_text}
