"""Numbers as Java writes them."""

from __future__ import annotations

import math


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
