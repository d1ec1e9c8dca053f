"""Values in one form each.

A value is a bool, int, float, Decimal, str, bytes, date, datetime (naive, UTC), timedelta (an
interval) or a tuple (an array or struct; a map is the tuple of its entries, in the order of their keys);
None is NULL. Equal values are equal keys of a dict,
which takes one NaN for all and no -0.0.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from decimal import Decimal
from itertools import pairwise
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


def sort_key(value: Any) -> tuple[Any, ...]:
    """Ordered as the values of one type are: NULL first, NaN last."""
    if value is None:
        return (0,)
    if isinstance(value, float) and math.isnan(value):
        return (2,)
    if isinstance(value, tuple):
        return (1, row_key(value))
    return (1, value)


def row_key(row: Row) -> tuple[tuple[Any, ...], ...]:
    """A total order on the rows of one schema: column by column."""
    return tuple(map(sort_key, row))


def map_value(entries: Iterable[tuple[Any, Any]]) -> Row | None:
    """The map with these entries, in the order of their keys; NULL if a key is NULL or there twice."""
    ordered = sorted(map(canonical, entries), key=lambda entry: sort_key(entry[0]))
    keys = [key for key, _ in ordered]
    is_twice = any(sort_key(one) == sort_key(other) for one, other in pairwise(keys))
    return None if None in keys or is_twice else tuple(ordered)
