"""The kernels against the reference: generated queries over generated inputs, in any epochs."""

from __future__ import annotations

from collections import Counter
from contextlib import nullcontext

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from laws.effort import trying
from laws.large_states import always_in_runs
from laws.relational import SCHEMAS, Generated, catalog, inputs, queries, streamed
from laws.subqueries import few_inputs, subqueries
from slackwater import algebra
from slackwater.algebra import Kind, Operator, Schema
from slackwater.algebra.expressions import Aggregation
from slackwater.algebra.types import BIGINT
from slackwater.base.span import Text
from slackwater.base.time import BEGIN, CALENDAR, INFINITY
from slackwater.bind.program import bind_query
from slackwater.kernels import machine
from slackwater.kernels.frames import FROM, TO, N, columns_of, frame_schema
from slackwater.kernels.machine import Machine
from slackwater.kernels.state import State
from slackwater.optimize import optimized
from slackwater.physical.lower import lowered
from slackwater.reference.bags import Changes, record
from slackwater.reference.elements import Element, changes_of
from slackwater.reference.history import Histories
from slackwater.reference.snapshot import Snapshots


def frames(data: dict[str, Changes], schemas: dict[str, Schema] = SCHEMAS) -> dict[str, pl.DataFrame]:
    """Inputs as elements: a stream's at its instants, a relation's from there on."""
    return {
        name: pl.DataFrame(
            [(*row, t, INFINITY, n) for t, bag in changes.items() for row, n in bag.items()],
            schema=frame_schema(schemas[name]),
            orient="row",
        )
        for name, changes in data.items()
    }


def between(sources: dict[str, pl.DataFrame], lo: int, hi: int) -> dict[str, pl.DataFrame]:
    """The elements that start in [lo, hi)."""
    return {
        name: frame.filter(pl.col(FROM).is_between(lo, hi, closed="left")) for name, frame in sources.items()
    }


def ran(plan, data: dict[str, Changes], cuts: list[int], begin: int = BEGIN) -> Changes:
    kernels = Machine(lowered({"answer": plan}, begin))
    sources = frames(data)
    stream: Changes = {}
    elements: list[Element] = []
    for lo, hi in zip([begin, *cuts], [*cuts, INFINITY], strict=True):
        out = kernels.epoch(between(sources, lo, hi), lo, hi)["answer"]
        assert out.height == 0 or (out[FROM].min() >= lo and out[FROM].max() < hi)
        row = columns_of(out)
        rows = out.select(*row, FROM, TO, N).rows()
        assert all(start < end for *_, start, end, _ in rows)
        if plan.kind is Kind.STREAM:
            for *values, at, _, n in rows:
                record(stream, at, tuple(values), n)
        else:
            elements += [Element(tuple(values), start, end, n) for *values, start, end, n in rows]
    return dict(sorted(stream.items())) if plan.kind is Kind.STREAM else changes_of(elements)


cuts = st.lists(st.integers(1, 14), max_size=6, unique=True).map(sorted)


@trying(100)
@given(queries(), inputs, cuts)
def test_relations_are_the_references(query: Generated, data: dict[str, Changes], at: list[int]) -> None:
    plan = bind_query(Text("<query>", query.cql), catalog(), Kind.RELATION).plan
    assert ran(optimized(plan), data, at) == Histories(data).changes(plan), query.cql


EARLIER = 27_720
"""A multiple of every slide up to 12: windows move at the same places when time begins this much earlier."""


@trying(50)
@given(queries(), inputs, cuts)
def test_time_may_begin_before_0(query: Generated, data: dict[str, Changes], at: list[int]) -> None:
    """As in calendar time: with all inputs moved to an earlier time the answers are moved, too."""
    plan = bind_query(Text("<query>", query.cql), catalog(), Kind.RELATION).plan
    moved = {name: {t - EARLIER: bag for t, bag in changes.items()} for name, changes in data.items()}
    answers = ran(optimized(plan), moved, [cut - EARLIER for cut in at], -EARLIER)
    assert {t + EARLIER: bag for t, bag in answers.items()} == Histories(data).changes(plan), query.cql


LARGEST = INFINITY - 1
SIZES = st.sampled_from([0, 1, 2, 3, 7, 10, 1000, 2**62, LARGEST - 3, LARGEST, INFINITY])
at_the_ends = st.one_of(
    st.integers(0, 12),
    st.integers(LARGEST - 12, LARGEST),
    st.sampled_from([2**62 - 1, 2**62]),
    st.integers(-12, -1),
    st.integers(CALENDAR.begin, CALENDAR.begin + 12),
)


STREAM = algebra.Stream("T", SCHEMAS["T"])


@st.composite
def windows(draw: st.DrawFn) -> Operator:
    """Windows of every kind, with sizes from one instant to all of time."""
    size, slide = draw(SIZES), max(draw(SIZES), 1)
    match draw(st.sampled_from(["range", "range", "sliding", "fixed", "rows", "rows", "nested"])):
        case "range":
            return algebra.Range(STREAM, size, draw(st.sampled_from([1, slide])))
        case "sliding":
            return algebra.Sliding(STREAM, max(size, 1))
        case "fixed":
            return algebra.Fixed(STREAM, max(size, 1))
        case "nested":
            counts = st.tuples(st.integers(1, 5) | SIZES.filter(bool), SIZES)
            several = tuple(draw(st.lists(counts, min_size=1, max_size=3)))
            partition = draw(st.sampled_from([(), ("a",)]))
            return algebra.NestedRows(STREAM, several, draw(st.sampled_from([1, 2, slide])), partition)
        case _:
            partition = draw(st.sampled_from([(), ("a",)]))
            return algebra.Rows(
                STREAM, max(size, 1), draw(st.sampled_from([1, 2, slide])), partition, draw(SIZES)
            )


@trying(150)
@example(algebra.Range(STREAM, 10, 7), [(INFINITY - 4, 1)], [])
@example(algebra.Range(STREAM, LARGEST), [(-1, None)], [])
@example(algebra.Range(STREAM, 1, INFINITY), [(-1, None)], [])
@example(algebra.Sliding(STREAM, INFINITY), [(-12, None), (LARGEST, None)], [])
@example(algebra.Fixed(STREAM, INFINITY), [(-1, None)], [])
@example(algebra.Rows(STREAM, 1, within=LARGEST), [(-1, None)], [])
@given(
    windows(),
    st.lists(st.tuples(at_the_ends, st.none() | st.integers(0, 1)), max_size=6),
    st.lists(at_the_ends.filter(lambda t: t not in (BEGIN, CALENDAR.begin)), max_size=3, unique=True).map(
        sorted
    ),
)
def test_windows_at_the_ends_of_time_are_the_references(
    window: Operator, elements: list[tuple[int, int | None]], at: list[int]
) -> None:
    data: dict[str, Changes] = {"T": {}}
    for u, a in elements:
        record(data["T"], u, (a, None), 1)
    # Integer time begins at 0, the calendar's before.
    begin = BEGIN if all(t >= BEGIN for t in (*data["T"], *at)) else CALENDAR.begin
    for plan in (window, algebra.Aggregate(window, (), (("n", Aggregation(BIGINT, "count")),))):
        expected = Snapshots(data, begin=begin).changes(plan)
        assert Histories(data, begin=begin).changes(plan) == expected
        assert ran(plan, data, at, begin) == expected


@trying(60)
@given(subqueries(), few_inputs, cuts)
def test_nested_subqueries_are_the_references(
    query: Generated, data: dict[str, Changes], at: list[int]
) -> None:
    plan = bind_query(Text("<query>", query.cql), catalog(), Kind.RELATION).plan
    assert ran(optimized(plan), data, at) == Histories(data).changes(plan), query.cql


@trying(100)
@given(streamed(), inputs, cuts)
def test_streams_are_the_references(text: str, data: dict[str, Changes], at: list[int]) -> None:
    plan = bind_query(Text("<query>", text), catalog()).plan
    assert ran(optimized(plan), data, at) == Histories(data).changes(plan), text


@trying(60)
@given(st.one_of(queries().map(lambda query: query.cql), streamed()), inputs, cuts)
def test_an_epoch_of_many_rows_is_computed_in_parts(
    text: str, data: dict[str, Changes], at: list[int]
) -> None:
    plan = bind_query(Text("<query>", text), catalog()).plan
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(machine, "MOST_ROWS", 2)
        assert ran(optimized(plan), data, at) == Histories(data).changes(plan), text


@trying(100)
@given(st.one_of(queries().map(lambda query: query.cql), streamed()), inputs, cuts, st.booleans())
def test_large_states_give_the_references_answers(
    text: str, data: dict[str, Changes], at: list[int], collide: bool
) -> None:
    plan = bind_query(Text("<query>", text), catalog()).plan
    with always_in_runs(collide):
        assert ran(optimized(plan), data, at) == Histories(data).changes(plan), text


@trying(60)
@given(
    st.one_of(queries().map(lambda query: query.cql), streamed()), inputs, cuts, st.booleans(), st.booleans()
)
def test_the_changes_of_a_state_are_the_state(
    text: str, data: dict[str, Changes], at: list[int], in_parts: bool, is_large: bool
) -> None:
    graph = lowered({"answer": optimized(bind_query(Text("<query>", text), catalog()).plan)})
    here, copy = Machine(graph), Machine(graph)
    sources = frames(data)
    with pytest.MonkeyPatch.context() as patch, always_in_runs() if is_large else nullcontext():
        patch.setattr(machine, "MOST_ROWS", 2 if in_parts else machine.MOST_ROWS)
        for lo, hi in zip([BEGIN, *at], [*at, INFINITY], strict=True):
            here.epoch(between(sources, lo, hi), lo, hi)
            for state, other in zip(here.states.values(), copy.states.values(), strict=True):
                for name, change in state.changes.items():
                    other.restore(name, pl.concat(change.rows, how="diagonal"), change.replaced)
                state.changes.clear()
                other.expire(hi)
                assert bags(state) == bags(other), text


def bags(state: State) -> dict[str, Counter[tuple]]:
    return {
        name: Counter(frame.select(sorted(frame.columns)).rows())
        for name, frame in state.frames.items()
        if frame.height
    }
