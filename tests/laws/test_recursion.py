"""WITH RECURSIVE: the reference against DuckDB, the engines against the reference."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from laws.by_duckdb import check, plan_over
from laws.effort import trying
from laws.relational import relations
from laws.test_kernels_are_the_reference import cuts
from laws.test_workers_are_the_driver import many_cuts, outcome
from slackwater.algebra import Operator, Schema
from slackwater.algebra.types import INT
from slackwater.base.span import Text
from slackwater.engines.engine import Kernels
from slackwater.language.cql import parse, to_sql
from slackwater.optimize import optimized, steps
from slackwater.physical.description import described, graph_of
from slackwater.physical.lower import lowered
from slackwater.reference.bags import Changes, record
from slackwater.reference.history import Histories

SCHEMAS = {"E": Schema.of(a=INT, b=INT), "S": Schema.of(a=INT, b=INT)}
VALUES = {INT: st.sampled_from([0, 1, 2, 3, None])}
changing = st.fixed_dictionaries({name: relations(schema, 5, 6, VALUES) for name, schema in SCHEMAS.items()})


@st.composite
def growing(draw: st.DrawFn) -> dict[str, Changes]:
    """Rows that only come: a recursion goes on from what it has."""
    data: dict[str, Changes] = {}
    rows = st.tuples(st.integers(0, 6), st.tuples(VALUES[INT], VALUES[INT]))
    for name in SCHEMAS:
        data[name] = {}
        for at, row in draw(st.lists(rows, max_size=6)):
            record(data[name], at, row, 1)
    return data


inputs = st.one_of(changing, growing())

QUERIES = (
    "WITH RECURSIVE r(a, b) AS (SELECT a, b FROM E UNION SELECT r.a, E.b FROM r JOIN E ON r.b = "
    "E.a) SELECT * FROM r",
    "WITH RECURSIVE r AS (SELECT a FROM S UNION SELECT E.b FROM r, E WHERE E.a = r.a AND E.b <> 3) "
    "SELECT * FROM r",
    "WITH RECURSIVE r(n, d) AS (SELECT a, 0 FROM S UNION ALL SELECT E.b, d + 1 FROM r JOIN E ON E.a "
    "= r.n WHERE d < 3) "
    "SELECT d, COUNT(*) AS c FROM r GROUP BY d",
    "WITH RECURSIVE r(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM r WHERE n < (SELECT COUNT(*) FROM "
    "S)) SELECT n FROM r",
    "WITH RECURSIVE r(x) AS (SELECT a FROM S UNION SELECT b FROM (SELECT DISTINCT E.b FROM r JOIN E "
    "ON E.a = r.x) AS q "
    "WHERE b NOT IN (SELECT a FROM S WHERE a IS NOT NULL)) SELECT x FROM r WHERE x > 0",
    "WITH RECURSIVE r(x, y) AS (SELECT a, b FROM E UNION SELECT r.x, E.b FROM r LEFT JOIN E ON E.a "
    "= r.y) SELECT x FROM r",
    "WITH RECURSIVE r(x) AS (SELECT a FROM S UNION SELECT r.x + 1 FROM r WHERE r.x < 4), "
    "q(x) AS (SELECT x FROM r UNION SELECT E.b FROM q JOIN E ON E.a = q.x) SELECT q.x, r.x AS y "
    "FROM q JOIN r ON r.x = q.x",
    "WITH RECURSIVE r(x) AS (SELECT a FROM S EXCEPT SELECT b FROM S UNION "
    "(SELECT E.b FROM r JOIN E ON E.a = r.x EXCEPT SELECT a FROM S)) SELECT x FROM r",
)
TWICE = (
    "WITH RECURSIVE r(a, b) AS (SELECT a, b FROM E UNION SELECT x.a, y.b FROM r AS x JOIN r AS y ON "
    "x.b = y.a) "
    "SELECT * FROM r"
)
LINEAR = QUERIES[0]


def plan_of(text: str) -> Operator:
    return plan_over(SCHEMAS, text)


queries = st.sampled_from(QUERIES)


@trying(60)
@given(queries, inputs)
def test_every_snapshot_is_duckdbs_answer(text: str, data: dict[str, Changes]) -> None:
    check(SCHEMAS, text, data)


@trying(40)
@given(inputs)
def test_what_reads_itself_twice_is_what_reads_itself_once(data: dict[str, Changes]) -> None:
    assert Histories(data).changes(plan_of(TWICE)) == Histories(data).changes(plan_of(LINEAR))


@trying(40)
@given(st.sampled_from((*QUERIES, TWICE)), inputs)
def test_every_step_of_the_optimizer_keeps_the_answer(text: str, data: dict[str, Changes]) -> None:
    plan = plan_of(text)
    expected = Histories(data).changes(plan)
    for step in steps(plan):
        assert Histories(data).changes(step.plan) == expected, f"{step.rule}: {text}"


@trying(60)
@given(st.sampled_from((*QUERIES, TWICE)), inputs, cuts)
def test_the_kernels_are_the_reference_in_any_epochs(
    text: str, data: dict[str, Changes], at: list[int]
) -> None:
    plan = plan_of(text)
    assert Kernels().run(plan, data, at) == Histories(data).changes(plan), text


@trying(20)
@given(queries, inputs, many_cuts, st.lists(st.integers(0, 3), min_size=8, max_size=8))
def test_driver_and_workers_resume_from_each_other(
    text: str, data: dict[str, Changes], at: list[int], places: list[int]
) -> None:
    plan = optimized(plan_of(text))
    assert outcome(plan, data, at, places, False, SCHEMAS) == Histories(data).changes(plan), text


def test_a_checkpoint_describes_recursions() -> None:
    for text in QUERIES:
        graph = lowered({"answer": optimized(plan_of(text))})
        assert graph_of(json.loads(json.dumps(described(graph), allow_nan=False))) == graph, text


def test_a_printed_recursion_parses_to_the_same_tree() -> None:
    for text in QUERIES:
        (tree,) = parse(Text("<query>", text))
        assert parse(Text("<query>", to_sql(tree))) == [tree]
