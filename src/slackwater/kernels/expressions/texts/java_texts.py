"""Texts as Java has them, in units of 16 bits, and numbers as it writes them."""

from __future__ import annotations

import math
import re
from typing import Final

_FAR: Final = re.compile("[\U00010000-\U0010ffff]")
_HALF: Final = re.compile("[\ud800-\udbff](?![\udc00-\udfff])")
_PAIR: Final = re.compile("[\ud800-\udbff][\udc00-\udfff]")


def double_text(value: float) -> str:
    """The double as Double.toString writes it: plain from 0.001 to 10 million, else with an exponent."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    mantissa, _, exponent = f"{value!r}".partition("e")
    size = abs(value)
    if size == 0 or 1e-3 <= size < 1e7:
        return mantissa if "." in mantissa else f"{mantissa}.0"
    sign = "-" if value < 0 else ""
    whole, _, part = mantissa.lstrip("-").partition(".")
    if exponent:
        return f"{sign}{whole}.{part or '0'}E{int(exponent)}"
    figures = (whole + part).lstrip("0")
    power = len(whole) - 1 if whole != "0" else len(figures) - len(part) - 1
    return f"{sign}{figures[0]}.{figures[1:].rstrip('0') or '0'}E{power}"


def units(text: str) -> str:
    """The text with two surrogates in place of a character beyond 16 bits, as Java counts it."""
    return text if text.isascii() else _FAR.sub(_split, text)


def _split(far: re.Match[str]) -> str:
    high, low = divmod(ord(far[0]) - 0x10000, 0x400)
    return chr(0xD800 + high) + chr(0xDC00 + low)


def shortened(text: str, size: int) -> str:
    """So many units of the text; a half of a character is a question mark."""
    return text[:size] if text.isascii() else _PAIR.sub(_joined, _HALF.sub("?", units(text)[:size]))


def _joined(pair: re.Match[str]) -> str:
    high, low = map(ord, pair[0])
    return chr(0x10000 + (high - 0xD800) * 0x400 + low - 0xDC00)
