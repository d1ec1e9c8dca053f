"""Joins in the order of any statistics give the answer of the written order, at every instant."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import given, target
from hypothesis import strategies as st

from laws.effort import trying
from laws.test_rules_keep_the_meaning import UNTIL, some_inputs
from slackwater.algebra import Join, Operator, Product
from slackwater.base.span import Text
from slackwater.bind.catalog import Catalog
from slackwater.bind.program import bind
from slackwater.optimize import optimized, steps
from slackwater.optimize.cost.order import MOST
from slackwater.optimize.cost.statistics import SourceStatistics, Statistics
from slackwater.reference.history import Histories

SOURCES = 4
DECLARED = "".join(f"CREATE STREAM S{n} (a INT, b INT); " for n in range(SOURCES))
CONDITIONS = ("{}.{} = {}.{}", "{}.{} = {}.{}", "{}.{} < {}.{}", "{}.{} IS NOT DISTINCT FROM {}.{}",
              "{}.{} + 1 = {}.{}", "CAST(CAST({}.{} AS STRING) AS INT) = {}.{}")  # fmt: skip


@dataclass(frozen=True)
class Drawn:
    text: str
    statistics: Statistics
    seed: int


@st.composite
def joins(draw: st.DrawFn, most: int = 4) -> Drawn:
    """A join of some streams under some conditions, and statistics of all of them."""
    count = draw(st.integers(3, most))
    windows = [draw(st.sampled_from(["RANGE 1", "RANGE 4", "ROWS 2", "NOW"])) for _ in range(count)]
    sources = [f"S{draw(st.integers(0, SOURCES - 1))} [{windows[n]}] AS x{n}" for n in range(count)]
    conditions = []
    for n in range(1, count):
        for _ in range(draw(st.integers(0, 2))):
            other = draw(st.integers(0, n - 1))
            names = (f"x{other}", draw(st.sampled_from("ab")), f"x{n}", draw(st.sampled_from("ab")))
            conditions.append(draw(st.sampled_from(CONDITIONS)).format(*names))
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    columns = ", ".join(f"x{n}.a AS a{n}, x{n}.b AS b{n}" for n in range(count))
    numbers = st.floats(0.01, 1_000)
    known = {
        f"s{n}": SourceStatistics(rate=draw(numbers), distinct={"a": draw(numbers), "b": draw(numbers)})
        for n in range(SOURCES)
    }
    text = f"SELECT {columns} FROM {', '.join(sources)}{where}"
    return Drawn(text, Statistics(known), draw(st.integers(0, 1_000)))


def plan_of(text: str) -> Operator:
    return bind(Text("query", f"{DECLARED}{text};"), Catalog())[-1].plan


def is_ordered(plan: Operator, statistics: Statistics) -> bool:
    return any(step.rule == "order_joins" for step in steps(plan, statistics))


@trying(60)
@given(joins())
def test_any_order_gives_the_same_answer(drawn: Drawn) -> None:
    plan = plan_of(drawn.text)
    target(float(is_ordered(plan, drawn.statistics)))
    better = optimized(plan, drawn.statistics)
    assert better.schema == plan.schema
    data = some_inputs(plan, str(drawn.seed))
    assert Histories(data, UNTIL).changes(better) == Histories(data, UNTIL).changes(plan), drawn.text


def test_the_order_of_a_chain_changes_with_the_statistics() -> None:
    sources = "S0 [RANGE 4] AS x, S1 [RANGE 4] AS y, S2 [RANGE 4] AS z"
    text = f"SELECT x.a AS a FROM {sources} WHERE x.a = y.a AND y.b = z.b"
    rates = {"s0": 100.0, "s1": 10.0, "s2": 0.1}
    known = {name: SourceStatistics(rate, distinct={"a": 50, "b": 50}) for name, rate in rates.items()}
    plan = plan_of(text)
    assert is_ordered(plan, Statistics(known))
    assert not is_ordered(plan, Statistics({**known, "s0": SourceStatistics()}))
    reverse = {**known, "s0": known["s2"], "s2": known["s0"]}
    assert not is_ordered(plan, Statistics(reverse)), "the written order is best"


def test_many_streams_are_ordered_greedily_and_keep_all_conditions() -> None:
    count = MOST + 3
    sources = ", ".join(f"S{int(n < count - 1)} [RANGE 4] AS x{n}" for n in range(count))
    where = " AND ".join(f"x{n}.a = x{n + 1}.{'ab'[n % 2]}" for n in range(count - 1))
    plan = plan_of(f"SELECT x0.a AS a FROM {sources} WHERE {where}")
    rates = {"s0": 1e-4, "s1": 10.0}
    known = {name: SourceStatistics(rate, distinct={"a": 50, "b": 50}) for name, rate in rates.items()}
    better = optimized(plan, Statistics(known))
    assert is_ordered(plan, Statistics(known))
    inner = [node for node in better.walk() if isinstance(node, Join | Product)]
    assert len(inner) == count - 1
    data = some_inputs(plan, "many")
    assert Histories(data, UNTIL).changes(better) == Histories(data, UNTIL).changes(optimized(plan))
