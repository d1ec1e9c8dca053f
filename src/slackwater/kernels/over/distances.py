"""RANGE with a distance: the peers at a distance from others, by the values that rows are ordered by.

values    1   2   5   7          2 FOLLOWING, as an end: the first value after v + 2
end       5   5   -   -
"""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from slackwater.algebra.expressions import Literal
from slackwater.algebra.expressions.over import SortKey
from slackwater.kernels.keys import Ints

_LARGEST = 1 << 62


def targets(values: pl.Series, key: SortKey, bound: Literal, is_end: bool) -> Ints:
    """For each of the different values in order, the place of the first one in the frame or, of its end,
    after it. NULL is at no distance from other values: the frame has the NULLs."""
    present = values.is_not_null()
    count = int(present.sum())
    places = np.arange(len(values), dtype=np.int64) + int(is_end)
    known, distance = _numbers(values.filter(present), bound)
    ascending = known[::-1] if key.descending else known
    sought = known - distance if key.descending else known + distance
    side = "right" if is_end != key.descending else "left"
    before = np.searchsorted(ascending, sought, side)  # type: ignore[call-overload]
    first = int(np.argmax(present.to_numpy())) if count else 0
    places[present.to_numpy()] = first + (count - before if key.descending else before)
    return places


def _numbers(values: pl.Series, bound: Literal) -> tuple[NDArray[Any], Any]:
    """The values and the distance as numbers of one unit; whole numbers of any size where needed."""
    if values.dtype.is_float():
        return values.cast(pl.Float64).to_numpy(), float(bound.value)
    distance = bound.value
    if isinstance(distance, timedelta):
        distance = distance.days if values.dtype == pl.Date else distance // timedelta(microseconds=1)
    if isinstance(distance, Decimal):
        sign, digits, exponent = distance.as_tuple()
        assert isinstance(exponent, int)
        scale = values.dtype.scale if isinstance(values.dtype, pl.Decimal) else 0
        whole = int("".join(map(str, digits))) * 10 ** (exponent + scale)
        return np.array(values.to_physical().to_list(), object), -whole if sign else whole
    whole = values.to_physical().cast(pl.Int64).to_numpy()
    largest = max(abs(int(whole.min())), abs(int(whole.max()))) if len(whole) else 0
    is_large = largest + abs(distance) > _LARGEST
    return whole.astype(object) if is_large else whole, distance
