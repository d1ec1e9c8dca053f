"""Values have one canonical form and one order; a cast that does not fit raises."""

from __future__ import annotations

import math
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.algebra.expressions.functions import castable
from slackwater.algebra.types import (
    BIGINT,
    BINARY,
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    INT,
    INTERVAL,
    STRING,
    TIMESTAMP,
    TINYINT,
    Type,
    array,
    decimal,
    struct,
)
from slackwater.algebra.values import NAN, canonical
from slackwater.reference.casts import conversion
from slackwater.reference.comparison import comparison
from slackwater.reference.values import row_key, sort_key

ANY_NAN = float("nan")
floats = st.floats() | st.sampled_from([0.0, -0.0, ANY_NAN, math.inf, -math.inf])


def convert(value: Any, source: Type, target: Type) -> Any:
    function = conversion(source, target)
    return value if function is None else function(value)


def test_every_nan_is_one_key():
    assert len({canonical(ANY_NAN), canonical(-ANY_NAN), canonical(math.inf - math.inf)}) == 1
    assert len({canonical((1, ANY_NAN)), (1, NAN)}) == 1


def test_zero_has_no_sign():
    assert math.copysign(1, canonical(-0.0)) == 1
    assert str(canonical(Decimal("-0.00"))) == "0.00"


def test_nulls_come_first_and_nan_last():
    assert sorted([math.inf, NAN, None, -math.inf, 0.0], key=sort_key) == [
        None,
        -math.inf,
        0.0,
        math.inf,
        NAN,
    ]
    assert sorted([(1, None), (None, 2), (1, 0)], key=row_key) == [(None, 2), (1, None), (1, 0)]
    assert sorted([("b",), ("a", "c"), (None,)], key=sort_key) == [(None,), ("a", "c"), ("b",)]


@given(floats.map(canonical), floats.map(canonical))
def test_comparisons_of_doubles_follow_the_sort_order(a: float, b: float):
    for name, holds in (
        ("eq", sort_key(a) == sort_key(b)),
        ("ne", sort_key(a) != sort_key(b)),
        ("lt", sort_key(a) < sort_key(b)),
        ("le", sort_key(a) <= sort_key(b)),
        ("gt", sort_key(a) > sort_key(b)),
        ("ge", sort_key(a) >= sort_key(b)),
    ):
        assert comparison(name, DOUBLE, DOUBLE)(a, b) is holds
        assert comparison(name)(a, b) is holds


def test_numbers_of_different_types_are_compared_as_the_wider():
    assert comparison("eq", BIGINT, DOUBLE)(2**53 + 1, float(2**53))
    assert comparison("lt", BIGINT, decimal(10, 2))(1, Decimal("1.01"))
    assert comparison("gt", DOUBLE, decimal(10, 2))(NAN, Decimal(1))


def test_a_date_is_compared_as_its_midnight():
    assert comparison("eq", DATE, TIMESTAMP)(date(2026, 1, 1), datetime(2026, 1, 1))
    assert comparison("lt", DATE, TIMESTAMP)(date(2026, 1, 1), datetime(2026, 1, 1, 0, 0, 1))


PARSED = [
    (" 42 ", INT, 42),
    ("-1.5e2", DOUBLE, -150.0),
    (".5", DOUBLE, 0.5),
    ("-Infinity", DOUBLE, -math.inf),
    ("1.005", decimal(5, 2), Decimal("1.01")),
    ("YES", BOOLEAN, True),
    ("f", BOOLEAN, False),
    (" 2026-02-03 ", DATE, date(2026, 2, 3)),
    ("2026-02-03", TIMESTAMP, datetime(2026, 2, 3)),
    ("2026-02-03 04:05", TIMESTAMP, datetime(2026, 2, 3, 4, 5)),
    ("2026-02-03T04:05:06.7", TIMESTAMP, datetime(2026, 2, 3, 4, 5, 6, 700_000)),
    ("2026-02-03 04:05:06+02:30", TIMESTAMP, datetime(2026, 2, 3, 1, 35, 6)),
    ("2026-02-03 04:05:06-01", TIMESTAMP, datetime(2026, 2, 3, 5, 5, 6)),
    ("2026-02-03 04:05:06Z", TIMESTAMP, datetime(2026, 2, 3, 4, 5, 6)),
    ("ä", BINARY, b"\xc3\xa4"),
]


@pytest.mark.parametrize(("text", "target", "value"), PARSED)
def test_a_text_is_parsed_to_a_value(text: str, target: Type, value: Any):
    assert convert(text, STRING, target) == value


BAD = [
    ("1.0", STRING, INT),
    ("", STRING, INT),
    ("1_000", STRING, INT),
    ("١", STRING, INT),
    ("128", STRING, TINYINT),
    ("++inf", STRING, DOUBLE),
    ("0x10", STRING, DOUBLE),
    ("maybe", STRING, BOOLEAN),
    ("2026-2-3", STRING, DATE),
    ("2026-02-30", STRING, DATE),
    ("20260203", STRING, DATE),
    ("2026-02-03 24:30", STRING, TIMESTAMP),
    ("0001-01-01 00:00+01", STRING, TIMESTAMP),
    ("100", STRING, decimal(4, 2)),
    ("1e99999", STRING, decimal(38, 0)),
    (math.nan, DOUBLE, BIGINT),
    (math.inf, DOUBLE, decimal(38, 0)),
    (2.0**63, DOUBLE, BIGINT),
    (Decimal("9.995"), decimal(4, 3), decimal(3, 2)),
    (300, INT, TINYINT),
    (b"\xff", BINARY, STRING),
]


@pytest.mark.parametrize(("value", "source", "target"), BAD)
def test_a_value_that_does_not_fit_raises(value: Any, source: Type, target: Type):
    with pytest.raises((ValueError, OverflowError)):
        convert(value, source, target)


CONVERTED = [
    (-1.9, DOUBLE, INT, -1),
    (Decimal("1.9"), decimal(2, 1), INT, 1),
    (Decimal("1.45"), decimal(3, 2), decimal(2, 1), Decimal("1.5")),
    (0.285, DOUBLE, decimal(3, 2), Decimal("0.29")),
    (1, INT, DOUBLE, 1.0),
    (0.1, DOUBLE, FLOAT, 0.10000000149011612),
    (1e300, DOUBLE, FLOAT, math.inf),
    (True, BOOLEAN, INT, 1),
    (2, INT, BOOLEAN, True),
    (1.0, DOUBLE, STRING, "1.0"),
    (0.10000000149011612, FLOAT, STRING, "0.1"),
    (math.nan, DOUBLE, STRING, "NaN"),
    (Decimal("1E+2"), decimal(3, 0), STRING, "100"),
    (True, BOOLEAN, STRING, "true"),
    (date(2026, 2, 3), DATE, TIMESTAMP, datetime(2026, 2, 3)),
    (datetime(2026, 2, 3, 4), TIMESTAMP, DATE, date(2026, 2, 3)),
    (datetime(2026, 2, 3, 4, 5, 6, 500_000), TIMESTAMP, STRING, "2026-02-03 04:05:06.5"),
    (datetime(2026, 2, 3, 10), TIMESTAMP, STRING, "2026-02-03 10:00:00"),
    ((1, None), array(INT), array(STRING), ("1", None)),
    ((1, 2), struct(a=INT, b=INT), struct(a=DOUBLE, b=STRING), (1.0, "2")),
]


@pytest.mark.parametrize(("value", "source", "target", "expected"), CONVERTED)
def test_a_cast_gives_the_nearest_value(value: Any, source: Type, target: Type, expected: Any):
    result = convert(value, source, target)
    assert (result, type(result)) == (expected, type(expected))


@given(st.floats(allow_nan=False))
def test_a_double_is_read_back_from_its_text(value: float):
    assert convert(convert(value, DOUBLE, STRING), STRING, DOUBLE) == value


@given(st.floats(width=32, allow_nan=False))
def test_a_float_is_read_back_from_its_text(value: float):
    assert convert(convert(value, FLOAT, STRING), STRING, FLOAT) == value


@given(st.datetimes())
def test_a_timestamp_is_read_back_from_its_text(value: datetime):
    assert convert(convert(value, TIMESTAMP, STRING), STRING, TIMESTAMP) == value


def test_some_pairs_of_types_cannot_be_cast():
    assert castable(INT, STRING)
    assert castable(STRING, DATE)
    assert castable(array(INT), array(STRING))
    assert not castable(INT, DATE)
    assert not castable(DATE, INT)
    assert not castable(STRING, INTERVAL)
    assert not castable(array(INT), array(DATE))
    with pytest.raises(ValueError, match="no interval is a int"):
        convert(timedelta(1), INTERVAL, INT)
