"""Aggregates of the bag of values of a group, in plain Python; of several arguments, of structs."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import reduce
from typing import Any

from slackwater.algebra.expressions.nodes import Aggregation
from slackwater.algebra.types import Type
from slackwater.algebra.values import NAN, canonical
from slackwater.reference import bitmaps
from slackwater.reference.values import sort_key

Bag = list[Any]
"""The values in order, each as often as it occurs."""


class Collected:
    """The values of a group, and a function of all of them."""

    def __init__(self, function: Callable[[Bag], Any]) -> None:
        self._copies: dict[Any, int] = {}
        self._function = function

    def add(self, value: Any, n: int) -> None:
        if value is not None:
            value = canonical(value)
            self._copies[value] = self._copies.get(value, 0) + n

    def value(self) -> Any:
        bag = sorted(
            (value for value, copies in self._copies.items() for _ in range(max(copies, 0))), key=sort_key
        )
        return self._function(bag)


def _best(bag: Bag, is_greatest: bool) -> Any:
    """Of pairs (by, value) the value at the least or greatest `by`; of several values the least."""
    if not bag:
        return None
    ends = [pair[0] for pair in bag]
    by = max(ends, key=sort_key) if is_greatest else min(ends, key=sort_key)
    known = [pair[1] for pair in bag if sort_key(pair[0]) == sort_key(by)]
    return min(known, key=sort_key)


def _mode(bag: Bag) -> Any:
    """The most frequent; of several the least."""
    return max(bag, key=lambda value: (bag.count(value), -bag.index(value)), default=None)


def _joined(bag: Bag) -> str | None:
    """Of (text, delimiter, directions, keys…) the texts, ordered by the keys, then by themselves."""
    ordered = sorted(bag, key=lambda entry: sort_key(entry[0]))
    for place in reversed(range(len(bag[0]) - 3 if bag else 0)):
        is_down = bag[0][2][place] == "d"
        ordered.sort(key=lambda entry, at=place: sort_key(entry[3 + at]), reverse=is_down)  # type: ignore[misc]
    return bag[0][1].join(entry[0] for entry in ordered) if bag else None


def _listed(bag: Bag) -> tuple[Any, ...]:
    """Of (value, directions, keys…) the values in that order."""
    ordered = sorted(bag, key=lambda entry: sort_key(entry[0]))
    for place in reversed(range(len(bag[0]) - 2 if bag else 0)):
        is_down = bag[0][1][place] == "d"
        ordered.sort(key=lambda entry, at=place: sort_key(entry[2 + at]), reverse=is_down)  # type: ignore[misc]
    return tuple(entry[0] for entry in ordered)


def _distinct(bag: Bag) -> tuple[Any, ...]:
    return tuple(
        value for place, value in enumerate(bag) if not place or sort_key(bag[place - 1]) != sort_key(value)
    )


def _percentile(bag: Bag) -> float | None:
    """Of (number, fraction) the number at that place, between two in proportion."""
    if not bag:
        return None
    place = Fraction(repr(bag[0][1])) * (len(bag) - 1)
    low = math.floor(place)
    below, above = bag[low][0], bag[min(low + 1, len(bag) - 1)][0]
    if place == low or below == above:
        return float(below)
    if not (math.isfinite(below) and math.isfinite(above)):
        return canonical(float(below) + float(above))  # type: ignore[no-any-return]
    exact = Fraction(below) + (Fraction(above) - Fraction(below)) * (place - low)
    return canonical(float(exact))  # type: ignore[no-any-return]


def _percentile_disc(bag: Bag) -> Any:
    """Of (number, fraction) the first number that so large a part of the bag does not exceed."""
    if not bag:
        return None
    return bag[max(math.ceil(Fraction(repr(bag[0][1])) * len(bag)), 1) - 1][0]


def _bits(combine: Callable[[int, int], int]) -> Callable[[Bag], int | None]:
    return lambda bag: reduce(combine, bag) if bag else None


def _real(value: Fraction) -> float:
    try:
        return canonical(float(value))  # type: ignore[no-any-return]
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _root(value: Fraction) -> float:
    return math.sqrt(_real(value))


def _moments(bag: Bag, most: int) -> list[Fraction]:
    """The sums of powers of the distances from the mean."""
    exact = [Fraction(value) for value in bag]
    mean = sum(exact, Fraction(0)) / len(exact)
    return [sum(((value - mean) ** power for value in exact), Fraction(0)) for power in range(most + 1)]


def _shape(power: int) -> Callable[[Bag], float | None]:
    def value(bag: Bag) -> float | None:
        if not bag:
            return None
        if not all(map(math.isfinite, bag)):
            return NAN
        n, _, second, *_, last = _moments(bag, power)
        if not second:
            return None
        if power == 4:
            return _real(n * last / second**2 - 3)
        return _root(n) * _real(last) / math.sqrt(_real(second**3))

    return value


def _of_pairs(compute: Callable[..., float | None]) -> Callable[[Bag], float | None]:
    """Of (y, x): the number of pairs, the means, and the sums of products of distances from them."""

    def value(bag: Bag) -> float | None:
        if not bag:
            return None
        if not all(math.isfinite(y) and math.isfinite(x) for y, x in bag):
            return NAN
        ys, xs = ([Fraction(pair[side]) for pair in bag] for side in (0, 1))
        n = len(bag)
        my, mx = sum(ys) / n, sum(xs) / n
        sxx = sum(((x - mx) ** 2 for x in xs), Fraction(0))
        syy = sum(((y - my) ** 2 for y in ys), Fraction(0))
        sxy = sum(((x - mx) * (y - my) for x, y in zip(xs, ys, strict=True)), Fraction(0))
        return compute(n, my, mx, syy, sxx, sxy)

    return value


def _corr(n: int, my: Fraction, mx: Fraction, syy: Fraction, sxx: Fraction, sxy: Fraction) -> float | None:
    if not syy or not sxx:
        return None
    return _signed_root(sxy, sxy * sxy / (syy * sxx))


def _signed_root(sign: Fraction, square: Fraction) -> float:
    return math.copysign(_root(square), sign) if square else 0.0


def _r2(n: int, my: Fraction, mx: Fraction, syy: Fraction, sxx: Fraction, sxy: Fraction) -> float | None:
    if not sxx:
        return None
    return 1.0 if not syy else _real(sxy * sxy / (syy * sxx))


PAIRS: dict[str, Callable[..., float | None]] = {
    "corr": _corr,
    "covar_pop": lambda n, my, mx, syy, sxx, sxy: _real(sxy / n),
    "covar_samp": lambda n, my, mx, syy, sxx, sxy: _real(sxy / (n - 1)) if n > 1 else None,
    "regr_avgx": lambda n, my, mx, syy, sxx, sxy: _real(mx),
    "regr_avgy": lambda n, my, mx, syy, sxx, sxy: _real(my),
    "regr_sxx": lambda n, my, mx, syy, sxx, sxy: _real(sxx),
    "regr_syy": lambda n, my, mx, syy, sxx, sxy: _real(syy),
    "regr_sxy": lambda n, my, mx, syy, sxx, sxy: _real(sxy),
    "regr_slope": lambda n, my, mx, syy, sxx, sxy: _real(sxy / sxx) if sxx else None,
    "regr_intercept": lambda n, my, mx, syy, sxx, sxy: _real(my - sxy / sxx * mx) if sxx else None,
    "regr_r2": _r2,
}
FUNCTIONS: dict[str, Callable[[Bag], Any]] = {
    "min_by": lambda bag: _best(bag, is_greatest=False),
    "max_by": lambda bag: _best(bag, is_greatest=True),
    "mode": _mode,
    "string_agg": _joined,
    "array_agg": _listed,
    "collect_set": _distinct,
    "percentile": _percentile,
    "percentile_disc": _percentile_disc,
    "bit_and": _bits(lambda a, b: a & b),
    "bit_or": _bits(lambda a, b: a | b),
    "bit_xor": _bits(lambda a, b: a ^ b),
    "skewness": _shape(3),
    "kurtosis": _shape(4),
    **bitmaps.FUNCTIONS,
    **{name: _of_pairs(compute) for name, compute in PAIRS.items()},
}


def maker(name: str) -> Callable[[Aggregation, Type], Collected]:
    return lambda aggregation, argument: Collected(FUNCTIONS[name])


MAKERS: dict[str, Callable[[Aggregation, Type], Collected]] = {name: maker(name) for name in FUNCTIONS}
