"""Aggregates of users: those that equal SQL's have their answers, in the reference and in the engines."""

from __future__ import annotations

import json
import math
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from laws.effort import trying
from laws.relational import WINDOWS, catalog, inputs, relations
from laws.test_kernels_are_the_reference import cuts, ran
from laws.test_what_is_alive_is_in_the_state import holds_what_is_alive
from laws.test_workers_are_the_driver import Places, many_cuts, moving, outcome, partitions
from slackwater.algebra import Kind, Operator
from slackwater.algebra import types as t
from slackwater.algebra.schema import Schema
from slackwater.algebra.users.functions import AGGREGATE, POLARS, ROWS, UserFunction
from slackwater.algebra.values import NAN
from slackwater.base.span import Text
from slackwater.bind.catalog import Catalog
from slackwater.bind.program import bind_query
from slackwater.engines.engine import Kernels
from slackwater.optimize import optimized, steps
from slackwater.optimize.sharing import shared
from slackwater.physical.description import described, graph_of
from slackwater.physical.lower import lowered
from slackwater.reference.bags import Changes
from slackwater.reference.history import Histories


class Sum:
    """SUM; of no rows NULL."""

    def __init__(self) -> None:
        self.total = self.count = 0

    def add(self, x: int) -> None:
        self.total, self.count = self.total + x, self.count + 1

    def finish(self) -> int | None:
        return self.total if self.count else None


class Running(Sum):
    def retract(self, x: int) -> None:
        self.total, self.count = self.total - x, self.count - 1


class Mean(Running):
    def finish(self) -> float | None:  # type: ignore[override]
        return self.total / self.count if self.count else None


class Greatest:
    """MAX, with NULLs passed."""

    def __init__(self) -> None:
        self.values: list[int] = []

    def add(self, x: int | None) -> None:
        if x is not None:
            self.values.append(x)

    def finish(self) -> int | None:
        return max(self.values, default=None)


class Retracting(Greatest):
    def retract(self, x: int | None) -> None:
        if x is not None:
            self.values.remove(x)


class Shown:
    """The rows as Python shows them, in the order in which they are added."""

    def __init__(self) -> None:
        self.rows: list[str] = []

    def add(self, *row: object) -> None:
        self.rows.append(repr(row))

    def finish(self) -> str:
        return "; ".join(self.rows)


class Sorted(Shown):
    """The same in the order of their texts."""

    def retract(self, *row: object) -> None:
        self.rows.remove(repr(row))

    def finish(self) -> str:
        return "; ".join(sorted(self.rows))


def column_sum(column: pl.Series) -> int | None:
    return column.sum() if len(column) else None


def user(name: str, kind: str = ROWS, result: t.Type = t.BIGINT, strict: bool = True) -> UserFunction:
    path, takes = f"{__name__}:{name}", (t.INT,)
    return UserFunction(f"u_{name}", path, kind, result, takes, strict, form=AGGREGATE)


FUNCTIONS = {
    user("Sum"): "SUM",
    user("Running"): "SUM",
    user("Mean", result=t.DOUBLE): "AVG",
    user("Greatest", result=t.INT, strict=False): "MAX",
    user("Retracting", result=t.INT, strict=False): "MAX",
    user("column_sum", POLARS): "SUM",
}
"""Each with the aggregate of SQL that it equals."""
TEXTS = (
    "SELECT a AS k, {f}(b) AS v FROM S [{w}] GROUP BY a",
    "SELECT {f}(b) AS v, COUNT(*) AS n FROM S [{w}]",
    "SELECT a AS k, {f}(DISTINCT b) AS v, {f}(b) AS w FROM S [{w}] GROUP BY a",
    "SELECT c AS k, {f}(b) FILTER (WHERE a > 0) AS v FROM S [{w}] GROUP BY c",
    "SELECT a AS k, {f}(b) + 1 AS v FROM R GROUP BY a HAVING {f}(b) > 0",
    "SELECT {f}(CAST(a + b AS INT)) AS v FROM R WHERE c <> 'a'",
    "SELECT a AS k, b AS v, {f}(b) OVER (PARTITION BY a ORDER BY b, c ROWS 1 PRECEDING) AS w FROM S [{w}]",
    "SELECT a AS k, {f}(DISTINCT b) OVER (PARTITION BY a) AS v FROM R",
    "SELECT s.a AS k, (SELECT {f}(r.b) FROM R AS r WHERE r.a = s.a) AS v FROM S [{w}] AS s",
    "SELECT s.a AS k, q.v FROM S [{w}] AS s, LATERAL (SELECT {f}(r.b) AS v FROM R AS r WHERE r.a < s.a) AS q",
    "SELECT a AS k, c AS l, {f}(b) AS v FROM S [{w}] GROUP BY ROLLUP (a, c)",
    "SELECT {f}(v) AS v FROM (SELECT a, CAST({f}(b) AS INT) AS v FROM R GROUP BY a) AS q",
)
VALUES: dict[t.Type, list[Any]] = {
    t.DOUBLE: [NAN, 0.0, None, 1.5, math.inf],
    t.decimal(10, 2): [Decimal("1.10"), Decimal("-3.00"), None],
    t.STRING: ["a", "", None, "é"],
    t.BINARY: [b"\0", b"", None],
    t.TIMESTAMP: [datetime(1970, 1, 1, 0, 0, 0, 5), None, datetime(2020, 1, 1)],
    t.DATE: [date(2020, 1, 1), None, date(1969, 7, 20)],
    t.BOOLEAN: [True, False, None],
    t.array(t.INT): [(1, 2), (), None, (None, 1)],
    t.struct(x=t.INT, y=t.array(t.DOUBLE)): [(1, (1.0,)), (None, None), None],
}
functions = st.sampled_from(sorted(FUNCTIONS, key=lambda function: function.name))
texts = st.tuples(st.sampled_from(TEXTS), st.sampled_from(WINDOWS)).map(lambda p: p[0].replace("{w}", p[1]))


def plan_of(text: str, name: str) -> Operator:
    known = catalog()
    known.functions |= {function.name.lower(): function for function in FUNCTIONS}
    return bind_query(Text("<query>", text.replace("{f}", name)), known, Kind.RELATION).plan


@trying(100)
@given(texts, functions, inputs)
def test_an_aggregate_that_equals_one_of_sql_has_its_answer(
    text: str, function: UserFunction, data: dict[str, Changes]
) -> None:
    expected = Histories(data).changes(plan_of(text, FUNCTIONS[function]))
    assert Histories(data).changes(plan_of(text, function.name)) == expected, text


@trying(60)
@given(texts, functions, inputs)
def test_every_step_of_the_optimizer_keeps_the_answer(
    text: str, function: UserFunction, data: dict[str, Changes]
) -> None:
    plan = plan_of(text, function.name)
    expected = Histories(data).changes(plan)
    for step in steps(plan):
        assert Histories(data).changes(step.plan) == expected, f"{step.rule}: {text}"


@trying(150)
@given(texts, functions, inputs, cuts)
def test_the_kernels_are_the_reference_in_any_epochs(
    text: str, function: UserFunction, data: dict[str, Changes], at: list[int]
) -> None:
    plan = plan_of(text, function.name)
    assert ran(optimized(plan), data, at) == Histories(data).changes(plan), text


@pytest.mark.parametrize("name", ["Shown", "Sorted"])
@pytest.mark.parametrize("type_", VALUES, ids=str)
@trying(10)
@given(st.data(), cuts)
def test_rows_of_every_type_are_passed_in_their_order(
    type_: t.Type, name: str, draw: st.DataObject, at: list[int]
) -> None:
    known, path = Catalog(), f"{__name__}:{name}"
    known.relation("R", Schema.of(k=t.INT, x=type_))
    known.functions["shown"] = UserFunction("shown", path, ROWS, t.STRING, form=AGGREGATE)
    schema = {t.INT: st.sampled_from([0, 1, None]), type_: st.sampled_from(VALUES[type_])}
    data = {"R": draw.draw(relations(Schema.of(k=t.INT, x=type_), 4, 5, schema))}
    for text in (
        "SELECT k, shown(x) AS v FROM R GROUP BY k",
        "SELECT shown(x, k) AS v, shown(DISTINCT x) AS w FROM R",
    ):
        plan = bind_query(Text("<query>", text), known, Kind.RELATION).plan
        assert Kernels().run(optimized(plan), data, at) == Histories(data).changes(plan), text


@trying(25)
@given(texts, functions, inputs, cuts, partitions, st.booleans())
def test_partitions_do_not_change_the_answer(
    text: str, function: UserFunction, data: dict[str, Changes], at: list[int], count: int, forget: bool
) -> None:
    plan = optimized(plan_of(text, function.name))
    driver = outcome(plan, data, at, [0] * 8, False)
    assert outcome(plan, data, at, [count] * 8, forget) == driver, text


@trying(20)
@given(texts, functions, inputs, many_cuts, moving())
def test_driver_and_workers_resume_from_each_other(
    text: str, function: UserFunction, data: dict[str, Changes], at: list[int], places: Places
) -> None:
    plan = optimized(plan_of(text, function.name))
    assert outcome(plan, data, at, places, False) == outcome(plan, data, at, [0] * 8, False), text


@trying(30)
@given(texts, functions, inputs, cuts.filter(bool))
def test_what_is_alive_is_in_the_state(
    text: str, function: UserFunction, data: dict[str, Changes], at: list[int]
) -> None:
    holds_what_is_alive(lowered({"answer": optimized(plan_of(text, function.name))}), data, at)


@trying(30)
@given(st.lists(st.tuples(texts, functions), min_size=2, max_size=3), inputs)
def test_queries_that_share_keep_their_answers(
    several: list[tuple[str, UserFunction]], data: dict[str, Changes]
) -> None:
    plans = {f"q{at}": optimized(plan_of(text, one.name)) for at, (text, one) in enumerate(several)}
    together: dict[str, Any] = shared(plans).plans
    for name, plan in plans.items():
        assert Histories(data).changes(together[name]) == Histories(data).changes(plan), several


@trying(40)
@given(texts, functions)
def test_a_checkpoint_describes_it(text: str, function: UserFunction) -> None:
    graph = lowered({"answer": optimized(plan_of(text, function.name))})
    again = graph_of(json.loads(json.dumps(described(graph), allow_nan=False)))
    assert again == graph, text
