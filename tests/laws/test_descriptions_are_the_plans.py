"""A plan that was described and read again is the same plan, with the same names of states."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from laws.effort import trying
from laws.relational import catalog, queries, streamed
from slackwater.algebra import Kind
from slackwater.base.span import Text
from slackwater.bind.program import bind_query
from slackwater.optimize import optimized
from slackwater.physical.description import described, graph_of, state_names
from slackwater.physical.lower import lowered


@trying(200)
@given(
    st.one_of(queries().map(lambda query: (query.cql, Kind.RELATION)), streamed().map(lambda t: (t, None)))
)
def test_a_graph_is_read_as_it_was_written(query: tuple[str, Kind | None]) -> None:
    text, kind = query
    plan = optimized(bind_query(Text("<query>", text), catalog(), kind).plan)
    graph = lowered({"answer": plan}, changing=["answer"] if kind else [], changelogs=["R"])
    again = graph_of(json.loads(json.dumps(described(graph), allow_nan=False)))
    assert again == graph
    assert state_names(again) == state_names(graph)
    again.names.clear()
    assert state_names(again) == state_names(graph)
    assert len(set(state_names(graph))) == len(graph.nodes)
