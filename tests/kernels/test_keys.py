"""Keys as numbers: equal where the keys are, and walked in order."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from laws.effort import trying
from slackwater.kernels import keys
from slackwater.kernels.keys import member, number_keys, walk

values = st.one_of(st.none(), st.integers(-(2**40), 2**40), st.integers(0, 3))


@trying(100)
@given(st.lists(values, max_size=8), st.lists(values, max_size=8))
def test_two_rows_have_one_number_exactly_if_they_have_one_key(left: list, right: list) -> None:
    frames = [pl.DataFrame({"k": pl.Series(side, dtype=pl.Int64)}) for side in (left, right)]
    numbers = np.concatenate(number_keys(frames, ["k"]))
    rows = [*left, *right]
    assert all((numbers[i] == numbers[j]) == (rows[i] == rows[j]) for i in range(len(rows)) for j in range(i))


bounds = st.lists(st.tuples(st.none() | st.integers(-5, 5), st.none() | st.integers(0, 2)), max_size=8)


@trying(50)
@given(bounds, st.sampled_from([1, 10_000_000, 10**15]))
def test_bounds_of_windows_have_one_number_exactly_if_they_are_equal(rows: list, step: int) -> None:
    rows = [(None if start is None else start * step + 7, key) for start, key in rows]
    frame = pl.DataFrame(rows, schema={"s": pl.Int64, "k": pl.Int64}, orient="row")
    frame = frame.with_columns((pl.col("s") + 3 * step).alias("e"))
    [numbers] = number_keys([frame], ["s", "e", "k"])
    assert all((numbers[i] == numbers[j]) == (rows[i] == rows[j]) for i in range(len(rows)) for j in range(i))


def test_rows_with_one_hash_may_be_different(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keys, "_FEW", 0)
    frame = pl.DataFrame({"k": ["a", "b", "a"]})
    expected = [True, False]
    for hashes in (frame.hash_rows(), pl.Series([1, 1, 1], dtype=pl.UInt64)):
        monkeypatch.setattr(pl.DataFrame, "hash_rows", lambda _, hashes=hashes: hashes)
        [numbers] = number_keys([frame], ["k"])
        assert [numbers[0] == numbers[2], numbers[0] == numbers[1]] == expected


texts = st.one_of(st.none(), st.text("ab", max_size=2))
pairs = st.lists(st.tuples(texts, st.one_of(st.none(), st.booleans(), st.booleans())), max_size=8)


@pytest.mark.parametrize("few", [0, keys._FEW])
@trying(50)
@given(pairs, pairs)
def test_keys_of_several_types_have_one_number_exactly_if_they_are_equal(
    few: int, left: list, right: list
) -> None:
    schema = {"k": pl.String, "l": pl.Boolean}
    frames = [pl.DataFrame(rows, schema=schema, orient="row") for rows in (left, right)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(keys, "_FEW", few)
        numbers = np.concatenate(number_keys(frames, ["k", "l"]))
    rows = [*left, *right]
    assert all((numbers[i] == numbers[j]) == (rows[i] == rows[j]) for i in range(len(rows)) for j in range(i))


@trying(100)
@given(
    st.lists(st.tuples(st.integers(0, 5), st.one_of(st.integers(0, 9), st.integers(0, 2**62))), max_size=12)
)
def test_a_walk_goes_key_by_key_in_order_of_time(rows: list[tuple[int, int]]) -> None:
    numbers, times = (np.array([row[i] for row in rows], np.int64) for i in (0, 1))
    order, walked, then = walk(numbers, times)
    assert list(zip(walked.tolist(), then.tolist(), strict=True)) == sorted(rows)
    assert [rows[i] for i in order.tolist()] == sorted(rows)


def test_membership_is_of_numbers() -> None:
    is_member = member(np.array([0, 3, 5], np.int64), np.array([5, 9, 0], np.int64))
    assert is_member.tolist() == [True, False, True]
    assert member(np.array([1], np.int64), np.array([], np.int64)).tolist() == [False]
