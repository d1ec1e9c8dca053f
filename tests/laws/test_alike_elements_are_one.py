"""Elements that start and end together are aggregated as one: always, not only where there are many."""

from __future__ import annotations

from unittest.mock import patch

from hypothesis import given

from laws.effort import trying
from laws.relational import Generated, inputs, queries
from laws.test_kernels_are_the_reference import cuts, ran
from laws.test_panes_add_up import sessions
from laws.test_queries_from_views import holds
from laws.views import DENSE, Pair, pairs, planned
from slackwater.algebra import Operator
from slackwater.kernels import aggregates
from slackwater.optimize.sharing import shared
from slackwater.reference.bags import Changes
from slackwater.reference.history import Histories

always = patch.multiple(aggregates, MANY=0, TOGETHER=0)


@always
@trying(100)
@given(queries(), inputs, cuts)
def test_relations_are_the_references(query: Generated, data: dict[str, Changes], at: list[int]) -> None:
    plan = planned(query.cql)
    assert ran(plan, data, at) == Histories(data).changes(plan), query.cql


@always
@trying(60)
@given(pairs(), inputs, cuts)
def test_groups_of_windows_are_the_references(pair: Pair, data: dict[str, Changes], at: list[int]) -> None:
    holds(pair.query, pair.query, data, at)


@always
@trying(40)
@given(sessions(), inputs, cuts)
def test_panes_add_up(plans: dict[str, Operator], data: dict[str, Changes], at: list[int]) -> None:
    for name, plan in shared(plans, DENSE).plans.items():
        holds(plans[name], plan, data, at)
