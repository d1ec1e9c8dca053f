"""Skylines over time, against their definition at every instant."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.kernels.bestmatch import lifetimes
from slackwater.kernels.bestmatch.lifetimes import Members, best_times

Row = tuple[int, tuple[int, ...], int, int]


@st.composite
def rows(draw: st.DrawFn) -> list[Row]:
    dimensions = draw(st.integers(1, 3))
    row = st.tuples(
        st.integers(0, 2), st.tuples(*[st.integers(0, 3)] * dimensions), st.integers(0, 6), st.integers(0, 8)
    )
    return sorted(draw(st.lists(row, min_size=1, max_size=14)), key=lambda member: member[0])


def dominates(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    return one != other and all(a <= b for a, b in zip(one, other, strict=True))


def instants(members: list[Row]) -> set[tuple[int, int]]:
    """The places of members and the instants at which they are best."""
    return {
        (place, t)
        for place, (group, values, begin, end) in enumerate(members)
        for t in range(begin, end)
        if not any(
            other == group and since <= t < until and dominates(better, values)
            for other, better, since, until in members
        )
    }


@pytest.mark.parametrize("rounds", [0, 1, 16])
@given(members=rows())
def test_a_member_is_best_exactly_while_none_that_is_alive_dominates_it(
    rounds: int, members: list[Row]
) -> None:
    groups, values, begin, end = zip(*members, strict=True)
    columns = tuple(np.array(column) for column in zip(*values, strict=True))
    with patch.object(lifetimes, "_ROUNDS", rounds), patch.object(lifetimes, "_MOST_PAIRS", 8):
        places, since, until = best_times(Members(np.array(groups), columns, np.array(begin), np.array(end)))
    pieces = list(zip(places.tolist(), since.tolist(), until.tolist(), strict=True))
    best_instants = [(place, t) for place, a, b in pieces for t in range(a, b)]
    assert len(best_instants) == len(set(best_instants))
    assert set(best_instants) == instants(members)
    starts_of = {(place, a) for place, a, _ in pieces}
    assert not any((place, b) in starts_of for place, _, b in pieces), "adjacent pieces are one"
