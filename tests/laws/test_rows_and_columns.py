"""VALUES, PIVOT, UNPIVOT and set operations: DuckDB at each instant, and kernels against the reference."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from laws.by_duckdb import check, plan_over
from laws.effort import trying
from laws.relational import relations
from laws.test_kernels_are_the_reference import cuts
from laws.test_workers_are_the_driver import outcome, partitions
from slackwater.algebra import Schema
from slackwater.algebra.types import INT, STRING
from slackwater.base.span import Text
from slackwater.engines.engine import Kernels
from slackwater.language.cql import parse, to_sql
from slackwater.optimize import optimized
from slackwater.reference.bags import Changes
from slackwater.reference.history import Histories

SCHEMAS = {"R": Schema.of(k=INT, q=STRING, a=INT, b=INT), "S": Schema.of(k=INT, q=STRING)}
VALUES = {INT: st.sampled_from([0, 1, 2, None]), STRING: st.sampled_from(["u", "v", None])}
data = st.fixed_dictionaries({name: relations(schema, 5, 5, VALUES) for name, schema in SCHEMAS.items()})

AGGREGATES = ("SUM(a)", "COUNT(*)", "MAX(b)", "COUNT(DISTINCT a)", "AVG(a)")
numbers = st.sampled_from(["0", "1", "2", "NULL", "-1", "1 + 1"])
texts = st.sampled_from(["'u'", "'v'", "NULL"])


@st.composite
def values(draw: st.DrawFn) -> str:
    rows = draw(st.lists(st.builds("({}, {})".format, numbers, texts), min_size=1, max_size=4))
    return f"VALUES {', '.join(rows)}"


@st.composite
def pivots(draw: st.DrawFn) -> str:
    source = draw(st.sampled_from(["R", "(SELECT q, a, b FROM R WHERE b > 0)", "(SELECT * FROM R) AS t"]))
    aggregates = draw(st.lists(st.sampled_from(AGGREGATES), min_size=1, max_size=2, unique=True))
    items = [f"{aggregate} AS f{place}" for place, aggregate in enumerate(aggregates)]
    field = draw(
        st.sampled_from(
            ["q IN ('u', 'v')", "q IN ('v' AS one, NULL AS none)", "q IN ('u')", "b IN (0, 1, 2)",
             "q IN ('u', 'v') a IN (0, 1)"]
        )
    )  # fmt: skip
    keys = "k" if "SELECT *" in source or source == "R" else "b"
    group = draw(st.sampled_from(["", f" GROUP BY {keys}"]))
    return f"SELECT * FROM {source} PIVOT ({', '.join(items)} FOR {field}{group})"


@st.composite
def unpivots(draw: st.DrawFn) -> str:
    columns = draw(st.sampled_from(["a, b", "a, b, k", "b", "a AS 'first', b AS 'second'"]))
    nulls = draw(st.sampled_from(["", " INCLUDE NULLS"]))
    return f"SELECT * FROM R UNPIVOT{nulls} (v FOR n IN ({columns}))"


leaves = st.one_of(
    st.just("SELECT k, q FROM R"),
    st.just("SELECT a, q FROM R WHERE b > 0"),
    st.just("SELECT * FROM S"),
    values(),
)


def _combined(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    words = st.sampled_from(
        ["UNION", "UNION ALL", "EXCEPT", "EXCEPT ALL", "INTERSECT", "INTERSECT ALL", "UNION DISTINCT"]
    )
    return st.one_of(
        st.builds("({}) {} ({})".format, inner, words, inner),
        st.builds("{} {} {}".format, inner, words, leaves),
    )


set_operations = st.recursive(leaves, _combined, max_leaves=5)
others = st.sampled_from(
    [
        "SELECT k, a FROM R UNION ALL BY NAME SELECT q, k FROM S",
        "SELECT k, q FROM S UNION BY NAME SELECT b, k FROM R",
        "SELECT r.k, v.n, v.x FROM R AS r, LATERAL (VALUES ('a', r.a), ('b', r.b + 1)) AS v(n, x)",
        "SELECT k FROM R WHERE (k, q) IN ((1, 'u'), (2, 'v'))",
        "SELECT k FROM R WHERE (k, q) NOT IN ((1, 'u'), (2, 'v'))",
        "SELECT k FROM R WHERE k IN (VALUES (1), (2))",
        "SELECT s.n, COUNT(a) FROM generate_series(0, 2) AS s(n) LEFT JOIN R ON R.k = s.n GROUP BY s.n",
        "WITH v(k, w) AS (VALUES (1, 'x'), (2, 'y'), (1, 'z')) SELECT a, w FROM R JOIN v ON R.k = v.k",
        "PIVOT R ON q IN ('u', 'v') USING SUM(a) GROUP BY k",
        "UNPIVOT R ON a, b INTO NAME n VALUE v",
        "SELECT (SELECT MAX(a) FROM R) AS m, (SELECT COUNT(*) FROM S) AS n",
    ]
)
queries = st.one_of(values(), pivots(), unpivots(), set_operations, others)


@trying(80)
@given(queries, data)
def test_every_snapshot_is_duckdbs_answer(text: str, data: dict[str, Changes]) -> None:
    check(SCHEMAS, text, data)


@trying(60)
@given(queries, data, cuts)
def test_the_kernels_are_the_reference_in_any_epochs(
    text: str, data: dict[str, Changes], at: list[int]
) -> None:
    plan = plan_over(SCHEMAS, text)
    assert Kernels().run(plan, data, at) == Histories(data).changes(plan), text


@trying(20)
@given(queries, data, cuts, partitions, st.booleans())
def test_partitions_do_not_change_the_answer(
    text: str, data: dict[str, Changes], at: list[int], count: int, forget: bool
) -> None:
    plan = optimized(plan_over(SCHEMAS, text))
    assert outcome(plan, data, at, [count] * 8, forget, SCHEMAS) == Histories(data).changes(plan), text


@trying(60)
@given(queries)
def test_a_printed_query_parses_to_the_same_tree(text: str) -> None:
    (tree,) = parse(Text("<query>", text))
    assert parse(Text("<query>", to_sql(tree))) == [tree]
