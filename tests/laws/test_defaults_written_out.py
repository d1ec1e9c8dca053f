"""A query with its defaults written out has the same meaning, and no more defaults."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from laws.effort import trying
from laws.relational import Generated, catalog, inputs, queries
from slackwater.base.span import Text
from slackwater.bind.program import bind
from slackwater.reference.bags import Changes
from slackwater.reference.history import Histories

TEXTS = [
    "SELECT a FROM S",
    "SELECT S.a FROM S, T, R WHERE S.a = T.a AND R.a = T.a",
    "SELECT x.a FROM (S AS x JOIN T AS y USING (a))",
    "SELECT S.a FROM S CROSS JOIN (T CROSS JOIN R)",
    "SELECT ISTREAM(a) FROM S [NOW] UNION SELECT a FROM T [NOW]",
    "ISTREAM(DSTREAM(SELECT a FROM S [NOW]))",
    "WITH w AS (SELECT a FROM S) SELECT a FROM w [ROWS 2]",
    "SELECT a FROM (SELECT a FROM S) [ROWS 2]",
    "SELECT a FROM (ISTREAM(SELECT a FROM S)) AS z",
    "SELECT a FROM R WHERE a IN (SELECT a FROM S) OR EXISTS (SELECT ISTREAM(a) FROM T)",
    "S UNION S",
    "(SELECT a FROM S) [RANGE 2]",
]


def holds(text: str, data: dict[str, Changes]) -> None:
    [query] = bind(Text("<query>", text), catalog())
    [again] = bind(Text("<expanded>", query.expanded), catalog())
    assert again.notes == ()
    assert (again.plan.kind, again.plan.schema.types) == (query.plan.kind, query.plan.schema.types)
    assert Histories(data).changes(again.plan) == Histories(data).changes(query.plan)


@trying(10)
@given(st.sampled_from(TEXTS), inputs)
def test_the_expanded_query_is_the_query(text: str, data: dict[str, Changes]) -> None:
    holds(text, data)


@trying(40)
@given(queries(), inputs)
def test_a_generated_querys_expansion_is_the_query(query: Generated, data: dict[str, Changes]) -> None:
    holds(query.cql.replace(" [RANGE UNBOUNDED]", ""), data)
