"""Values can be subtracted from aggregates exactly."""

from __future__ import annotations

import math
import statistics
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from laws.effort import trying
from slackwater.algebra.expressions import Aggregation, Column
from slackwater.algebra.expressions.functions import AGGREGATES, Mismatch, aggregate_type
from slackwater.algebra.types import BIGINT, BOOLEAN, DATE, DOUBLE, INT, NULL, STRING, UNKNOWN, Type, decimal
from slackwater.algebra.values import NAN, canonical
from slackwater.base.diagnostic import EngineError
from slackwater.reference.aggregates import Accumulator, make_accumulator
from slackwater.reference.values import sort_key

VALUES: dict[Type, st.SearchStrategy[Any]] = {
    BIGINT: st.none() | st.integers(-(2**40), 2**40),
    DOUBLE: st.none() | st.floats().map(canonical) | st.sampled_from([1.0, 0.1, 1e300, -1e300, 5e-324]),
    decimal(12, 3): st.none() | st.decimals(-(10**8), 10**8, places=3),
}


def empty(function: str, type_: Type = BIGINT, distinct: bool = False) -> Accumulator:
    result = aggregate_type(function, type_, distinct)
    assert isinstance(result, Type)
    return make_accumulator(Aggregation(result, function, Column(type_, "x"), distinct))


def answer(function: str, values: list[Any], type_: Type = BIGINT, distinct: bool = False) -> Any:
    state = empty(function, type_, distinct)
    for value in values:
        state.add(value, 1)
    return state.value()


@pytest.mark.parametrize("distinct", [False, True])
@pytest.mark.parametrize("type_", VALUES, ids=str)
@pytest.mark.parametrize("function", AGGREGATES)
@trying(40)
@given(data=st.data())
def test_adding_and_removing_a_value_leaves_no_trace(
    function: str, type_: Type, distinct: bool, data: st.DataObject
):
    if not AGGREGATES[function].parameter.takes(type_):
        return
    remaining = data.draw(st.lists(VALUES[type_], max_size=6))
    removed = data.draw(st.lists(VALUES[type_], max_size=6))
    steps = [
        *((v, 1) for v in remaining),
        *((v, 2) for v in removed),
        *((v, -1) for v in removed for _ in range(2)),
    ]
    state = empty(function, type_, distinct)
    for value, n in data.draw(st.permutations(steps)):
        state.add(value, n)
    assert sort_key(state.value()) == sort_key(answer(function, remaining, type_, distinct))


@given(st.lists(st.floats(-1e100, 1e100), min_size=2, max_size=12))
def test_sums_are_rounded_once_and_means_are_sums_over_counts(values: list[float]):
    assert answer("sum", values, DOUBLE) == math.fsum(values)
    assert answer("avg", values, DOUBLE) == math.fsum(values) / len(values)
    assert answer("variance", values, DOUBLE) == pytest.approx(statistics.variance(values), rel=1e-12)
    assert answer("stddev", values, DOUBLE) == pytest.approx(statistics.stdev(values), rel=1e-12)
    assert answer("var_pop", values, DOUBLE) == pytest.approx(statistics.pvariance(values), rel=1e-12)
    assert answer("stddev_pop", values, DOUBLE) == pytest.approx(statistics.pstdev(values), rel=1e-12)
    assert answer("median", values, DOUBLE) == pytest.approx(statistics.median(values), rel=1e-15)


OF_NONE = {
    "count": 0,
    "array_agg": (),
    "collect_set": (),
    "bitmap_construct_agg": bytes(4096),
    "bitmap_or_agg": bytes(4096),
    "bitmap_and_agg": b"\xff" * 4096,
}
"""What aggregates that are not NULL give of no values."""


@pytest.mark.parametrize(("function", "expected"), OF_NONE.items())
def test_of_only_nulls_a_count_a_list_and_a_bitmap_are_empty(function: str, expected: object):
    type_ = BIGINT if AGGREGATES[function].parameter.takes(BIGINT) else NULL
    assert answer(function, [None], type_) == expected


@pytest.mark.parametrize("function", [name for name in AGGREGATES if name not in OF_NONE])
def test_of_only_nulls_every_aggregate_but_count_is_null(function: str):
    type_ = BIGINT if AGGREGATES[function].parameter.takes(BIGINT) else NULL
    assert answer(function, [None], type_) is None


def test_count_ignores_nulls():
    assert answer("count", [1, None, 1]) == 2
    assert answer("count", [1, None, 1, 2], distinct=True) == 2
    assert answer("sum", [1, None, 1, 2], distinct=True) == 3


def test_count_of_rows_counts_any_constant():
    state = make_accumulator(Aggregation(BIGINT, "count"))
    state.add(True, 3)
    assert state.value() == 3


def test_a_sample_of_one_has_no_variance():
    assert answer("variance", [4]) is None
    assert answer("stddev", [4]) is None
    assert answer("var_pop", [4]) == 0.0


def test_a_sum_may_exceed_64_bits_only_until_it_is_read():
    state = empty("sum")
    state.add(2**63 - 1, 1)
    state.add(1, 1)
    with pytest.raises(EngineError, match="arithmetic-overflow"):
        state.value()
    state.add(1, -1)
    assert state.value() == 2**63 - 1


def test_a_sum_of_decimals_keeps_their_scale():
    total = answer("sum", [Decimal("0.10"), Decimal("0.20")], decimal(5, 2))
    assert str(total) == "0.30"
    with pytest.raises(EngineError, match="arithmetic-overflow"):
        answer("sum", [Decimal(10**38 - 1), Decimal(1)], decimal(38, 0))


def test_infinities_and_nan_can_be_removed():
    state = empty("sum", DOUBLE)
    state.add(1.5, 1)
    state.add(math.inf, 1)
    assert state.value() == math.inf
    state.add(-math.inf, 1)
    assert state.value() is NAN
    state.add(math.inf, -1)
    state.add(-math.inf, -1)
    assert state.value() == 1.5


def test_a_sum_beyond_the_largest_double_is_an_infinity():
    assert answer("sum", [1e308, 1e308], DOUBLE) == math.inf
    assert answer("sum", [1e308, 1e308, -1e308], DOUBLE) == 1e308


def test_nan_is_the_greatest_number_and_never_the_least_but_alone():
    assert answer("max", [1.0, NAN, math.inf], DOUBLE) is NAN
    assert answer("min", [NAN, 1.0], DOUBLE) == 1.0
    assert answer("min", [NAN], DOUBLE) is NAN


def test_least_and_greatest_are_found_for_every_type():
    assert answer("min", ["b", "a"], STRING) == "a"
    assert answer("max", [False, True], BOOLEAN) is True


def test_the_median_is_the_mean_of_the_middle_two():
    assert answer("median", [1, 2, 10, 4]) == 3.0
    assert answer("median", [2**62, 2**62 + 2]) == float(2**62)
    assert answer("median", [Decimal("0.1"), Decimal("0.2")], decimal(3, 1)) == 0.15
    assert answer("median", [1e308, 1.7e308], DOUBLE) == 1.35e308


@pytest.mark.parametrize(
    ("function", "argument", "expected"),
    [
        ("count", None, BIGINT),
        ("count", STRING, BIGINT),
        ("sum", INT, BIGINT),
        ("sum", decimal(5, 2), decimal(38, 2)),
        ("sum", UNKNOWN, UNKNOWN),
        ("sum", NULL, BIGINT),
        ("avg", decimal(5, 2), DOUBLE),
        ("min", DATE, DATE),
        ("median", INT, DOUBLE),
    ],
)
def test_an_aggregate_has_a_type(function: str, argument: Type | None, expected: Type):
    assert aggregate_type(function, argument, False) == expected


def test_a_wrong_argument_of_an_aggregate_is_reported():
    assert aggregate_type("sum", STRING, False) == Mismatch(0, 'Aggregate "sum" takes a number.')
    assert aggregate_type("sum", None, False) == Mismatch(None, 'Aggregate "sum" takes a number.')
    assert isinstance(aggregate_type("count", None, True), Mismatch)
