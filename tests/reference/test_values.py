"""Values have one canonical form and one order; a cast that does not fit raises."""

from __future__ import annotations

import math
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.algebra import types as t
from slackwater.algebra.expressions.functions import castable
from slackwater.algebra.values import NAN, canonical
from slackwater.reference.casts import conversion
from slackwater.reference.comparison import comparison
from slackwater.reference.values import row_key, sort_key

ANY_NAN = float("nan")
floats = st.floats() | st.sampled_from([0.0, -0.0, ANY_NAN, math.inf, -math.inf])


def convert(value: Any, source: t.Type, target: t.Type) -> Any:
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
        assert comparison(name, t.DOUBLE, t.DOUBLE)(a, b) is holds
        assert comparison(name)(a, b) is holds


def test_numbers_of_different_types_are_compared_as_the_wider():
    assert comparison("eq", t.BIGINT, t.DOUBLE)(2**53 + 1, float(2**53))
    assert comparison("lt", t.BIGINT, t.decimal(10, 2))(1, Decimal("1.01"))
    assert comparison("gt", t.DOUBLE, t.decimal(10, 2))(NAN, Decimal(1))


def test_a_date_is_compared_as_its_midnight():
    assert comparison("eq", t.DATE, t.TIMESTAMP)(date(2026, 1, 1), datetime(2026, 1, 1))
    assert comparison("lt", t.DATE, t.TIMESTAMP)(date(2026, 1, 1), datetime(2026, 1, 1, 0, 0, 1))


PARSED = [
    (" 42 ", t.INT, 42),
    ("-1.5e2", t.DOUBLE, -150.0),
    (".5", t.DOUBLE, 0.5),
    ("-Infinity", t.DOUBLE, -math.inf),
    ("1.005", t.decimal(5, 2), Decimal("1.01")),
    ("YES", t.BOOLEAN, True),
    ("f", t.BOOLEAN, False),
    (" 2026-02-03 ", t.DATE, date(2026, 2, 3)),
    ("2026-02-03", t.TIMESTAMP, datetime(2026, 2, 3)),
    ("2026-02-03 04:05", t.TIMESTAMP, datetime(2026, 2, 3, 4, 5)),
    ("2026-02-03T04:05:06.7", t.TIMESTAMP, datetime(2026, 2, 3, 4, 5, 6, 700_000)),
    ("2026-02-03 04:05:06+02:30", t.TIMESTAMP, datetime(2026, 2, 3, 1, 35, 6)),
    ("2026-02-03 04:05:06-01", t.TIMESTAMP, datetime(2026, 2, 3, 5, 5, 6)),
    ("2026-02-03 04:05:06Z", t.TIMESTAMP, datetime(2026, 2, 3, 4, 5, 6)),
    ("ä", t.BINARY, b"\xc3\xa4"),
]


@pytest.mark.parametrize(("text", "target", "value"), PARSED)
def test_a_text_is_parsed_to_a_value(text: str, target: t.Type, value: Any):
    assert convert(text, t.STRING, target) == value


BAD = [
    ("1.0", t.STRING, t.INT),
    ("", t.STRING, t.INT),
    ("1_000", t.STRING, t.INT),
    ("١", t.STRING, t.INT),
    ("128", t.STRING, t.TINYINT),
    ("++inf", t.STRING, t.DOUBLE),
    ("0x10", t.STRING, t.DOUBLE),
    ("maybe", t.STRING, t.BOOLEAN),
    ("2026-2-3", t.STRING, t.DATE),
    ("2026-02-30", t.STRING, t.DATE),
    ("20260203", t.STRING, t.DATE),
    ("2026-02-03 24:30", t.STRING, t.TIMESTAMP),
    ("0001-01-01 00:00+01", t.STRING, t.TIMESTAMP),
    ("100", t.STRING, t.decimal(4, 2)),
    ("1e99999", t.STRING, t.decimal(38, 0)),
    (math.nan, t.DOUBLE, t.BIGINT),
    (math.inf, t.DOUBLE, t.decimal(38, 0)),
    (2.0**63, t.DOUBLE, t.BIGINT),
    (Decimal("9.995"), t.decimal(4, 3), t.decimal(3, 2)),
    (300, t.INT, t.TINYINT),
    (b"\xff", t.BINARY, t.STRING),
]


@pytest.mark.parametrize(("value", "source", "target"), BAD)
def test_a_value_that_does_not_fit_raises(value: Any, source: t.Type, target: t.Type):
    with pytest.raises((ValueError, OverflowError)):
        convert(value, source, target)


CONVERTED = [
    (-1.9, t.DOUBLE, t.INT, -1),
    (Decimal("1.9"), t.decimal(2, 1), t.INT, 1),
    (Decimal("1.45"), t.decimal(3, 2), t.decimal(2, 1), Decimal("1.5")),
    (0.285, t.DOUBLE, t.decimal(3, 2), Decimal("0.29")),
    (1, t.INT, t.DOUBLE, 1.0),
    (0.1, t.DOUBLE, t.FLOAT, 0.10000000149011612),
    (1e300, t.DOUBLE, t.FLOAT, math.inf),
    (True, t.BOOLEAN, t.INT, 1),
    (2, t.INT, t.BOOLEAN, True),
    (1.0, t.DOUBLE, t.STRING, "1.0"),
    (0.10000000149011612, t.FLOAT, t.STRING, "0.1"),
    (math.nan, t.DOUBLE, t.STRING, "NaN"),
    (Decimal("1E+2"), t.decimal(3, 0), t.STRING, "100"),
    (True, t.BOOLEAN, t.STRING, "true"),
    (date(2026, 2, 3), t.DATE, t.TIMESTAMP, datetime(2026, 2, 3)),
    (datetime(2026, 2, 3, 4), t.TIMESTAMP, t.DATE, date(2026, 2, 3)),
    (datetime(2026, 2, 3, 4, 5, 6, 500_000), t.TIMESTAMP, t.STRING, "2026-02-03 04:05:06.5"),
    (datetime(2026, 2, 3, 10), t.TIMESTAMP, t.STRING, "2026-02-03 10:00:00"),
    ((1, None), t.array(t.INT), t.array(t.STRING), ("1", None)),
    ((1, 2), t.struct(a=t.INT, b=t.INT), t.struct(a=t.DOUBLE, b=t.STRING), (1.0, "2")),
]


@pytest.mark.parametrize(("value", "source", "target", "expected"), CONVERTED)
def test_a_cast_gives_the_nearest_value(value: Any, source: t.Type, target: t.Type, expected: Any):
    result = convert(value, source, target)
    assert (result, type(result)) == (expected, type(expected))


@given(st.floats(allow_nan=False))
def test_a_double_is_read_back_from_its_text(value: float):
    assert convert(convert(value, t.DOUBLE, t.STRING), t.STRING, t.DOUBLE) == value


@given(st.floats(width=32, allow_nan=False))
def test_a_float_is_read_back_from_its_text(value: float):
    assert convert(convert(value, t.FLOAT, t.STRING), t.STRING, t.FLOAT) == value


@given(st.datetimes())
def test_a_timestamp_is_read_back_from_its_text(value: datetime):
    assert convert(convert(value, t.TIMESTAMP, t.STRING), t.STRING, t.TIMESTAMP) == value


def test_some_pairs_of_types_cannot_be_cast():
    assert castable(t.INT, t.STRING)
    assert castable(t.STRING, t.DATE)
    assert castable(t.array(t.INT), t.array(t.STRING))
    assert not castable(t.INT, t.DATE)
    assert not castable(t.DATE, t.INT)
    assert not castable(t.STRING, t.INTERVAL)
    assert not castable(t.array(t.INT), t.array(t.DATE))
    with pytest.raises(ValueError, match="no interval is a int"):
        convert(timedelta(1), t.INTERVAL, t.INT)
