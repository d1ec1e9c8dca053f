"""Grouping sets: the reference against DuckDB, the kernels against the reference."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from laws.effort import trying
from laws.relational import Generated, Source, catalog, inputs
from laws.test_kernels_are_the_reference import cuts
from laws.test_reference_agrees_with_duckdb import check
from slackwater.algebra import Kind
from slackwater.base.span import Text
from slackwater.bind.program import bind_query
from slackwater.engines.engine import Kernels
from slackwater.reference.bags import Changes
from slackwater.reference.history import Histories

KEYS = ("x1.a", "x1.b", "(x1.a, x1.b)")
SOURCES = (("R", None), ("S", "RANGE 2"), ("S", "ROWS 3"))
ITEMS = (
    "COUNT(*) AS n",
    "SUM(x1.b) AS s, GROUPING(x1.a) AS g",
    "MAX(x1.a) AS m, GROUPING(x1.b, x1.a) AS g",
    "x1.a + x1.b AS s, COUNT(x1.a) AS n",
)


@st.composite
def elements(draw: st.DrawFn, depth: int = 1) -> str:
    word = draw(st.sampled_from(["ROLLUP", "CUBE", "GROUPING SETS"]))
    choices = [st.sampled_from(KEYS)]
    if word == "GROUPING SETS":
        choices += [st.just("()"), *([elements(depth - 1)] if depth else [])]
    return f"{word} ({', '.join(draw(st.lists(st.one_of(choices), min_size=1, max_size=3)))})"


@st.composite
def grouped(draw: st.DrawFn) -> Generated:
    name, window = draw(st.sampled_from(SOURCES))
    # With these all keys of the select list are in some set.
    listed = draw(
        st.sampled_from(["GROUPING SETS ((x1.a, x1.b), ())", "x1.a, ROLLUP (x1.b)", "CUBE (x1.b, x1.a)"])
    )
    more = [*draw(st.lists(elements(), max_size=1)), listed]
    having = draw(st.sampled_from(["", " HAVING COUNT(*) > 1", " HAVING x1.a IS NULL"]))
    text = f"SELECT x1.a AS k, x1.b AS l, {draw(st.sampled_from(ITEMS))} FROM {{s1}} AS x1 GROUP BY "
    return Generated(f"{text}{', '.join(more)}{having}", [Source("s1", "x1", name, window)])


ALL = [
    Generated(f"SELECT {items} FROM {{s1}} AS x1 GROUP BY ALL", [Source("s1", "x1", name, window)])
    for items in ("x1.a + 1 AS k, COUNT(*) AS n", "x1.a, x1.b", "SUM(x1.a) AS s", "MAX(b) AS m, a")
    for name, window in SOURCES
]


@trying(40)
@given(grouped(), inputs)
def test_grouping_sets_are_duckdbs(query: Generated, data: dict[str, Changes]) -> None:
    check(query, data)


@trying(5)
@given(inputs)
def test_the_keys_of_all_are_duckdbs(data: dict[str, Changes]) -> None:
    for query in ALL:
        check(query, data)


@trying(30)
@given(grouped(), inputs, cuts)
def test_the_kernels_are_the_reference_in_any_epochs(
    query: Generated, data: dict[str, Changes], at: list[int]
) -> None:
    plan = bind_query(Text("<query>", query.cql), catalog(), Kind.RELATION).plan
    assert Kernels().run(plan, data, at) == Histories(data).changes(plan), query.cql
