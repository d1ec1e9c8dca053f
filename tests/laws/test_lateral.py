"""UNNEST and LATERAL: the reference against DuckDB, the engines against the reference."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from laws.by_duckdb import check, plan_over
from laws.effort import trying
from laws.relational import relations
from laws.test_kernels_are_the_reference import cuts
from laws.test_workers_are_the_driver import outcome, partitions
from slackwater.algebra import Operator, Schema
from slackwater.algebra.types import INT, STRING, array
from slackwater.base.span import Text
from slackwater.engines.engine import Kernels
from slackwater.language.cql import parse, to_sql
from slackwater.optimize import optimized, steps
from slackwater.reference.bags import Changes
from slackwater.reference.history import Histories

SCHEMAS = {
    "R": Schema.of(k=INT, a=array(INT), b=array(STRING)),
    "S": Schema.of(k=INT, v=INT),
}
keys = st.sampled_from([0, 1, 2, None])
VALUES = {
    INT: keys,
    array(INT): st.one_of(st.none(), st.lists(st.sampled_from([1, 2, None]), max_size=3).map(tuple)),
    array(STRING): st.one_of(st.none(), st.lists(st.sampled_from(["u", "v", None]), max_size=3).map(tuple)),
}
data = st.fixed_dictionaries(
    {name: relations(schema, 4, 5, VALUES) for name, schema in SCHEMAS.items()}  # type: ignore[arg-type]
)

ITEMS = (
    ", UNNEST(R.a) AS u(x)",
    " CROSS JOIN UNNEST(R.a) WITH ORDINALITY AS u(x, n)",
    " JOIN UNNEST(R.b) WITH ORDINALITY AS u(y, n) ON n > R.k",
    " LEFT JOIN UNNEST(R.a) AS u(x) ON TRUE",
    ", UNNEST(R.a) AS u(x), UNNEST(R.b) AS w(y)",
    ", UNNEST(R.a, R.b) AS u(x, y)",
    " LEFT JOIN UNNEST(R.b, R.a) AS u(y, x) ON TRUE",
    ", LATERAL (SELECT S.v AS x FROM S WHERE S.k = R.k) AS u",
    ", LATERAL (SELECT COUNT(*) AS x, MAX(S.v) AS y FROM S WHERE S.k >= R.k) AS u",
    " LEFT JOIN LATERAL (SELECT S.v AS x FROM S WHERE S.k = R.k) AS u ON TRUE",
    " LEFT JOIN LATERAL (SELECT S.v AS x FROM S WHERE S.k = R.k OR S.v IS NULL) AS u ON u.x <> R.k",
    ", LATERAL (SELECT x + S.v AS x FROM S, UNNEST(R.a) AS i(x) WHERE i.x <= S.v) AS u",
    ", LATERAL (SELECT DISTINCT S.v AS x FROM S WHERE S.v = R.k) AS u JOIN S AS o ON o.k = u.x",
    ", LATERAL (SELECT x FROM UNNEST(R.a) AS i(x),"
    " LATERAL (SELECT v FROM S WHERE S.v = i.x AND S.k = R.k) AS j) AS u",
)
CONDITIONS = ("", " WHERE R.k > 0", " WHERE R.k IS NOT NULL AND R.k < 2")
OVER = ("{}", "{}", "SELECT DISTINCT * FROM ({}) AS o", "SELECT COUNT(*) AS n FROM ({}) AS o")


@st.composite
def queries(draw: st.DrawFn, items: Sequence[str] = ITEMS) -> str:
    item = draw(st.sampled_from(items))
    columns = "u.x, w.y" if "w(" in item else "u.*"
    text = f"SELECT R.k AS k0, {columns} FROM R{item}{draw(st.sampled_from(CONDITIONS))}"
    return draw(st.sampled_from(OVER)).format(text)


DUCKDBS = [item for item in ITEMS if "UNNEST(R.a, R.b)" not in item and "UNNEST(R.b, R.a)" not in item]
"""DuckDB has no arrays side by side in FROM."""


def plan_of(text: str) -> Operator:
    return plan_over(SCHEMAS, text)


@trying(60)
@given(queries(DUCKDBS), data)
def test_every_snapshot_is_duckdbs_answer(text: str, data: dict[str, Changes]) -> None:
    check(SCHEMAS, text, data)


@trying(60)
@given(queries(), data)
def test_every_step_of_the_optimizer_keeps_the_answer(text: str, data: dict[str, Changes]) -> None:
    plan = plan_of(text)
    expected = Histories(data).changes(plan)
    for step in steps(plan):
        assert Histories(data).changes(step.plan) == expected, f"{step.rule}: {text}"


@trying(80)
@given(queries(), data, cuts)
def test_the_kernels_are_the_reference_in_any_epochs(
    text: str, data: dict[str, Changes], at: list[int]
) -> None:
    plan = plan_of(text)
    assert Kernels().run(plan, data, at) == Histories(data).changes(plan), text


@trying(25)
@given(queries(), data, cuts, partitions, st.booleans())
def test_partitions_do_not_change_the_answer(
    text: str, data: dict[str, Changes], at: list[int], count: int, forget: bool
) -> None:
    plan = optimized(plan_of(text))
    assert outcome(plan, data, at, [count] * 8, forget, SCHEMAS) == Histories(data).changes(plan), text


@trying(40)
@given(queries())
def test_a_printed_query_parses_to_the_same_tree(text: str) -> None:
    (tree,) = parse(Text("<query>", text))
    assert parse(Text("<query>", to_sql(tree))) == [tree]
