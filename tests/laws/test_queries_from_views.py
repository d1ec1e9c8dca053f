"""Queries computed from views: where one is contained in another, its answer is the reference's."""

from __future__ import annotations

from hypothesis import given

from laws.effort import trying
from laws.relational import Generated, inputs, queries
from laws.test_kernels_are_the_reference import cuts, ran
from laws.views import DENSE, Pair, pairs, planned
from slackwater.algebra import Operator
from slackwater.optimize.sharing import contained, shared
from slackwater.reference.bags import Changes
from slackwater.reference.history import Histories

UNTIL = 25
LEAST = 0.6
"""The part of the pairs made to match that must be matched."""


def holds(plan: Operator, other: Operator, data: dict[str, Changes], at: list[int]) -> None:
    """Both plans have the same rows at every instant, in the reference and in the kernels."""
    expected = Histories(data, UNTIL).changes(plan)
    assert Histories(data, UNTIL).changes(other) == expected
    computed = {t: bag for t, bag in ran(other, data, at).items() if t <= UNTIL}
    assert computed == expected


@trying(300)
@given(pairs(), inputs, cuts)
def test_a_query_computed_from_a_view_has_its_own_answer(
    pair: Pair, data: dict[str, Changes], at: list[int]
) -> None:
    rewritten = contained(pair.query, pair.view)
    if rewritten is not None:
        assert any(node is pair.view for node in rewritten.walk())
        holds(pair.query, rewritten, data, at)


def test_most_pairs_made_to_match_are_matched() -> None:
    results: list[bool] = []

    @trying(300)
    @given(pairs())
    def match(pair: Pair) -> None:
        results.append(contained(pair.query, pair.view) is not None)

    match()
    assert sum(results) >= LEAST * len(results), f"{sum(results)} of {len(results)}"


@trying(100)
@given(queries(), queries(), inputs, cuts)
def test_any_two_queries_keep_their_answers_together(
    one: Generated, other: Generated, data: dict[str, Changes], at: list[int]
) -> None:
    plans = {"one": planned(one.cql), "other": planned(other.cql)}
    for name, plan in shared(plans, DENSE).plans.items():
        holds(plans[name], plan, data, at)


@trying(100)
@given(pairs(), pairs(), inputs, cuts)
def test_the_queries_of_a_session_keep_their_answers(
    one: Pair, other: Pair, data: dict[str, Changes], at: list[int]
) -> None:
    plans = {"a": one.view, "b": one.query, "c": other.query, "d": other.view}
    for name, plan in shared(plans, DENSE).plans.items():
        holds(plans[name], plan, data, at)
