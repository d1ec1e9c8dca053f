"""Sums of limbs are exact: the same, in any order, as the sum of rationals rounded once."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from laws.effort import trying
from slackwater.kernels import exact

doubles = st.floats(allow_nan=False, allow_infinity=False)


def summed(limbs: exact.Limbs, signs: list[int]) -> dict[str, pl.Series]:
    return {
        name: pl.Series([int((column * np.array(signs, np.int64)).sum())]) for name, column in limbs.items()
    }


def rounded_once(total: Fraction) -> float:
    try:
        return total.numerator / total.denominator
    except OverflowError:
        return math.inf if total > 0 else -math.inf


@trying(200)
@given(st.lists(st.tuples(doubles, st.integers(-3, 3)), max_size=8))
def test_a_sum_of_doubles_is_rounded_once(weighted: list[tuple[float, int]]) -> None:
    values, signs = [v for v, _ in weighted], [n for _, n in weighted]
    total = exact.doubles(summed(exact.limbs(np.array(values, float)), signs), 1)[0]
    assert total == rounded_once(sum((Fraction(v) * n for v, n in weighted), Fraction(0)))


@trying(200)
@given(st.lists(doubles, max_size=6))
def test_a_sum_of_squares_is_exact(values: list[float]) -> None:
    whole, exponent = exact.totals(summed(exact.squared(np.array(values, float)), [1] * len(values)))
    total = Fraction(next(iter(whole)) if len(whole) else 0) * Fraction(2) ** exponent
    assert total == sum((Fraction(v) ** 2 for v in values), Fraction(0))


@trying(100)
@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=6))
def test_integers_of_64_bits_add_up(values: list[int]) -> None:
    limbs = exact.whole_limbs(pl.Series(values, dtype=pl.Int64))
    whole, exponent = exact.totals(summed(limbs, [1] * len(values)))
    assert (next(iter(whole)) if len(whole) else 0) << exponent == sum(values)


def test_nan_and_infinities_are_counted_apart() -> None:
    def of(*values: float) -> float:
        return exact.doubles(summed(exact.limbs(np.array(values)), [1] * len(values)), 1)[0]

    assert of(1.0, math.inf) == math.inf
    assert of(1.0, -math.inf) == -math.inf
    assert math.isnan(of(math.inf, -math.inf))
    assert math.isnan(of(1.0, math.nan))
