"""A key that a plan shows is one: at no instant have two rows of the answer the same values in it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from laws.effort import trying
from laws.relational import Generated, catalog, inputs, queries
from laws.synchronized import relations
from slackwater.algebra import Kind, Operator
from slackwater.algebra.changes import Changes
from slackwater.base.span import Text
from slackwater.bind.program import bind_query
from slackwater.optimize.facts.keys import keys
from slackwater.reference.history import Histories


def holds(plan: Operator, data: dict[str, Changes]) -> bool:
    places = [[plan.schema.index(name) for name in key] for key in keys(plan)]
    now: dict[tuple, int] = {}
    for bag in Histories(data).changes(plan).values():
        for row, copies in bag.items():
            now[row] = now.get(row, 0) + copies
        alive = [row for row, copies in now.items() for _ in range(copies)]
        for key in places:
            values = [tuple(row[place] for place in key) for row in alive]
            if len(set(values)) < len(values):
                return False
    return True


@given(queries(), inputs)
@trying(100)
def test_keys_of_queries(query: Generated, data: dict[str, Changes]) -> None:
    assert holds(bind_query(Text("query", query.cql), catalog(), Kind.RELATION).plan, data)


@given(relations(), inputs)
@trying(100)
def test_keys_of_synchronized_relations_and_predicate_windows(
    plan: Operator, data: dict[str, Changes]
) -> None:
    assert holds(plan, data)


SOURCES = (
    "S [PARTITION BY a ROWS 1]", "S [PARTITION BY a, b ROWS 1]", "S [ROWS 1]", "R(S) SYNC BY EVERY 2",
    "(SELECT a, COUNT(*) AS b FROM R GROUP BY a)", "(SELECT DISTINCT a, b FROM R)",
    "(SELECT * FROM S [PARTITION BY a ROWS 1] WHERE NOW < b + 6)",
)  # fmt: skip
sources = st.sampled_from(SOURCES)
conditions = st.sampled_from(
    ["x.a = y.a", "x.b = y.a", "x.a = y.a AND x.b = y.b", "x.a IS NOT DISTINCT FROM y.a"]
)


@given(sources, sources, conditions, inputs)
@trying(100)
def test_keys_of_joins(left: str, right: str, condition: str, data: dict[str, Changes]) -> None:
    text = (
        f"SELECT x.a AS xa, x.b AS xb, y.a AS ya, y.b AS yb FROM {left} AS x JOIN {right} AS y ON {condition}"
    )
    assert holds(bind_query(Text("query", text), catalog(), Kind.RELATION).plan, data)
