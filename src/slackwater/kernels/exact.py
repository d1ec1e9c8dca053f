"""Exact sums: numbers as whole numbers in limbs, rounded once.

A double is ±m · 2^e with m below 2^53. Cut at every 32nd bit of the number line it becomes at most
three *limbs*, each a whole number below 2^32; integers and decimals are cut the same way.

    … |  2^-64 … 2^-33  |  2^-32 … 2^-1  |  2^0 … 2^31  | …
            limb -2           limb -1         limb 0

Sums of limbs are exact in 64 bits for two thousand million rows, whatever their order, and subtracting a
row again is exact too. Only the limbs that occur become columns; most data needs one to three.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl
from numpy.typing import NDArray

WIDTH = 32
_MASK = (1 << WIDTH) - 1
NAN, POSITIVE, NEGATIVE = "nan", "inf", "-inf"
"""Columns that count the values without a place on the number line."""
NOT_FINITE = (NAN, POSITIVE, NEGATIVE)

Limbs = dict[str, NDArray[np.int64]]


def limbs(values: NDArray[np.float64]) -> Limbs:
    """Doubles as limbs: a column of whole numbers for each part of the number line they touch."""
    finite = np.isfinite(values)
    mantissa, exponent = np.frexp(np.where(finite, values, 0.0))
    whole = np.abs(np.ldexp(mantissa, 53)).astype(np.int64)
    sign = np.where(mantissa < 0, -1, 1).astype(np.int64)
    place, shift = np.divmod(exponent.astype(np.int64) - 53, WIDTH)
    low = (whole & _MASK) << shift
    high = ((whole >> WIDTH) << shift) + (low >> WIDTH)
    parts = ((low & _MASK) * sign, (high & _MASK) * sign, (high >> WIDTH) * sign)
    columns: Limbs = {}
    for first in np.unique(place[whole != 0]).tolist():
        here = place == first
        for offset, part in enumerate(parts):
            add(columns, str(first + offset), part if here.all() else np.where(here, part, 0))
    if not finite.all():
        columns[NAN] = np.isnan(values).astype(np.int64)
        columns[POSITIVE] = np.isposinf(values).astype(np.int64)
        columns[NEGATIVE] = np.isneginf(values).astype(np.int64)
    return columns


def squared(values: NDArray[np.float64]) -> Limbs:
    """The squares of doubles as limbs, exactly: x² = p + e with p rounded and e what that lost."""
    finite = np.where(np.isfinite(values), values, 0.0)
    mantissa, exponent = np.frexp(finite)
    product = mantissa * mantissa
    big = mantissa * 134217729.0  # 2^27 + 1: Dekker's split into halves of 26 bits
    high = big - (big - mantissa)
    low = mantissa - high
    error = ((high * high - product) + 2 * high * low) + low * low
    columns: Limbs = {}
    for part in (product, error):
        for name, column in _shifted(part, 2 * exponent.astype(np.int64)).items():
            add(columns, name, column)
    return columns


def _shifted(values: NDArray[np.float64], by: NDArray[np.int64]) -> Limbs:
    """values · 2^by as limbs, also where that is too small or too large for a double."""
    columns: Limbs = {}
    steps, rest = np.divmod(by, WIDTH)
    scaled = np.ldexp(values, rest.astype(np.int32))
    for step in np.unique(steps).tolist():
        for name, column in limbs(np.where(steps == step, scaled, 0.0)).items():
            add(columns, str(int(name) + step), column)
    return columns


def whole_limbs(values: pl.Series) -> Limbs:
    """Whole numbers of up to 128 bits as limbs."""
    if values.dtype.is_integer() and values.dtype != pl.Int128:
        small = values.cast(pl.Int64).to_numpy()
        if not len(small) or -_MASK <= small.min() <= small.max() <= _MASK:
            return {"0": small}
        return {"0": small & _MASK, "1": small >> WIDTH}
    columns: Limbs = {}
    rest = values.cast(pl.Int128)
    for place in range(4):
        higher = _over(rest) if place < 3 else None
        limb = rest if higher is None else rest - times(higher, 1 << WIDTH)
        add(columns, str(place), limb.cast(pl.Int64).to_numpy())
        if higher is None:
            break
        rest = higher
    return columns


def times(values: pl.Series, factor: int) -> pl.Series:
    """The values, of 128 bits, multiplied."""
    return values.to_frame("@").select(pl.col("@") * pl.lit(factor, pl.Int128)).to_series()


def _over(values: pl.Series) -> pl.Series:
    """The values, of 128 bits, without their lowest limb."""
    return values.to_frame("@").select(pl.col("@") // pl.lit(1 << WIDTH, pl.Int128)).to_series()


def add(columns: Limbs, name: str, column: NDArray[np.int64]) -> None:
    """Add to the column of that name; zeros make no column."""
    if column.any():
        columns[name] = columns[name] + column if name in columns else column


def totals(sums: Mapping[str, pl.Series]) -> tuple[pl.Series | list[int], int]:
    """The sums as whole numbers in units of 2^exponent: in 128 bits where that is enough."""
    places = sorted(int(name) for name in sums if name not in NOT_FINITE)
    if not places:
        return pl.Series(dtype=pl.Int128), 0
    first = places[0]
    columns = {place: sums[str(place)] for place in places}
    if places[-1] - first <= 2:
        whole = columns[first].cast(pl.Int128)
        for place in places[1:]:
            whole = whole + times(columns[place].cast(pl.Int128), 1 << WIDTH * (place - first))
        return whole, WIDTH * first
    rows = zip(*(columns[place].to_list() for place in places), strict=True)
    shifts = [WIDTH * (place - first) for place in places]
    return [sum(limb << by for limb, by in zip(row, shifts, strict=True)) for row in rows], WIDTH * first


def doubles(sums: Mapping[str, pl.Series], height: int) -> pl.Series:
    """The doubles that sums of limbs stand for, each rounded once."""
    whole, exponent = totals(sums)
    if not len(whole):
        total = pl.Series("sum", np.zeros(height))
    elif isinstance(whole, pl.Series) and exponent >= -1000:
        with np.errstate(over="ignore"):  # beyond the largest double: infinity
            total = pl.Series("sum", np.ldexp(whole.cast(pl.Float64).to_numpy(), exponent))
    else:
        total = pl.Series("sum", [rounded(number, exponent) for number in whole], dtype=pl.Float64)
    if NAN not in sums:
        return total
    nan, positive, negative = (sums[name] > 0 for name in NOT_FINITE)
    chosen = pl.when(nan | (positive & negative)).then(float("nan")).when(positive).then(float("inf"))
    return pl.select(chosen.when(negative).then(float("-inf")).otherwise(total).alias("sum"))["sum"]


def rounded(whole: int, exponent: int) -> float:
    """whole · 2^exponent as a double; an infinity if it is beyond the largest."""
    try:
        return float(whole << exponent) if exponent >= 0 else whole / (1 << -exponent)
    except OverflowError:
        return float("inf") if whole > 0 else float("-inf")
