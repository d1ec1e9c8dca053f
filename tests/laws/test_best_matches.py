"""Best-match joins: the reference against DuckDB's NOT EXISTS, the engines against the reference."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from laws.best_matches import BestMatches, best_matches, data_of, streamed_matches, with_orders
from laws.effort import trying
from laws.test_kernels_are_the_reference import cuts, ran
from laws.test_reference_agrees_with_duckdb import check_plan
from laws.test_workers_are_the_driver import Places, many_cuts, moving, outcome, partitions
from slackwater.algebra import Kind, Operator, Schema
from slackwater.algebra.types import INT, STRING, array
from slackwater.base.span import Text
from slackwater.bind.catalog import Catalog
from slackwater.bind.program import bind_query
from slackwater.engines.engine import Kernels
from slackwater.language.cql import parse, to_sql
from slackwater.optimize import optimized, steps
from slackwater.physical.description import described, graph_of
from slackwater.physical.lower import lowered
from slackwater.reference.bags import Changes
from slackwater.reference.history import Histories

few, many = data_of(4), data_of(6)


def plan_of(text: str, kind: Kind | None = Kind.RELATION) -> Operator:
    return bind_query(Text("<query>", text), with_orders(), kind).plan


@trying(80)
@given(best_matches(), few)
def test_at_every_instant_it_is_the_pairs_for_which_no_better_one_exists(
    query: BestMatches, data: dict[str, Changes]
) -> None:
    check_plan(plan_of(query.cql), query, data)


@trying(60)
@given(best_matches(), few)
def test_every_step_of_the_optimizer_keeps_the_answer(query: BestMatches, data: dict[str, Changes]) -> None:
    plan = plan_of(query.cql)
    expected = Histories(data).changes(plan)
    for step in steps(plan):
        assert Histories(data).changes(step.plan) == expected, f"{step.rule}: {query.cql}"


@trying(100)
@given(best_matches(), many, cuts)
def test_the_kernels_are_the_reference_in_any_epochs(
    query: BestMatches, data: dict[str, Changes], at: list[int]
) -> None:
    plan = plan_of(query.cql)
    assert ran(optimized(plan), data, at) == Histories(data).changes(plan), query.cql


@trying(50)
@given(streamed_matches(), many, cuts)
def test_streams_of_best_matches_are_the_reference(
    text: str, data: dict[str, Changes], at: list[int]
) -> None:
    plan = plan_of(text, None)
    assert ran(optimized(plan), data, at) == Histories(data).changes(plan), text


@trying(40)
@given(best_matches(), few, cuts, partitions, st.booleans())
def test_partitions_do_not_change_best_matches(
    query: BestMatches, data: dict[str, Changes], at: list[int], count: int, forget: bool
) -> None:
    plan = optimized(plan_of(query.cql))
    driver = outcome(plan, data, at, [0] * 8, False)
    assert driver == Histories(data).changes(plan), query.cql
    assert outcome(plan, data, at, [count] * 8, forget) == driver, query.cql


@trying(30)
@given(best_matches(0), few, many_cuts, moving())
def test_driver_and_workers_resume_best_matches_from_each_other(
    query: BestMatches, data: dict[str, Changes], at: list[int], places: Places
) -> None:
    plan = optimized(plan_of(query.cql))
    assert outcome(plan, data, at, places, False) == outcome(plan, data, at, [0] * 8, False), query.cql


@trying(40)
@given(best_matches())
def test_a_checkpoint_describes_best_matches(query: BestMatches) -> None:
    graph = lowered({"answer": optimized(plan_of(query.cql))})
    again = graph_of(json.loads(json.dumps(described(graph), allow_nan=False)))
    assert again == graph, query.cql


@trying(60)
@given(best_matches())
def test_a_printed_best_match_parses_to_the_same_tree(query: BestMatches) -> None:
    (tree,) = parse(Text("<query>", query.cql))
    assert parse(Text("<query>", to_sql(tree))) == [tree]


sets = st.one_of(st.none(), st.lists(st.sampled_from(["u", "v", "w", None]), max_size=4).map(tuple))
tagged = st.tuples(st.integers(0, 3), sets)
changing = st.dictionaries(
    st.integers(0, 9), st.dictionaries(tagged, st.integers(1, 2), max_size=3), max_size=4
)


@trying(100)
@given(
    st.sampled_from(["", "LEFT", "RIGHT", "FULL"]),
    st.sampled_from(["subset", "superset"]),
    st.booleans(),
    changing,
    changing,
    cuts,
)
def test_sets_are_compared_by_what_they_have_in_common(
    side: str, order: str, beside: bool, left: Changes, right: Changes, at: list[int]
) -> None:
    schema = Schema.of(x=INT, tags=array(STRING))
    declarations = Catalog()
    declarations.stream("A", schema)
    declarations.stream("B", schema)
    dimensions = f"(A.tags, B.tags) {order}" + (", (ABS(A.x - B.x)) MIN" if beside else "")
    text = f"SELECT A.x, B.tags FROM A [RANGE 3] {side} BESTMATCH JOIN B [RANGE 3] ON {dimensions}"
    plan = bind_query(Text("<query>", text), declarations).plan
    data = {"A": left, "B": right}
    assert Kernels().run(plan, data, at) == Histories(data).changes(plan), text
