"""Best matches by distances, which have kernels of their own: they are the reference, and joins of pairs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laws.effort import trying
from laws.large_states import always_in_runs
from laws.relational import catalog, inputs
from laws.test_kernels_are_the_reference import cuts, ran
from laws.test_workers_are_the_driver import outcome, partitions
from slackwater.algebra import BestMatch, Kind, Operator
from slackwater.base.span import Text
from slackwater.base.tree import rebuild
from slackwater.bind.program import bind_query
from slackwater.kernels import machine
from slackwater.kernels.bestmatch import dense, leaves, match, pairs, skyline, strips, tree
from slackwater.optimize import optimized
from slackwater.optimize.bestmatch import as_joins
from slackwater.reference.bags import Changes
from slackwater.reference.history import Histories

SOURCES = (
    "S [RANGE 3]",
    "S [RANGE 0]",
    "S [RANGE UNBOUNDED]",
    "S [ROWS 2]",
    "S [SLIDING 2]",
    "R",
    "(SELECT DISTINCT a, b, c FROM S [RANGE 4])",
    "(SELECT a, b, c FROM R WHERE b NOT IN (SELECT a FROM T [RANGE 3] WHERE a IS NOT NULL))",
)
DIMENSIONS = (
    "ABS(x.a - y.a)",
    "ABS(y.b - x.b)",
    "ABS(x.a + 1 - y.b)",
    "ABS(x.b * 0.5e0 - y.a)",
    "ABS(x.b - 2 * y.a)",
)


FURTHER = ("ABS(x.a - 2 * y.b)", "ABS(x.b + y.b)")


@st.composite
def matches(draw: st.DrawFn) -> str:
    """A best match whose dimensions are distances."""
    dimensions = draw(st.lists(st.sampled_from(DIMENSIONS), min_size=1, max_size=4))
    return _match(draw, [f"({one}) MIN{draw(st.sampled_from(('', ' 1', ' 2', ' 3')))}" for one in dimensions])


@st.composite
def matches_in_many_dimensions(draw: st.DrawFn) -> str:
    """A best match by three to five distances, with bounds of 0, or by other values, too."""
    dimensions = draw(st.lists(st.sampled_from((*DIMENSIONS, *FURTHER)), min_size=3, max_size=5))
    on = [f"({one}) MIN{draw(st.sampled_from(('', ' 0', ' 2', ' 3')))}" for one in dimensions]
    if not draw(st.integers(0, 3)):
        on[0] = draw(st.sampled_from(("(x.a + y.b) MAX", "(y.b) MAX -1", "(x.a - y.a) MIN")))
    return _match(draw, on)


def _match(draw: st.DrawFn, dimensions: list[str]) -> str:
    left, right = draw(st.sampled_from(SOURCES)), draw(st.sampled_from(SOURCES))
    side = draw(st.sampled_from(("", "LEFT OUTER", "RIGHT OUTER", "FULL OUTER")))
    on = ", ".join(dimensions)
    keys = draw(st.sampled_from(("", "", " AND x.c = y.c")))
    return f"SELECT x.a, x.b, y.a AS aa, y.c FROM {left} x {side} BESTMATCH JOIN {right} y ON {on}{keys}"


def plan_of(text: str) -> Operator:
    return optimized(bind_query(Text("<query>", text), catalog(), Kind.RELATION).plan)


def by_joins(plan: Operator) -> Operator:
    """The plan with joins of all pairs in place of best matches."""
    inner = rebuild(plan, Operator, by_joins)
    return as_joins(inner) if isinstance(inner, BestMatch) else inner


@trying(150)
@given(matches(), inputs, cuts)
def test_the_kernels_are_the_reference_and_joins_of_all_pairs(
    text: str, data: dict[str, Changes], at: list[int]
) -> None:
    plan = plan_of(text)
    answer = ran(plan, data, at)
    assert answer == Histories(data).changes(plan)
    assert answer == ran(by_joins(plan), data, at)


@trying(100)
@given(matches_in_many_dimensions(), inputs, cuts)
def test_leaves_and_small_integers_do_not_change_them(
    text: str, data: dict[str, Changes], at: list[int]
) -> None:
    plan = plan_of(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pairs, "_PER_POINT", -1e9)
        patch.setattr(tree, "_PER_LEAF", 0.0)
        patch.setattr(leaves, "_ROUNDS", ())
        patch.setattr(skyline, "_MANY", 0)
        patch.setattr(dense, "_SMALL", 1)
        assert ran(plan, data, at) == Histories(data).changes(plan)


@trying(80)
@given(matches(), inputs, cuts)
def test_large_states_and_epochs_in_parts_do_not_change_them(
    text: str, data: dict[str, Changes], at: list[int]
) -> None:
    plan = plan_of(text)
    with pytest.MonkeyPatch.context() as patch, always_in_runs():
        patch.setattr(match, "_AT_A_TIME", 1)
        patch.setattr(match, "_ROWS", 2)
        patch.setattr(strips, "_MOST_PAIRS", 3)
        assert ran(plan, data, at) == Histories(data).changes(plan)


allowances = st.sampled_from([1, 200, 2_000])
"""Bytes: everything is on disk, or what does not fit."""


@trying(60)
@given(matches(), inputs, cuts, allowances, st.booleans())
def test_windows_on_disk_do_not_change_them(
    text: str, data: dict[str, Changes], at: list[int], allowed: int, collide: bool
) -> None:
    plan = plan_of(text)
    with pytest.MonkeyPatch.context() as patch, always_in_runs(collide):
        patch.setattr(machine, "MATCH_MEMORY", allowed)
        patch.setattr(match, "_AT_A_TIME", 2)
        assert ran(plan, data, at) == Histories(data).changes(plan)


@trying(20)
@given(matches(), inputs, cuts, partitions, st.booleans(), allowances)
def test_windows_on_disk_do_not_change_them_in_partitions(
    text: str, data: dict[str, Changes], at: list[int], count: int, forget: bool, allowed: int
) -> None:
    plan = plan_of(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(machine, "MATCH_MEMORY", allowed)
        assert outcome(plan, data, at, [count, 0] * 4, forget) == Histories(data).changes(plan)


@trying(30)
@given(matches(), inputs, cuts, partitions, st.booleans())
def test_partitions_do_not_change_them(
    text: str, data: dict[str, Changes], at: list[int], count: int, forget: bool
) -> None:
    plan = plan_of(text)
    assert outcome(plan, data, at, [count] * 8, forget) == Histories(data).changes(plan)
