"""Table functions of users: those that equal UNNEST have its answers, in the reference and in the engines."""

from __future__ import annotations

import json
from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from laws.effort import trying
from laws.test_kernels_are_the_reference import cuts
from laws.test_lateral import CONDITIONS, OVER, SCHEMAS, data
from laws.test_workers_are_the_driver import outcome, partitions
from slackwater.algebra import Kind, Operator
from slackwater.algebra import types as t
from slackwater.algebra.users.functions import ROWS, TABLE, UserFunction
from slackwater.base.span import Text
from slackwater.bind.catalog import Catalog
from slackwater.bind.program import bind_query
from slackwater.engines.engine import Kernels
from slackwater.language.cql import parse, to_sql
from slackwater.optimize import optimized, steps
from slackwater.physical.description import described, graph_of
from slackwater.physical.lower import lowered
from slackwater.reference.bags import Changes
from slackwater.reference.history import Histories

PAIR = t.array(t.struct(x=t.INT, y=t.STRING))


def items(a: list[int]) -> Iterator[int]:
    yield from a


def paired(a: list[int] | None, b: list[str] | None) -> list[dict[str, object]]:
    xs, ys = a or [], b or []
    longest = max(len(xs), len(ys))
    return [{"x": x, "y": y} for x, y in zip(filled(xs, longest), filled(ys, longest), strict=True)]


def filled(values: list[object], size: int) -> list[object]:
    return [*values, *[None] * (size - len(values))]


FUNCTIONS = (
    UserFunction(
        "items", f"{__name__}:items", ROWS, t.array(t.struct(x=t.INT)), (t.array(t.INT),), True, form=TABLE
    ),
    UserFunction("paired", f"{__name__}:paired", ROWS, PAIR, None, form=TABLE),
)
ITEMS = {
    ", items(R.a) AS u": ", UNNEST(R.a) AS u(x)",
    " CROSS JOIN LATERAL items(R.a) WITH ORDINALITY AS u(x, n)":
        " CROSS JOIN UNNEST(R.a) WITH ORDINALITY AS u(x, n)",
    " LEFT JOIN items(R.a) AS u ON TRUE": " LEFT JOIN UNNEST(R.a) AS u(x) ON TRUE",
    " LEFT JOIN items(R.a) AS u ON u.x > R.k": " LEFT JOIN UNNEST(R.a) AS u(x) ON u.x > R.k",
    ", TABLE(paired(R.a, R.b)) AS u": ", UNNEST(R.a, R.b) AS u(x, y)",
    " LEFT JOIN LATERAL paired(R.a, R.b) AS u(x, y) ON TRUE":
        " LEFT JOIN UNNEST(R.a, R.b) AS u(x, y) ON TRUE",
    ", LATERAL (SELECT i.x + S.v AS x FROM S, items(R.a) AS i WHERE i.x <= S.v) AS u":
        ", LATERAL (SELECT i.x + S.v AS x FROM S, UNNEST(R.a) AS i(x) WHERE i.x <= S.v) AS u",
}  # fmt: skip
"""Each with what it equals."""
queries = st.tuples(st.sampled_from(sorted(ITEMS)), st.sampled_from(CONDITIONS), st.sampled_from(OVER))


def text_of(item: str, condition: str, over: str) -> str:
    return over.format(f"SELECT R.k AS k0, u.* FROM R{item}{condition}")


def plan_of(text: str) -> Operator:
    catalog = Catalog()
    for name, schema in SCHEMAS.items():
        catalog.relation(name, schema)
    catalog.functions |= {function.name: function for function in FUNCTIONS}
    return bind_query(Text("<query>", text), catalog, Kind.RELATION).plan


@trying(60)
@given(queries, data)
def test_a_function_that_equals_unnest_has_its_rows(
    query: tuple[str, str, str], data: dict[str, Changes]
) -> None:
    item, *rest = query
    expected = Histories(data).changes(plan_of(text_of(ITEMS[item], *rest)))
    assert Histories(data).changes(plan_of(text_of(*query))) == expected, query


@trying(60)
@given(queries, data, cuts)
def test_the_kernels_are_the_reference_in_any_epochs(
    query: tuple[str, str, str], data: dict[str, Changes], at: list[int]
) -> None:
    plan = plan_of(text_of(*query))
    assert Kernels().run(optimized(plan), data, at) == Histories(data).changes(plan), query


@trying(30)
@given(queries, data)
def test_every_step_of_the_optimizer_keeps_the_answer(
    query: tuple[str, str, str], data: dict[str, Changes]
) -> None:
    plan = plan_of(text_of(*query))
    expected = Histories(data).changes(plan)
    for step in steps(plan):
        assert Histories(data).changes(step.plan) == expected, f"{step.rule}: {query}"


@trying(20)
@given(queries, data, cuts, partitions, st.booleans())
def test_partitions_do_not_change_the_answer(
    query: tuple[str, str, str], data: dict[str, Changes], at: list[int], count: int, forget: bool
) -> None:
    plan = optimized(plan_of(text_of(*query)))
    assert outcome(plan, data, at, [count] * 8, forget, SCHEMAS) == Histories(data).changes(plan), query


@trying(30)
@given(queries)
def test_it_is_printed_and_described_as_it_is(query: tuple[str, str, str]) -> None:
    (tree,) = parse(Text("<query>", text_of(*query)))
    assert parse(Text("<query>", to_sql(tree))) == [tree]
    graph = lowered({"answer": optimized(plan_of(text_of(*query)))})
    assert graph_of(json.loads(json.dumps(described(graph), allow_nan=False))) == graph
