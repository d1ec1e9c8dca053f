"""The cost model: an estimate for every operator, by its formula, and near what kernels do."""

from __future__ import annotations

import math
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.estimates import QUERIES, comparisons, orders
from laws.relational import Generated, catalog, queries
from slackwater.algebra import OPERATORS, Kind, Operator, Schema, Stream
from slackwater.algebra.operator import Unary
from slackwater.algebra.types import INT, STRING
from slackwater.base.span import Text
from slackwater.base.time import CALENDAR, SECONDS
from slackwater.bind.catalog import Catalog
from slackwater.bind.program import bind, bind_query
from slackwater.bind.statistics import rate_of, statistics_of
from slackwater.optimize import optimized
from slackwater.optimize.cost.estimate import Estimator, estimate
from slackwater.optimize.cost.estimates import Estimate, combinations, occupied
from slackwater.optimize.cost.order import graph_of
from slackwater.optimize.cost.statistics import (
    DISTINCT,
    HORIZON,
    RATE,
    SourceStatistics,
    Statistics,
    width_of,
)

DECLARED = """
SET CHRONON 1 SECOND;
CREATE STREAM S (a INT, b STRING) WITH (rate = '10 per second', distinct_values = 'a 50');
CREATE STREAM T (a INT, c INT) WITH (rate = '60 per minute', distinct_values = 'A 200, c 4', row_bytes = 30);
CREATE RELATION R (a INT, r INT) KEY (a) WITH (row_count = 500, rate = '1 per second');
CREATE STREAM U (a INT);
"""


def declared() -> tuple[Catalog, Statistics]:
    known = Catalog()
    bind(Text("program", DECLARED), known)
    return known, statistics_of(known.sources, known.clock)


def estimated(query: str) -> Estimate:
    known, statistics = declared()
    kind = None if "STREAM(" in query else Kind.RELATION
    return Estimator(statistics).estimate(optimized(bind_query(Text("query", query), known, kind).plan))


@pytest.mark.parametrize("operator", OPERATORS)
def test_every_operator_has_a_formula(operator: type[Operator]) -> None:
    assert estimate.dispatch(operator) is not estimate.dispatch(Operator)


@dataclass(frozen=True, slots=True)
class Delayed(Unary):
    """⟦d R⟧(t) = R(t - 1)"""

    @property
    def kind(self) -> Kind:
        return Kind.RELATION


def test_an_operator_without_a_formula_passes_on_what_it_gets() -> None:
    source = Stream("S", Schema.of(a=INT))
    one = Estimator(Statistics({"s": SourceStatistics(rate=7)})).estimate(Delayed(source))
    assert (one.rate, one.alive, one.work) == (7, 7, 14)
    assert one.distinct == {"a": DISTINCT}


@pytest.mark.parametrize(
    ("query", "rate", "alive"),
    [
        ("SELECT a FROM S [RANGE 59 SECONDS]", 10, 600),
        ("SELECT a FROM S [NOW]", 10, 10),
        ("SELECT a FROM S [SLIDING 60 SECONDS]", 10, 600),
        ("SELECT a FROM S [FIXED 59 SECONDS]", 10, 300),
        ("SELECT a FROM S [ROWS 5]", 10, 5),
        ("SELECT a FROM S [PARTITION BY a ROWS 2]", 10, 100),
        ("SELECT a FROM S", 10, 10 * HORIZON),
        ("SELECT a FROM S [RANGE 59 SECONDS] WHERE a = 3", 10 / 50, 12),
        ("SELECT a FROM S [RANGE 59 SECONDS] WHERE a > 3", 10 / 3, 200),
        ("SELECT a FROM S [RANGE 59 SECONDS] WHERE a IN (1, 2)", 10 / 25, 24),
        ("SELECT a FROM S [RANGE 59 SECONDS] WHERE NOT a = 3", 10 * 49 / 50, 588),
        ("SELECT S.a FROM S [RANGE 59 SECONDS], T [RANGE 59 SECONDS] WHERE S.a = T.a", 6, 180),
        ("SELECT S.a FROM S [RANGE 59 SECONDS], R WHERE S.a = R.a",
         (10 * 500 + (1 + 500 / HORIZON) * 600) / 500, 600),
        ("SELECT S.a FROM S [RANGE 59 SECONDS], T [RANGE 59 SECONDS]", 10 * 60 + 600, 36_000),
        ("SELECT a FROM S [RANGE 59 SECONDS] UNION ALL SELECT a FROM T [RANGE 59 SECONDS]", 11, 660),
        ("SELECT COUNT(*) AS n FROM S [RANGE 59 SECONDS]", 1, 1),
        ("SELECT ISTREAM(a) FROM S [RANGE 59 SECONDS]", 10, 10),
        ("SELECT DSTREAM(a) FROM S [RANGE 59 SECONDS]", 10, 10),
        ("SELECT RSTREAM(a) FROM S [RANGE 59 SECONDS]", 600, 600),
        ("SELECT 1 AS one", 1 / HORIZON, 1),
        ("SELECT a FROM U [NOW]", RATE, RATE),
    ],
)  # fmt: skip
def test_rates_and_rows_alive_are_those_of_the_formulas(query: str, rate: float, alive: float) -> None:
    one = estimated(query)
    assert (one.rate, one.alive) == (pytest.approx(rate), pytest.approx(alive))


def test_an_estimate_says_whether_it_rests_on_defaults() -> None:
    assert not estimated("SELECT S.a FROM S [NOW], R WHERE S.a = R.a").is_default
    assert estimated("SELECT S.a FROM S [NOW], U [NOW] WHERE S.a = U.a").is_default


def test_ends_that_elements_carry_are_no_retractions_and_those_of_rows_are() -> None:
    ranged, newest = estimated("SELECT a FROM S [RANGE 59 SECONDS]"), estimated("SELECT a FROM S [ROWS 5]")
    assert (ranged.ends, ranged.retracted) == (10, 0)
    assert (newest.ends, newest.retracted) == (10, 10)
    assert estimated("SELECT a FROM S").ends == 0


def test_a_join_by_equal_columns_is_less_work_than_one_that_compares_all_pairs() -> None:
    windows = "S [RANGE 59 SECONDS], T [RANGE 59 SECONDS]"
    assert estimated(f"SELECT S.a FROM {windows} WHERE S.a = T.a").work < 100
    known, statistics = declared()
    estimator = Estimator(statistics)
    pairs = optimized(bind(Text("query", f"SELECT S.a FROM {windows} WHERE S.a < T.a;"), known)[-1].plan)
    assert estimator.cost(pairs) > 1_000


def test_the_nearest_are_less_work_than_all_candidates() -> None:
    join = "SELECT S.a FROM S [RANGE 59 SECONDS] LEFT OUTER BESTMATCH JOIN T [RANGE 1 HOUR] ON"
    known, statistics = declared()
    nearest, in_bands, all_candidates = (
        Estimator(statistics).cost(bind(Text("query", f"{join} {on};"), known)[-1].plan)
        for on in (
            "(ABS(S.a - T.a)) MIN 1000",
            "(ABS(S.a - T.a)) MIN 1000, (ABS(S.a - T.c)) MIN",
            "(ABS(S.a - T.a)) MIN 1000, (T.c) MAX",
        )
    )
    assert nearest < in_bands < all_candidates


def test_a_stream_of_timestamps_without_a_rate_has_a_row_a_second() -> None:
    assert statistics_of([], CALENDAR).rate == pytest.approx(1e-6)
    assert statistics_of([], SECONDS).rate == RATE


@given(queries())
def test_every_estimate_is_finite_and_not_negative(query: Generated) -> None:
    plan = bind_query(Text("<query>", query.cql), catalog(), Kind.RELATION).plan
    estimator = Estimator(Statistics())
    for node in optimized(plan).walk():
        one = estimator.estimate(node)
        numbers = (one.rate, one.ends, one.retracted, one.alive, one.width, one.work, one.state, one.moved)
        assert all(math.isfinite(number) and number >= 0 for number in numbers), node
        assert one.retracted <= one.ends + 1e-6 * one.ends, node
        assert set(one.distinct) == set(node.schema.names), node


@given(st.floats(1, 1e9), st.floats(0, 1e9))
def test_no_more_values_occur_than_there_are_or_than_are_drawn(values: float, draws: float) -> None:
    assert 0 <= occupied(values, draws) <= min(values, draws) * (1 + 1e-6) + 1e-9
    assert combinations([values, values]) >= values


def test_the_estimates_are_near_what_kernels_measure() -> None:
    """A ratio of 1 is exact."""
    ratios = list(comparisons(list(QUERIES)))
    assert len(ratios) > 80
    assert [one for one in ratios if not 0.75 < one.ratio < 1.35] == []


def test_the_order_of_less_cost_keeps_less_state() -> None:
    by_text, by_cost = orders(share=0.1)
    assert by_cost.cost < 0.5 * by_text.cost
    assert by_cost.state < 0.7 * by_text.state


def test_options_of_sources_are_statistics() -> None:
    _, statistics = declared()
    assert statistics.sources == {
        "s": SourceStatistics(10, None, {"a": 50}),
        "t": SourceStatistics(1, None, {"a": 200, "c": 4}, 30),
        "r": SourceStatistics(1, 500),
    }


def test_a_rate_is_per_a_length_of_time_or_per_chronon() -> None:
    assert rate_of("1000 per second", CALENDAR) == 0.001
    assert rate_of("5 per 10 minutes", SECONDS) == pytest.approx(5 / 600)
    assert (rate_of("7", SECONDS), rate_of("8 per 4", SECONDS)) == (7, 2)


def test_newer_statistics_replace_older_ones_where_they_say_something() -> None:
    older = Statistics({"s": SourceStatistics(10, None, {"a": 5})}, {"p": 0.1})
    newer = Statistics({"s": SourceStatistics(20), "t": SourceStatistics(1)})
    both = older.updated(newer)
    assert both.sources == {"s": SourceStatistics(20, None, {"a": 5}), "t": SourceStatistics(1)}
    assert both.selectivities == {"p": 0.1}


def test_a_selectivity_that_is_declared_replaces_the_guess() -> None:
    known, statistics = declared()
    plan = optimized(bind(Text("query", "SELECT a FROM S [NOW] WHERE a > 3;"), known)[-1].plan)
    told_less = statistics.updated(Statistics(selectivities={"a > 3": 0.01}))
    assert Estimator(told_less).estimate(plan).rate == pytest.approx(0.1)


def test_a_row_has_the_bytes_of_its_types_and_of_its_times() -> None:
    assert width_of(Schema.of(a=INT, b=STRING)) == 24 + 4 + 24


def test_columns_that_are_equal_to_one_column_are_equal_to_each_other() -> None:
    known, _ = declared()
    text = "SELECT S.a FROM S [NOW], T [NOW], U [NOW] WHERE S.a = T.a AND T.a = U.a;"
    plan = bind(Text("query", text), known)[-1].plan
    leaves = [node for node in optimized(plan).walk() if node.schema.names in (("S.a",), ("T.a",), ("U.a",))]
    inputs = sorted({node.schema.names: node for node in leaves}.values(), key=lambda node: node.schema.names)
    conditions = [condition for node in optimized(plan).walk() for condition in node.expressions]
    graph = graph_of(inputs, [c for c in conditions if c.type.name == "boolean"])
    (condition,) = graph.between(frozenset((0,)), frozenset((2,)))
    assert [part.name for part in condition.parts] == ["S.a", "U.a"]  # type: ignore[attr-defined]
