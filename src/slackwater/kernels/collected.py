"""Aggregates of the bag of values of a group: recomputed where the bag changes.

The values of a range of edges are counted by rank, from one place to the next; the function then has the
distinct values with their numbers of copies.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from functools import cmp_to_key
from typing import Any

import polars as pl

from slackwater.algebra.types import Type
from slackwater.algebra.values import canonical
from slackwater.kernels import bitmaps
from slackwater.kernels.accumulators import Call
from slackwater.kernels.expressions.values import column_of, values_of
from slackwater.kernels.order import Ints

Counts = list[tuple[Any, int]]
"""Distinct values, in order, with their numbers of copies."""


def collected(call: Call, ranks: Ints, weight: Ints, begin: Ints, end: Ints, values: pl.Series) -> pl.Series:
    """The function of the bag of each range [begin, end) of values."""
    function = FUNCTIONS[call.function]
    distinct, places = in_order(values, call.argument_type)
    results = [
        function(present(counts, distinct, places)) for counts, _ in counted(ranks, weight, begin, end)
    ]
    return column_of(results, call.type).alias(call.name)


def in_order(values: pl.Series, type_: Type) -> tuple[list[Any], list[int]]:
    """The distinct values by rank, and the place of each rank in their order."""
    distinct = values_of(values, type_)
    places = [0] * len(distinct)
    for place, at in enumerate(sorted(range(len(distinct)), key=lambda at: _key(distinct[at]))):
        places[at] = place
    return distinct, places


def present(counts: Counter[int], distinct: list[Any], places: list[int]) -> Counts:
    """The values that there are, in order."""
    ranks = sorted((rank for rank, copies in counts.items() if copies > 0), key=places.__getitem__)
    return [(distinct[rank], counts[rank]) for rank in ranks]


def counted(
    ranks: Ints, weight: Ints, begin: Ints, end: Ints
) -> Iterator[tuple[Counter[int], set[int] | None]]:
    """The copies of each rank in each range, and the ranks whose copies have changed since the range before.

    Ranges mostly grow from one to the next; None stands for the ranks of one that does not.
    """
    counts: Counter[int] = Counter()
    first, last = -1, 0
    for start, stop in zip(begin.tolist(), end.tolist(), strict=True):
        is_new = start != first or stop < last
        if is_new:
            counts, first, last = Counter(), start, start
        added = ranks[last:stop].tolist()
        for rank, copies in zip(added, weight[last:stop].tolist(), strict=True):
            counts[rank] += copies
        last = stop
        yield counts, None if is_new else set(added)


def _compared(one: Any, other: Any) -> int:
    """NULL is below everything, NaN above every number; structs are compared field by field."""
    if isinstance(one, tuple) and isinstance(other, tuple):
        decided = (sign for a, b in zip(one, other, strict=False) if (sign := _compared(a, b)))
        return next(decided, len(one) - len(other))
    if one is None or other is None:
        return (one is not None) - (other is not None)
    if one != one or other != other:
        return int(one != one) - int(other != other)
    return int(one > other) - int(one < other)


_key = cmp_to_key(_compared)


def spread(counts: Counts) -> list[Any]:
    """Each value as often as it occurs."""
    return [value for value, copies in counts for _ in range(copies)]


def _by(sign: int) -> Callable[[Counts], Any]:
    def best(counts: Counts) -> Any:
        winner: Any = None
        for pair, _ in counts:
            order = 1 if winner is None else sign * _compared(pair[0], winner[0])
            if order > 0 or (order == 0 and _compared(pair[1], winner[1]) < 0):
                winner = pair
        return None if winner is None else winner[1]

    return best


def _mode(counts: Counts) -> Any:
    most = max((copies for _, copies in counts), default=0)
    return next((value for value, copies in counts if copies == most), None)


def _ordered(counts: Counts, directions: int) -> list[Any]:
    """The entries by their keys, each up or down, then by their first value."""

    def compared(one: Any, other: Any) -> int:
        for place in range(len(one) - directions - 1):
            way = one[directions][place]
            sign = _compared(one[directions + 1 + place], other[directions + 1 + place])
            if sign:
                return -sign if way == "d" else sign
        return _compared(one[0], other[0])

    return sorted(spread(counts), key=cmp_to_key(compared))


def _joined(counts: Counts) -> str | None:
    entries = _ordered(counts, 2)
    return str(entries[0][1]).join(entry[0] for entry in entries) if entries else None


def _at(counts: Counts, place: int) -> Any:
    for value, copies in counts:
        place -= copies
        if place < 0:
            return value
    return counts[-1][0]


def _size(counts: Counts) -> int:
    return sum(copies for _, copies in counts)


def _percentile(counts: Counts) -> float | None:
    if not counts:
        return None
    numerator, denominator = Decimal(repr(counts[0][0][1])).as_integer_ratio()
    whole, rest = divmod(numerator * (_size(counts) - 1), denominator)
    low, high = _at(counts, whole)[0], _at(counts, whole + 1)[0]
    if not rest or low == high:
        return float(low)
    if not (math.isfinite(low) and math.isfinite(high)):
        return float(canonical(float(low) + float(high)))
    part = Fraction(rest, denominator)
    return float(Fraction(low) * (1 - part) + Fraction(high) * part) + 0.0


def _percentile_disc(counts: Counts) -> Any:
    if not counts:
        return None
    numerator, denominator = Decimal(repr(counts[0][0][1])).as_integer_ratio()
    needed = -(-numerator * _size(counts) // denominator)
    return _at(counts, max(needed, 1) - 1)[0]


def _bits(function: Callable[[int, int], int], is_odd_only: bool = False) -> Callable[[Counts], int | None]:
    def combined(counts: Counts) -> int | None:
        result: int | None = None
        for value, copies in counts:
            if is_odd_only and copies % 2 == 0:
                result = result or 0
                continue
            result = value if result is None else function(result, value)
        return result

    return combined


def _real(value: Fraction) -> float:
    try:
        return value.numerator / value.denominator + 0.0
    except OverflowError:
        return math.copysign(math.inf, value.numerator)


def _powers(counts: Counts, most: int) -> list[Fraction]:
    """Sums of powers, from the zeroth on."""
    exact = [(Fraction(value), copies) for value, copies in counts]
    return [sum((copies * value**power for value, copies in exact), Fraction(0)) for power in range(most + 1)]


def _skewness(counts: Counts) -> float | None:
    if not counts or not all(math.isfinite(value) for value, _ in counts):
        return None if not counts else math.nan
    n, s1, s2, s3 = _powers(counts, 3)
    second, third = s2 - s1 * s1 / n, s3 - 3 * s1 * s2 / n + 2 * s1**3 / n**2
    return math.sqrt(n) * _real(third) / math.sqrt(_real(second**3)) if second else None


def _kurtosis(counts: Counts) -> float | None:
    if not counts or not all(math.isfinite(value) for value, _ in counts):
        return None if not counts else math.nan
    n, s1, s2, s3, s4 = _powers(counts, 4)
    mean = s1 / n
    second = s2 - n * mean**2
    fourth = s4 - 4 * mean * s3 + 6 * mean**2 * s2 - 3 * n * mean**4
    return _real(n * fourth / second**2 - 3) if second else None


def _of_pairs(compute: Callable[..., float | None]) -> Callable[[Counts], float | None]:
    """A function of the number of pairs (y, x) and of the sums of y, x, y², x² and xy."""

    def value(counts: Counts) -> float | None:
        if not counts:
            return None
        if not all(math.isfinite(y) and math.isfinite(x) for (y, x), _ in counts):
            return math.nan
        n, sy, sx, yy, xx, xy = 0, *[Fraction(0)] * 5
        for (y, x), copies in counts:
            a, b = Fraction(y), Fraction(x)
            n, sy, sx = n + copies, sy + copies * a, sx + copies * b
            yy, xx, xy = yy + copies * a * a, xx + copies * b * b, xy + copies * a * b
        return compute(n, sy / n, sx / n, yy - sy * sy / n, xx - sx * sx / n, xy - sx * sy / n)

    return value


def _corr(n: int, y: Fraction, x: Fraction, yy: Fraction, xx: Fraction, xy: Fraction) -> float | None:
    if yy == 0 or xx == 0:
        return None
    size = math.sqrt(_real(xy**2 / (yy * xx)))
    return size if xy > 0 else 0.0 - size if size else 0.0


def _r2(n: int, y: Fraction, x: Fraction, yy: Fraction, xx: Fraction, xy: Fraction) -> float | None:
    return None if xx == 0 else 1.0 if yy == 0 else _real(xy**2 / (xx * yy))


_PAIRS: dict[str, Callable[..., float | None]] = {
    "corr": _corr,
    "covar_pop": lambda n, y, x, yy, xx, xy: _real(xy / n),
    "covar_samp": lambda n, y, x, yy, xx, xy: None if n < 2 else _real(xy / (n - 1)),
    "regr_avgx": lambda n, y, x, yy, xx, xy: _real(x),
    "regr_avgy": lambda n, y, x, yy, xx, xy: _real(y),
    "regr_sxx": lambda n, y, x, yy, xx, xy: _real(xx),
    "regr_syy": lambda n, y, x, yy, xx, xy: _real(yy),
    "regr_sxy": lambda n, y, x, yy, xx, xy: _real(xy),
    "regr_slope": lambda n, y, x, yy, xx, xy: None if xx == 0 else _real(xy / xx),
    "regr_intercept": lambda n, y, x, yy, xx, xy: None if xx == 0 else _real(y - x * xy / xx),
    "regr_r2": _r2,
}
FUNCTIONS: dict[str, Callable[[Counts], Any]] = {
    "min_by": _by(-1),
    "max_by": _by(1),
    "mode": _mode,
    "string_agg": _joined,
    "array_agg": lambda counts: tuple(entry[0] for entry in _ordered(counts, 1)),
    "collect_set": lambda counts: tuple(value for value, _ in counts),
    "percentile": _percentile,
    "percentile_disc": _percentile_disc,
    "bit_and": _bits(lambda a, b: a & b),
    "bit_or": _bits(lambda a, b: a | b),
    "bit_xor": _bits(lambda a, b: a ^ b, is_odd_only=True),
    "skewness": _skewness,
    "kurtosis": _kurtosis,
    **bitmaps.FUNCTIONS,
    **{name: _of_pairs(compute) for name, compute in _PAIRS.items()},
}
