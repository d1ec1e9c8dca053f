"""Accumulators: aggregates that are functions of sums.

`weights` gives the columns to be summed for an aggregate's argument, `value` computes the aggregate from the
sums. The columns of an operator's i-th aggregate are named `@i:…`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import polars as pl

from slackwater.algebra.expressions import Aggregation
from slackwater.algebra.expressions.aggregates import LINEAR
from slackwater.algebra.types import Type
from slackwater.base.diagnostic import EngineError
from slackwater.kernels import exact
from slackwater.kernels.expressions.decimals import from_units
from slackwater.kernels.frames import N


@dataclass(frozen=True, slots=True)
class Call:
    """One aggregate: its function, its argument as a column of the frame, and the types of both."""

    name: str
    function: str
    argument: str | None
    distinct: bool
    type: Type
    argument_type: Type
    overflow: EngineError
    user: Aggregation | None = None
    """The aggregate as written, if it is one of a user."""

    @property
    def is_linear(self) -> bool:
        return self.function in LINEAR

    @property
    def needs_set(self) -> bool:
        """Whether DISTINCT changes the result."""
        return self.distinct and self.function not in ("min", "max")


def weights(call: Call, prefix: str, frame: pl.DataFrame, column: str | None) -> list[pl.Series]:
    """The columns that the call's accumulator is the sum of, one row per element."""
    n = frame[N]
    if column is None:
        return []  # COUNT(*) is the number of rows of the group, which is summed anyway.
    values = frame[column]
    present = values.is_not_null()
    columns = [(n * present.cast(pl.Int64)).alias(f"{prefix}:count")]
    if call.function == "count":
        return columns
    filled = values.fill_null(0) if not values.dtype.is_decimal() else _unscaled(values).fill_null(0)
    copies = n.to_numpy()
    for name, limb in _limbs(filled).items():
        columns.append(pl.Series(f"{prefix}:sum:{name}", limb * copies))
    if call.function in ("variance", "stddev", "var_pop", "stddev_pop"):
        columns += [pl.Series(f"{prefix}:sq:{k}", v * copies) for k, v in _square_limbs(filled).items()]
    return columns


def value(call: Call, prefix: str, sums: pl.DataFrame) -> pl.Series:
    """The call's values from the sums, null where there is nothing to aggregate."""
    count = sums[f"{prefix}:count"]
    if call.function == "count":
        return count.alias(call.name)
    limbs = _with_prefix(sums, f"{prefix}:sum:")
    if call.function in ("variance", "stddev", "var_pop", "stddev_pop"):
        squares = _with_prefix(sums, f"{prefix}:sq:")
        return _variance(call, count, limbs, squares)
    if call.function in ("sum", "try_sum") and not call.type.is_floating:
        values = _whole_sum(call, count, limbs)
    else:
        values = _real_sum(call, limbs, sums.height)
        if call.function == "avg":
            values = values / count
            values = values + 0.0
    return pl.select(pl.when(count > 0).then(values).alias(call.name))[call.name]


def _with_prefix(sums: pl.DataFrame, prefix: str) -> dict[str, pl.Series]:
    return {name.removeprefix(prefix): sums[name] for name in sums.columns if name.startswith(prefix)}


def _limbs(values: pl.Series) -> exact.Limbs:
    if values.dtype.is_float():
        return exact.limbs(values.cast(pl.Float64).to_numpy())
    return exact.whole_limbs(values)


def _square_limbs(values: pl.Series) -> exact.Limbs:
    if values.dtype.is_float():
        return exact.squared(values.cast(pl.Float64).to_numpy())
    numbers = values.to_list()
    squares: exact.Limbs = {}
    for place in range(8):
        column = [(number * number >> exact.WIDTH * place) & (2**exact.WIDTH - 1) for number in numbers]
        exact.add(squares, str(place), np.array(column, np.int64))
    return squares


def _unscaled(values: pl.Series) -> pl.Series:
    """Decimals as whole numbers of their last digit."""
    return values.to_physical().cast(pl.Int128)


def _real_sum(call: Call, sums: dict[str, pl.Series], height: int) -> pl.Series:
    if not call.argument_type.is_decimal:
        return exact.doubles(sums, height)
    unit = 10**call.argument_type.scale
    return pl.Series([count / unit for count in _counts(sums, height)], dtype=pl.Float64)


def _counts(sums: dict[str, pl.Series], height: int) -> list[int]:
    """The sums of decimals, as whole numbers of their last digit."""
    whole, exponent = exact.totals(sums)
    return [count << exponent for count in whole] or [0] * height


def _whole_sum(call: Call, count: pl.Series, sums: dict[str, pl.Series]) -> pl.Series:
    height = len(count)
    if call.type.is_decimal:
        counts = _fitting(call, _counts(sums, height))
        return pl.select(from_units(pl.lit(pl.Series(counts, dtype=pl.Int128)), call.type)).to_series()
    whole, exponent = exact.totals(sums)
    series = pl.Series(whole, dtype=pl.Int128) if len(whole) else pl.zeros(height, pl.Int128, eager=True)
    series = exact.times(series, 1 << exponent) if exponent else series
    if height and (series.max() >= 2**63 or series.min() < -(2**63)):  # type: ignore[operator]
        if call.function == "sum":
            raise call.overflow
        return series.cast(pl.Int64, strict=False)
    return series.cast(pl.Int64)


def _fitting(call: Call, counts: list[int]) -> list[int | None]:
    """The sums of decimals that have no more digits than their type."""
    fitting = [count if abs(count) < 10**call.type.precision else None for count in counts]
    if None in fitting and call.function == "sum":
        raise call.overflow
    return fitting


def _variance(
    call: Call, count: pl.Series, sums: dict[str, pl.Series], squares: dict[str, pl.Series]
) -> pl.Series:
    """(n Σx² - (Σx)²) / n(n - spare), in whole numbers, rounded once."""
    height, spare = len(count), 0 if call.function.endswith("pop") else 1
    (whole, of_sum), (whole_squares, of_squares) = exact.totals(sums), exact.totals(squares)
    ones = list(whole) or [0] * height
    twos = list(whole_squares) or [0] * height
    unit = 10 ** (2 * call.argument_type.scale)
    not_finite = [False] * height
    if exact.NAN in sums:
        not_finite = [sum(row) > 0 for row in zip(*(sums[name] for name in exact.NOT_FINITE), strict=True)]
    results: list[float | None] = []
    for n, one, two, is_not_finite in zip(count.to_list(), ones, twos, not_finite, strict=True):
        if n <= spare:
            results.append(None)
        elif is_not_finite:
            results.append(float("nan"))
        else:
            results.append(_spread(n, one, two, 2 * of_sum, of_squares, n * (n - spare) * unit))
    if call.function.startswith("stddev"):
        results = [None if variance is None else math.sqrt(variance) for variance in results]
    return pl.Series(call.name, results, dtype=pl.Float64)


def _spread(n: int, one: int, two: int, of_one: int, of_two: int, divisor: int) -> float:
    least = min(of_one, of_two)
    numerator = (n * two << of_two - least) - (one * one << of_one - least)
    if least >= 0:
        numerator <<= least
    else:
        divisor <<= -least
    try:
        return numerator / divisor
    except OverflowError:
        return math.inf
