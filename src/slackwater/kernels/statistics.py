"""Statistics of ranges of values: the least, the greatest, the middle one, and functions of the whole bag."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import polars as pl

from slackwater.kernels.accumulators import Call
from slackwater.kernels.collected import FUNCTIONS as COLLECTED
from slackwater.kernels.collected import collected
from slackwater.kernels.order import Ints, smallest
from slackwater.kernels.user_aggregates import user_values

VALUE = "@value"


def ranked(values: pl.Series) -> tuple[Ints, pl.Series]:
    """Each value's rank among the distinct values, and the distinct values in order."""
    if values.dtype.is_float():
        distinct_values, ranks = np.unique(values.to_numpy(), return_inverse=True)
        return ranks.astype(np.int64), pl.Series(distinct_values)
    distinct = values.unique().sort()
    numbers = pl.DataFrame({VALUE: distinct}).with_row_index("@rank")
    ranked = pl.DataFrame({VALUE: values}).join(numbers, on=VALUE, how="left", maintain_order="left")
    return ranked["@rank"].to_numpy().astype(np.int64), distinct


def statistic(
    call: Call,
    ranks: Ints,
    weight: Ints,
    begin: Ints,
    end: Ints,
    values: pl.Series,
    shown: Ints | None = None,
) -> pl.Series:
    """The least, greatest or middle value of each range [begin, end) of values, by their ranks and copies."""
    if call.user is not None:
        return user_values(call.user, ranks, weight, begin, end, values, shown).alias(call.name)
    if call.function in COLLECTED:
        return collected(call, ranks, weight, begin, end, values)
    running = np.concatenate([np.zeros(1, np.int64), np.cumsum(weight)])
    total = running[end] - running[begin]

    def at(place: Ints) -> pl.Series:
        rank = smallest(ranks, weight, begin, end, np.maximum(place, 0))
        known = pl.Series(rank).set(pl.Series(total <= 0), None)
        return values.gather(known) if len(values) else pl.Series([None] * len(begin), dtype=values.dtype)

    match call.function:
        case "min":
            return at(np.zeros_like(total)).alias(call.name)
        case "max":
            return at(total - 1).alias(call.name)
        case _:
            return _middle(at((total - 1) // 2), at(total // 2)).alias(call.name)


def _middle(low: pl.Series, high: pl.Series) -> pl.Series:
    """The mean of the two, rounded once."""
    if low.dtype.is_float():
        halves = low * 0.5 + high * 0.5
        # Halving is exact except for the smallest numbers, and adding first except for the largest.
        small = (low.abs() < 1.0) & (high.abs() < 1.0)
        return pl.select(pl.when(small).then((low + high) * 0.5).otherwise(halves) + 0.0).to_series()
    if low.dtype.is_decimal():
        pairs = zip(low.to_list(), high.to_list(), strict=True)
        means = [None if a is None else float((Fraction(a) + Fraction(b)) / 2) for a, b in pairs]
        return pl.Series(means, dtype=pl.Float64)
    doubled = low.cast(pl.Int128) + high.cast(pl.Int128)
    return doubled.cast(pl.Float64) * 0.5
