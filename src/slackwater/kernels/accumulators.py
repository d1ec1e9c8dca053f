"""Accumulators: aggregates that are functions of sums, as columns of weights and back.

Each gives the columns to be summed for its argument, and its value from what they sum to. The columns
are named `@i:…` for the i-th aggregate of an operator.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
import polars as pl

from slackwater.algebra.types import Type
from slackwater.base.diagnostic import EngineError
from slackwater.kernels import exact
from slackwater.kernels.expressions.columns import dtype
from slackwater.kernels.frames import N

LINEAR = ("count", "sum", "avg", "variance", "stddev", "var_pop", "stddev_pop")
ORDERED = ("min", "max", "median")


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

    @property
    def is_linear(self) -> bool:
        return self.function in LINEAR

    @property
    def needs_set(self) -> bool:
        """Whether DISTINCT makes a difference to it."""
        return self.distinct and self.function not in ("min", "max")


def weights(call: Call, prefix: str, frame: pl.DataFrame, column: str | None) -> list[pl.Series]:
    """The columns that the call's accumulator is the sum of, one row for each element."""
    n = frame[N]
    if column is None:
        return []  # COUNT(*) is how many rows the group has, which is summed anyway.
    values = frame[column]
    present = values.is_not_null()
    found = [(n * present.cast(pl.Int64)).alias(f"{prefix}:count")]
    if call.function == "count":
        return found
    filled = values.fill_null(0) if not values.dtype.is_decimal() else _unscaled(values).fill_null(0)
    copies = n.to_numpy()
    for name, limb in _limbs(filled).items():
        found.append(pl.Series(f"{prefix}:sum:{name}", limb * copies))
    if call.function in ("variance", "stddev", "var_pop", "stddev_pop"):
        found += [pl.Series(f"{prefix}:sq:{k}", v * copies) for k, v in _square_limbs(filled).items()]
    return found


def value(call: Call, prefix: str, found: pl.DataFrame) -> pl.Series:
    """The call's values from the sums, null where there is nothing to aggregate."""
    count = found[f"{prefix}:count"]
    if call.function == "count":
        return count.alias(call.name)
    sums = _named(found, f"{prefix}:sum:")
    if call.function in ("variance", "stddev", "var_pop", "stddev_pop"):
        squares = _named(found, f"{prefix}:sq:")
        return _variance(call, count, sums, squares)
    if call.function == "sum" and not call.type.is_floating:
        result = _whole_sum(call, count, sums)
    else:
        result = _real_sum(call, sums, found.height)
        if call.function == "avg":
            result = result / count
            result = result + 0.0
    return pl.select(pl.when(count > 0).then(result).alias(call.name))[call.name]


def _named(found: pl.DataFrame, prefix: str) -> dict[str, pl.Series]:
    return {name.removeprefix(prefix): found[name] for name in found.columns if name.startswith(prefix)}


def _limbs(values: pl.Series) -> exact.Limbs:
    if values.dtype.is_float():
        return exact.limbs(values.cast(pl.Float64).to_numpy())
    return exact.whole_limbs(values)


def _square_limbs(values: pl.Series) -> exact.Limbs:
    if values.dtype.is_float():
        return exact.squared(values.cast(pl.Float64).to_numpy())
    whole = values.to_list()
    found: exact.Limbs = {}
    for place in range(8):
        column = [(each * each >> exact.WIDTH * place) & (2**exact.WIDTH - 1) for each in whole]
        exact.add(found, str(place), np.array(column, np.int64))
    return found


def _unscaled(values: pl.Series) -> pl.Series:
    """Decimals as whole numbers of their last digit."""
    scale = values.dtype.scale  # type: ignore[attr-defined]
    whole = [None if each is None else int(each.scaleb(scale)) for each in values.to_list()]
    return pl.Series(values.name, whole, dtype=pl.Int128)


def _real_sum(call: Call, sums: dict[str, pl.Series], height: int) -> pl.Series:
    if not call.argument_type.is_decimal:
        return exact.doubles(sums, height)
    whole, _ = exact.totals(sums)
    unit = 10**call.argument_type.scale
    return pl.Series([each / unit for each in whole] or [0.0] * height, dtype=pl.Float64)


def _whole_sum(call: Call, count: pl.Series, sums: dict[str, pl.Series]) -> pl.Series:
    whole, exponent = exact.totals(sums)
    height = len(count)
    if call.type.is_decimal:
        scale = call.type.scale
        numbers = [Decimal(each << exponent).scaleb(-scale) for each in whole] or [Decimal(0)] * height
        if any(len(each.as_tuple().digits) > call.type.precision for each in numbers):
            raise call.overflow
        return pl.Series(numbers, dtype=dtype(call.type))
    series = pl.Series(whole, dtype=pl.Int128) if len(whole) else pl.zeros(height, pl.Int128, eager=True)
    series = exact.times(series, 1 << exponent) if exponent else series
    if height and (series.max() >= 2**63 or series.min() < -(2**63)):  # type: ignore[operator]
        raise call.overflow
    return series.cast(pl.Int64)


def _variance(
    call: Call, count: pl.Series, sums: dict[str, pl.Series], squares: dict[str, pl.Series]
) -> pl.Series:
    """(n Σx² - (Σx)²) / n(n - spare), in whole numbers, rounded once."""
    height, spare = len(count), 0 if call.function.endswith("pop") else 1
    (whole, of_sum), (whole_squares, of_squares) = exact.totals(sums), exact.totals(squares)
    ones = list(whole) or [0] * height
    twos = list(whole_squares) or [0] * height
    unit = 10 ** (2 * call.argument_type.scale)
    strange = [False] * height
    if exact.NAN in sums:
        strange = [sum(row) > 0 for row in zip(*(sums[name] for name in exact.STRANGE), strict=True)]
    results: list[float | None] = []
    for n, one, two, is_strange in zip(count.to_list(), ones, twos, strange, strict=True):
        if n <= spare:
            results.append(None)
        elif is_strange:
            results.append(float("nan"))
        else:
            results.append(_spread(n, one, two, 2 * of_sum, of_squares, n * (n - spare) * unit))
    if call.function.startswith("stddev"):
        results = [None if each is None else math.sqrt(each) for each in results]
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
