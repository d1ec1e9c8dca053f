"""Values in one form each.

A value is a bool, int, float, Decimal, str, bytes, date, datetime (naive, UTC), timedelta (an
interval) or a tuple (an array or struct); None is NULL. Equal values are equal keys of a dict,
which takes one NaN for all and no -0.0.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Final

NAN: Final = float("nan")
"""The one NaN: equal to itself as part of a key, because it is the same object."""

Row = tuple[Any, ...]


def canonical(value: Any) -> Any:
    """The one form of a value: `NAN` for every NaN, zero without a sign."""
    match value:
        case float():
            return value + 0.0 if value == value else NAN
        case Decimal():
            return value if value else value.copy_abs()
        case tuple():
            return tuple(map(canonical, value))
    return value
