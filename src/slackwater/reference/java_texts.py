"""Texts as Java has them, in units of 16 bits, and numbers as it writes them, in plain Python."""

from __future__ import annotations

import math
import struct
from decimal import Decimal


def double_text(value: float) -> str:
    """The double as Double.toString writes it: 1.0, 0.001, 1.0E7, 1.5E-4.

    >>> [double_text(value) for value in (1.0, 0.001, 1e7, 1.5e-4, -0.0)]
    ['1.0', '0.001', '1.0E7', '1.5E-4', '-0.0']
    """
    if not math.isfinite(value):
        return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"
    if value == 0 or 1e-3 <= abs(value) < 1e7:
        text = format(Decimal(repr(value)), "f")
        return text if "." in text else f"{text}.0"
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    first, *rest = map(str, digits)
    power = int(exponent) + len(rest)
    return f"{'-' if sign else ''}{first}.{''.join(rest) or '0'}E{power}"


def units(text: str) -> str:
    """The characters of a text, of which Java counts one beyond 16 bits as two.

    >>> len(units("a😀"))
    3
    """
    return "".join(chr(unit) for (unit,) in struct.iter_unpack("<H", text.encode("utf-16-le")))


def shortened(text: str, size: int) -> str:
    """So many units of the text; a half of a character is a question mark."""
    content = units(text)[:size].encode("utf-16-le", "surrogatepass")
    return content.decode("utf-16-le", "surrogatepass").encode(errors="replace").decode()
