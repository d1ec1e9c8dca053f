"""Candidates and best partners, against their definitions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from slackwater.kernels.bestmatch import bands, dense, leaves, pairs, skyline, strips, tree
from slackwater.kernels.bestmatch.bands import Bands
from slackwater.kernels.bestmatch.pairs import Pairs, best_in_leaves, best_partners, candidates
from slackwater.kernels.bestmatch.strips import Points


@dataclass(frozen=True)
class Case:
    left: Points
    right: Points
    bounds: tuple[float, ...]

    def candidates(self) -> dict[tuple[int, int], tuple[float, ...]]:
        pairs_within = {}
        for i in range(len(self.left)):
            for j in range(len(self.right)):
                distances = tuple(
                    abs(a[i] - b[j]) for a, b in zip(self.left.values, self.right.values, strict=True)
                )
                near = all(one <= bound for one, bound in zip(distances, self.bounds, strict=True))
                if near and self.left.keys[i] == self.right.keys[j]:
                    pairs_within[i, j] = distances
        return pairs_within

    def best(self) -> list[tuple[int, int]]:
        every = self.candidates()
        return sorted(
            pair
            for pair, mine in every.items()
            if not any(
                other[0] == pair[0]
                and their != mine
                and all(a <= b for a, b in zip(their, mine, strict=True))
                for other, their in every.items()
            )
        )


def cases(dimensions: int, numbers: st.SearchStrategy[float], dtype: type) -> st.SearchStrategy[Case]:
    row = st.tuples(st.integers(0, 1), st.tuples(*[numbers] * dimensions))

    def points(rows: list[tuple[int, tuple[float, ...]]]) -> Points:
        keys = np.array([key for key, _ in rows], np.int64)
        return Points(keys, tuple(np.array([v[at] for _, v in rows], dtype) for at in range(dimensions)))

    side = st.lists(row, max_size=12).map(points)
    bounds = st.tuples(*[st.sampled_from([0.0, 1.0, 2.5, np.inf])] * dimensions)
    return st.builds(Case, side, side, bounds)


WHOLE = st.integers(-4, 4)
ANY = st.one_of(WHOLE.map(float), st.floats(-3, 3), st.floats(-1e16, 1e16))
CASES = st.integers(1, 4).flatmap(
    lambda dimensions: st.one_of(cases(dimensions, WHOLE, np.int64), cases(dimensions, ANY, np.float64))
)


ROUNDED = Case(
    Points(np.zeros(1, np.int64), (np.array([1e16]),)),
    Points(np.zeros(3, np.int64), (np.array([0.0, 0.25, 0.5]),)),
    (np.inf,),
)
"""All three are as near, since the differences are rounded."""


def places_of(shares: Iterable[Pairs]) -> list[tuple[int, int]]:
    return sorted(
        pair for share in shares for pair in zip(share.lefts.tolist(), share.rights.tolist(), strict=True)
    )


@given(CASES)
def test_candidates_are_all_pairs_within_the_bounds(case: Case) -> None:
    assert places_of(candidates(case.left, case.right, case.bounds)) == sorted(case.candidates())


@given(CASES)
@example(ROUNDED)
def test_best_partners_are_the_candidates_that_none_dominates(case: Case) -> None:
    assert places_of(best_partners(case.left, case.right, case.bounds)) == case.best()


@given(CASES.filter(lambda case: len(case.bounds) > 1 and len(case.left) > 0 and len(case.right) > 0))
def test_bands_give_the_best_partners_however_many_there_are(case: Case) -> None:
    for many in (1, 10, 100):
        shares = (Pairs(*share) for share in Bands(case.left, case.right, case.bounds, many).pairs())
        assert places_of(shares) == case.best()


DEEP = st.integers(2, 5).flatmap(
    lambda dimensions: st.one_of(cases(dimensions, WHOLE, np.int64), cases(dimensions, ANY, np.float64))
)


@given(DEEP.filter(lambda case: len(case.left) > 0 and len(case.right) > 0), st.sampled_from([0.0, 1e9]))
def test_leaves_give_the_best_partners_however_they_are_cut(case: Case, per_leaf: float) -> None:
    """Ties, copies, bounds of 0 and none, several keys; with rounds and small integers for every group."""
    with ExitStack() as forced:
        forced.enter_context(patch.object(tree, "_PER_LEAF", per_leaf))
        forced.enter_context(patch.object(tree, "_PER_POINT", per_leaf))
        forced.enter_context(patch.object(leaves, "_ROUNDS", ()))
        forced.enter_context(patch.object(leaves, "_PAIRS", 5))
        forced.enter_context(patch.object(skyline, "_MANY", 0))
        forced.enter_context(patch.object(dense, "_SMALL", 1))
        forced.enter_context(patch.object(pairs, "_AT_A_TIME", 3))
        assert places_of(best_in_leaves(case.left, case.right, case.bounds)) == case.best()


@pytest.mark.parametrize("dimensions", [3, 4, 5])
@pytest.mark.parametrize("digits", [1, 2, 16])
def test_leaves_of_many_points_are_all_candidates_and_their_skyline(dimensions: int, digits: int) -> None:
    """Leaves are cut, rounds drop most pairs, groups differ in size; with few digits there are ties."""
    rng = np.random.default_rng(dimensions)
    left, right = (
        Points(rng.integers(0, 2, 400), tuple(rng.beta(2, 2, (dimensions, 400)).round(digits)))
        for _ in range(2)
    )
    bounds = (0.2, 0.0 if digits == 1 else 0.3, *[np.inf] * (dimensions - 2))
    expected = []
    for share in candidates(left, right, bounds):
        best = skyline._in_rounds(share.lefts, share.distances)
        expected += places_of([share[best]])
    with patch.object(tree, "_PER_LEAF", 1_000.0), patch.object(dense, "_COMPARISONS", 4_096):
        assert places_of(best_in_leaves(left, right, bounds)) == sorted(expected)


def test_whole_numbers_that_doubles_round_are_not_cut() -> None:
    near, far = (Points(np.zeros(2, np.int64), (np.array([0, one]),)) for one in (5, 1 << 60))
    assert tree.can_be_cut(near, near)
    assert not tree.can_be_cut(near, far)


@pytest.mark.parametrize("function", [candidates, best_partners])
def test_shares_of_pairs_are_all_pairs(function: Callable[..., Iterable[Pairs]]) -> None:
    rng = np.random.default_rng(2)
    left, right = (Points(np.zeros(300, np.int64), tuple(rng.random((2, 300)))) for _ in range(2))
    bounds = (0.3, 0.3)
    whole = places_of(function(left, right, bounds))
    with patch.object(strips, "_MOST_PAIRS", 100), patch.object(bands, "_CELLS", 64):
        assert places_of(function(left, right, bounds)) == whole
        for share in candidates(left, right, bounds):
            assert len(share.lefts) < 100 + 300


def test_distances_come_with_the_pairs() -> None:
    points = Points(np.zeros(2, np.int64), (np.array([0, 10]), np.array([0.0, 5.0])))
    other = Points(np.zeros(1, np.int64), (np.array([3]), np.array([4.5])))
    [share] = best_partners(points, other, (5, 5.0))
    assert [distance.tolist() for distance in share.distances] == [[3], [4.5]]
    assert isinstance(share, pairs.Pairs)
