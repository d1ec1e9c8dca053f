"""The time points of synchronization streams, and those at which an answer is complete."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laws.effort import trying
from laws.relational import SCHEMAS, inputs
from laws.synchronized import R, S, events, points, relations
from slackwater import algebra
from slackwater.algebra import Operator
from slackwater.algebra.expressions import Call, Expression, Literal, column
from slackwater.algebra.points import ALL, NEVER, Points
from slackwater.algebra.types import BIGINT, BOOLEAN, INT
from slackwater.base.time import INFINITY
from slackwater.optimize.facts.clock_conditions import satisfying
from slackwater.optimize.facts.time_points import TimePoints, events_of, full_points, time_points
from slackwater.optimize.rebuild import with_inputs
from slackwater.optimize.sharing.events import come_with
from slackwater.reference.bags import Changes
from slackwater.reference.expressions import compiled
from slackwater.reference.history import Histories
from slackwater.reference.snapshot import Snapshots

POINT = column("Timepoint", BIGINT)
CLOCK = algebra.Range(algebra.Ticks(), INFINITY)
UNTIL = 20


@st.composite
def conditions(draw: st.DrawFn, depth: int = 2) -> Expression:
    if depth and draw(st.booleans()):
        logic = draw(st.sampled_from(["and", "or", "not"]))
        return Call(
            BOOLEAN, logic, tuple(draw(conditions(depth - 1)) for _ in range(1 if logic == "not" else 2))
        )
    value = Literal(INT, draw(st.integers(-2, 9)))
    if draw(st.integers(0, 5)) == 0:
        return Call(BOOLEAN, "in_list", (POINT, value, Literal(INT, 4)))
    period = Literal(INT, draw(st.sampled_from([1, 2, 3, 4, 6, -5])))
    operand = POINT if draw(st.booleans()) else Call(BIGINT, "modulo", (POINT, period))
    sides = (operand, value) if draw(st.booleans()) else (value, operand)
    return Call(BOOLEAN, draw(st.sampled_from(["eq", "ne", "lt", "le", "gt", "ge"])), sides)


@trying(200)
@given(conditions())
def test_a_condition_on_the_clock_is_the_set_of_points_it_accepts(condition: Expression) -> None:
    chosen = satisfying(condition, "Timepoint")
    accepts = compiled(condition, algebra.Ticks().schema)
    assert chosen is not None
    assert [t for t in range(60) if t in chosen] == [t for t in range(60) if accepts((t,), {}) is True]


@st.composite
def sync_streams(draw: st.DrawFn, depth: int = 2) -> Operator:
    """Relations of points, as users define them."""
    if depth and draw(st.booleans()):
        operation = draw(st.sampled_from([algebra.Union, algebra.Intersect, algebra.MaxUnion]))
        both = operation(draw(sync_streams(depth - 1)), draw(sync_streams(depth - 1)))
        return algebra.Distinct(both) if draw(st.booleans()) else both
    if draw(st.booleans()):
        return algebra.Select(CLOCK, draw(conditions()))
    stamped = algebra.Range(algebra.Stamp(S, "Timepoint"), INFINITY)
    hot = algebra.Select(
        stamped, Call(BOOLEAN, "ge", (column("b", INT), Literal(INT, draw(st.integers(-2, 2)))))
    )
    return algebra.Project(hot, (("Timepoint", POINT),))


def instants(chosen: TimePoints, data: dict[str, Changes]) -> set[int]:
    at = set(chosen.points.within(0, UNTIL + 1))
    if chosen.events is not None:
        at |= set(Histories(data, UNTIL).changes(chosen.events))
    return at


@trying(150)
@given(sync_streams(), inputs)
def test_the_points_of_a_synchronization_stream_are_those_at_which_it_gets_rows(
    stream: Operator, data: dict[str, Changes]
) -> None:
    chosen = time_points(stream)
    assert chosen is not None
    assert instants(chosen, data) == set(Histories(data, UNTIL).changes(algebra.Istream(stream)))


@trying(100)
@given(points, st.one_of(st.none(), events()), points, st.one_of(st.none(), events()), inputs)
def test_unions_and_intersections_of_clocks_and_events(
    one: Points, first: Operator | None, two: Points, second: Operator | None, data: dict[str, Changes]
) -> None:
    left = TimePoints(one, None if first is None else events_of(first))
    right = TimePoints(two, None if second is None else events_of(second))
    assert instants(left | right, data) == instants(left, data) | instants(right, data)
    assert instants(left & right, data) == instants(left, data) & instants(right, data)


@trying(200)
@given(events(), events(), inputs)
def test_events_that_come_with_others_come_at_their_instants(
    one: Operator, other: Operator, data: dict[str, Changes]
) -> None:
    if come_with(events_of(one), events_of(other)):
        assert set(Histories(data).changes(one)) <= set(Histories(data).changes(other))


def test_events_of_a_narrower_condition_come_with_those_of_a_wider_one() -> None:
    def hot(degrees: int) -> Operator:
        stamped = algebra.Select(
            algebra.Stamp(S), Call(BOOLEAN, "gt", (column("b", INT), Literal(INT, degrees)))
        )
        return events_of(algebra.Project(stamped, (("TS", column("TS", BIGINT)),)))

    assert come_with(hot(120), hot(100))
    assert not come_with(hot(100), hot(120))


def without_points(plan: Operator) -> Operator:
    """The plan over finest-granularity relations."""
    if isinstance(plan, algebra.Synchronize):
        return without_points(plan.source)
    if isinstance(plan, algebra.When):
        return algebra.When(without_points(plan.source), plan.predicate)
    return with_inputs(plan, tuple(without_points(source) for source in plan.inputs))


@trying(150)
@given(relations(), inputs)
def test_at_full_points_the_answer_reflects_all_input(plan: Operator, data: dict[str, Changes]) -> None:
    """SyncSQL propositions 1 and 2, corollaries 2 and 3."""
    full = full_points(plan)
    assert full is not None
    whole, synchronized = Snapshots(data), Snapshots(data)
    for t in instants(full, data):
        assert synchronized.relation(plan, t) == whole.relation(without_points(plan), t)


@trying(100)
@given(relations(), inputs)
def test_synchronized_at_its_full_points_a_plan_is_its_skinned_form(
    plan: Operator, data: dict[str, Changes]
) -> None:
    """SyncSQL theorem 2: all synchronization outside, at every instant and not only at full points."""
    full = full_points(plan)
    assert full is not None
    inside = algebra.Synchronize(plan, full.points, full.events)
    skinned = algebra.Synchronize(without_points(plan), full.points, full.events)
    assert Histories(data).changes(inside) == Histories(data).changes(skinned)


@pytest.mark.parametrize(
    "plan",
    [
        algebra.Project(R, (("a", column("a", INT)),)),
        algebra.Project(algebra.Range(S, 3), (("b", column("b", INT)),)),
        algebra.Project(CLOCK, (("next", Call(BIGINT, "add", (POINT, Literal(INT, 1)))),)),
        algebra.Range(algebra.Project(algebra.Stamp(S), (("TS", column("TS", BIGINT)),)), 3, slide=2),
        R,
    ],
)
def test_what_is_not_a_stream_of_time_points(plan: Operator) -> None:
    assert time_points(plan) is None


def test_a_full_point_of_a_join_is_one_of_both_sides() -> None:
    left = algebra.Synchronize(algebra.Range(S, 3), Points.every(2))
    right = algebra.Synchronize(algebra.Range(algebra.Stream("T", SCHEMAS["T"]), 3), Points.every(3))
    pair = algebra.Product(algebra.rows.renamed(left, ("x", "y", "z")), right)
    assert full_points(pair) == TimePoints(Points.every(6))
    assert full_points(S) == TimePoints(ALL)
    assert full_points(algebra.Synchronize(R, NEVER)) == TimePoints(NEVER)
