"""The skyline of groups, against its definition."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.kernels.bestmatch import dense
from slackwater.kernels.bestmatch import skyline as module
from slackwater.kernels.bestmatch.skyline import Dimension, skyline

Member = tuple[int, ...]


def dominates(one: Member, other: Member) -> bool:
    return all(a <= b for a, b in zip(one, other, strict=True)) and one != other


@st.composite
def grouped_members(draw: st.DrawFn) -> list[tuple[int, Member]]:
    dimensions = draw(st.integers(1, 5))
    member = st.tuples(st.integers(0, 3), st.tuples(*[st.integers(-2, 3)] * dimensions))
    return sorted(draw(st.lists(member, max_size=25)), key=lambda pair: pair[0])


@given(grouped_members(), st.sampled_from([np.int64, np.float64]), st.sampled_from([0, 8]))
def test_exactly_the_members_that_no_member_of_the_group_dominates(
    members: list[tuple[int, Member]], dtype: type, many: int
) -> None:
    groups = np.array([group for group, _ in members], np.int64)
    width = len(members[0][1]) if members else 1
    dimensions: list[Dimension] = [
        np.array([values[at] for _, values in members], dtype) for at in range(width)
    ]
    expected = [
        place
        for place, (group, values) in enumerate(members)
        if not any(other == group and dominates(better, values) for other, better in members)
    ]
    with patch.object(module, "_MANY", many), patch.object(dense, "_SMALL", 2):
        assert sorted(skyline(groups, dimensions).tolist()) == expected


@pytest.mark.parametrize("spread", [0.0, 1e-310, 1e-12, 1.0, 1e300])
def test_values_that_16_bits_do_not_separate_are_compared_exactly(spread: float) -> None:
    """One value far off makes all others equal in 16 bits."""
    rng = np.random.default_rng(3)
    groups = np.repeat(np.arange(4), 150)
    dimensions = [rng.random(600) * spread for _ in range(3)]
    for dimension in dimensions:
        dimension[7] = -1e305
    expected = module._in_rounds(groups, dimensions)
    assert sorted(skyline(groups, dimensions).tolist()) == sorted(expected.tolist())


def test_sums_that_are_rounded_to_equal_numbers_do_not_hide_a_dominated_member() -> None:
    large = np.array([1e16, 1e16, 1e16])
    small = np.array([1.0, 0.0, 0.5])
    assert skyline(np.zeros(3, np.int64), [large, small]).tolist() == [1]


def test_infinite_values_are_the_worst() -> None:
    first = np.array([np.inf, np.inf, 1.0])
    second = np.array([1.0, 2.0, np.inf])
    assert sorted(skyline(np.zeros(3, np.int64), [first, second]).tolist()) == [0, 2]
