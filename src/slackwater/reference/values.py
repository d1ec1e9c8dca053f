"""The total order of values."""

from __future__ import annotations

import math
from typing import Any

from slackwater.algebra.values import Row


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
