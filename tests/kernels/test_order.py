"""The q-th smallest of many stretches at once is the q-th of each, sorted."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from laws.effort import trying
from slackwater.kernels.order import smallest


@trying(200)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 3)), min_size=1, max_size=20), st.data())
def test_order_statistics_are_those_of_the_sorted_stretch(
    edges: list[tuple[int, int]], data: st.DataObject
) -> None:
    begin = data.draw(st.integers(0, len(edges) - 1))
    end = data.draw(st.integers(begin + 1, len(edges)))
    copies_in_order = sorted(rank for rank, copies in edges[begin:end] for _ in range(copies))
    place = data.draw(st.integers(0, len(copies_in_order) - 1))
    ranks, weights = (np.array(column, np.int64) for column in zip(*edges, strict=True))
    query = (np.array([bound], np.int64) for bound in (begin, end, place))
    assert smallest(ranks, weights, *query).tolist() == [copies_in_order[place]]


def test_a_deleted_value_does_not_count() -> None:
    ranks, weights = np.array([5, 2, 2, 7], np.int64), np.array([1, 1, -1, 1], np.int64)
    queries = (np.array([0, 0], np.int64), np.array([4, 4], np.int64), np.array([0, 1], np.int64))
    assert smallest(ranks, weights, *queries).tolist() == [5, 7]
