"""Time points: kernels and workers against the reference, and the reference's two evaluators."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from laws.effort import trying
from laws.relational import inputs
from laws.synchronized import points, relations
from laws.test_kernels_are_the_reference import cuts, ran
from laws.test_workers_are_the_driver import answers
from laws.views import DENSE, KEYED
from slackwater import algebra
from slackwater.algebra import Operator
from slackwater.algebra.points import Points
from slackwater.algebra.types import BIGINT
from slackwater.optimize import optimized, steps
from slackwater.optimize.cost.statistics import NO_STATISTICS, Statistics
from slackwater.reference.bags import Changes
from slackwater.reference.history import Histories
from slackwater.reference.snapshot import Snapshots

UNTIL = 25


@trying(200)
@given(relations(), inputs)
def test_the_changes_are_those_between_one_snapshot_and_the_next(
    plan: Operator, data: dict[str, Changes]
) -> None:
    """At every instant, not only at those at which the evaluator expects a change."""
    changes = Histories(data).changes(plan)
    snapshots = Snapshots(data)
    now: dict[tuple, int] = {}
    for t in range(UNTIL):
        for row, copies in changes.get(t, {}).items():
            now[row] = now.get(row, 0) + copies
        now = {row: copies for row, copies in now.items() if copies}
        assert now == snapshots.relation(plan, t), t


@trying(150)
@given(relations(), inputs, cuts)
def test_relations_with_time_points_are_the_references(
    plan: Operator, data: dict[str, Changes], at: list[int]
) -> None:
    assert ran(optimized(plan), data, at) == Histories(data).changes(plan)


@trying(150)
@given(relations(), inputs, st.sampled_from([NO_STATISTICS, DENSE, KEYED]))
def test_every_single_step_of_the_optimizer_keeps_the_answer(
    plan: Operator, data: dict[str, Changes], statistics: Statistics
) -> None:
    answer = Histories(data).changes(plan)
    for step in steps(plan, statistics):
        assert Histories(data).changes(step.plan) == answer, step.rule


@trying(40)
@given(relations(), inputs, cuts, st.sampled_from([1, 2, 3]), st.booleans())
def test_partitions_do_not_change_relations_with_time_points(
    plan: Operator, data: dict[str, Changes], at: list[int], count: int, forget: bool
) -> None:
    assert answers(optimized(plan), data, at, [count] * 8, forget) == Histories(data).changes(plan)


@trying(50)
@given(points, cuts)
def test_the_clock_ticks_at_its_points(chosen: Points, at: list[int]) -> None:
    plan = algebra.Istream(algebra.Range(algebra.Ticks(chosen, BIGINT), 0))
    expected = {t: {(t,): 1} for t in range(UNTIL) if t in chosen}
    assert Histories({}, UNTIL - 1).changes(plan) == expected
