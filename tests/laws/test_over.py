"""Window functions and first rows: the reference against DuckDB, the engines against the reference."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from laws.effort import trying
from laws.over import OverQuery, overs
from laws.relational import Generated, catalog, inputs, queries
from laws.test_kernels_are_the_reference import cuts, ran
from laws.test_reference_agrees_with_duckdb import check
from laws.test_what_is_alive_is_in_the_state import holds_what_is_alive
from laws.test_workers_are_the_driver import Places, many_cuts, moving, outcome, partitions
from laws.views import DENSE
from slackwater.algebra import Kind, Operator
from slackwater.base.span import Text
from slackwater.bind.program import bind_query
from slackwater.language.cql import parse, to_sql
from slackwater.optimize import optimized, steps
from slackwater.optimize.sharing import shared
from slackwater.physical.description import described, graph_of
from slackwater.physical.lower import lowered
from slackwater.reference.bags import Changes
from slackwater.reference.history import Histories


def plan_of(text: str) -> Operator:
    return bind_query(Text("<query>", text), catalog(), Kind.RELATION).plan


@trying(80)
@given(overs(by_duckdb=True), inputs)
def test_at_every_instant_it_is_duckdbs_answer(query: OverQuery, data: dict[str, Changes]) -> None:
    check(query, data)


@trying(60)
@given(overs(), inputs)
def test_every_step_of_the_optimizer_keeps_the_answer(query: OverQuery, data: dict[str, Changes]) -> None:
    plan = plan_of(query.cql)
    expected = Histories(data).changes(plan)
    for step in steps(plan):
        assert Histories(data).changes(step.plan) == expected, f"{step.rule}: {query.cql}"


@trying(150)
@given(overs(), inputs, cuts)
def test_the_kernels_are_the_reference_in_any_epochs(
    query: OverQuery, data: dict[str, Changes], at: list[int]
) -> None:
    plan = plan_of(query.cql)
    assert ran(optimized(plan), data, at) == Histories(data).changes(plan), query.cql


@trying(30)
@given(overs(), inputs, cuts, partitions, st.booleans())
def test_partitions_do_not_change_it(
    query: OverQuery, data: dict[str, Changes], at: list[int], count: int, forget: bool
) -> None:
    plan = optimized(plan_of(query.cql))
    driver = outcome(plan, data, at, [0] * 8, False)
    assert outcome(plan, data, at, [count] * 8, forget) == driver, query.cql


@trying(20)
@given(overs(), inputs, many_cuts, moving())
def test_driver_and_workers_resume_from_each_other(
    query: OverQuery, data: dict[str, Changes], at: list[int], places: Places
) -> None:
    plan = optimized(plan_of(query.cql))
    assert outcome(plan, data, at, places, False) == outcome(plan, data, at, [0] * 8, False), query.cql


@trying(40)
@given(overs(), inputs, cuts.filter(bool))
def test_what_is_alive_is_in_the_state(query: OverQuery, data: dict[str, Changes], at: list[int]) -> None:
    holds_what_is_alive(lowered({"answer": optimized(plan_of(query.cql))}), data, at)


@trying(20)
@given(overs(), overs(), queries(), inputs)
def test_queries_that_share_keep_their_answers(
    one: OverQuery, other: OverQuery, third: Generated, data: dict[str, Changes]
) -> None:
    texts = {"one": one.cql, "other": other.cql, "third": third.cql, "again": one.cql}
    plans = {name: optimized(plan_of(text)) for name, text in texts.items()}
    together = shared(plans, DENSE).plans
    for name, plan in plans.items():
        assert Histories(data).changes(together[name]) == Histories(data).changes(plan), texts


@trying(40)
@given(overs())
def test_a_checkpoint_describes_it(query: OverQuery) -> None:
    graph = lowered({"answer": optimized(plan_of(query.cql))})
    again = graph_of(json.loads(json.dumps(described(graph), allow_nan=False)))
    assert again == graph, query.cql


@trying(60)
@given(overs())
def test_a_printed_query_parses_to_the_same_tree(query: OverQuery) -> None:
    (tree,) = parse(Text("<query>", query.cql))
    assert parse(Text("<query>", to_sql(tree))) == [tree]
