"""Overlaps are the pairs with equal keys that share an instant, each once."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.base.time import INFINITY
from slackwater.kernels import joins
from slackwater.kernels.joins import On, join
from slackwater.kernels.overlaps import Side, overlapping
from slackwater.kernels.state import State

_LARGE = 2**61
_KEYS = st.sampled_from([0, 1, 2, _LARGE])
_STARTS = st.integers(-4, 8) | st.sampled_from([-_LARGE, _LARGE])
_LENGTHS = st.integers(1, 6) | st.just(None)


@st.composite
def _elements(draw: st.DrawFn) -> list[tuple[int, int, int]]:
    drawn = draw(st.lists(st.tuples(_KEYS, _STARTS, _LENGTHS), max_size=8))
    return [(key, start, INFINITY if length is None else start + length) for key, start, length in drawn]


def _side(elements: list[tuple[int, int, int]]) -> Side:
    columns = np.array(elements, np.int64).reshape(-1, 3).T
    return Side(*columns)


@given(_elements(), _elements())
def test_overlaps_are_all_pairs_that_share_a_key_and_an_instant(
    left: list[tuple[int, int, int]], right: list[tuple[int, int, int]]
) -> None:
    expected = [
        (i, j)
        for i, (key, start, end) in enumerate(left)
        for j, (other, other_start, other_end) in enumerate(right)
        if key == other and max(start, other_start) < min(end, other_end)
    ]
    lefts, rights = overlapping(_side(left), _side(right))
    assert sorted(zip(lefts.tolist(), rights.tolist(), strict=True)) == expected


@pytest.mark.parametrize("null_safe", [False, True])
@pytest.mark.parametrize("keys", [((), ()), (("a", "x"), ("b", "y")), (("a", "a"), ("b", "d"))])
def test_a_join_finds_the_same_pairs_by_key_and_by_time(
    monkeypatch: pytest.MonkeyPatch, keys: tuple[tuple[str, ...], ...], null_safe: bool
) -> None:
    on = On(*keys, null_safe)
    answers = []
    for crowded in (0, 1 << 40):
        monkeypatch.setattr(joins, "_CROWDED", crowded)
        random = np.random.default_rng(7)
        state = State(joins.state_layout(*keys))
        parts = [
            join(state, _frame(random, "axc", lo), _frame(random, "byd", lo), on, lo, lo + 50)
            for lo in (0, 50, 100)
        ]
        answers.append(pl.concat(parts).sort(pl.all()))
    assert answers[0].height > 100
    assert answers[0].equals(answers[1])


def _frame(random: np.random.Generator, names: str, lo: int) -> pl.DataFrame:
    """Elements of an epoch with few keys: numbers, and doubles with NULL and NaN among them."""
    count = 60
    start = random.integers(lo, lo + 50, count)
    values = random.choice([0.0, -0.0, 1.5, float("nan"), -1.0], count)
    end = np.where(random.random(count) < 0.2, INFINITY, start + random.integers(1, 40, count))
    first, second, third = names
    numbers = random.integers(0, 3, (2, count))
    frame = pl.DataFrame({first: numbers[0], second: values, third: numbers[1]})
    frame = frame.with_columns(pl.when(pl.col(second) != -1.0).then(pl.col(second)))
    return frame.with_columns(
        pl.Series("@from", start), pl.Series("@to", end), pl.Series("@n", np.ones(count, np.int64))
    )
