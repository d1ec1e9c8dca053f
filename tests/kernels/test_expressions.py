"""Values and errors of expressions in the kernels, by example."""

from __future__ import annotations

import math
import pickle
from decimal import Decimal
from typing import Any

import polars as pl
import pytest

from slackwater.algebra import types as t
from slackwater.algebra.expressions import Call, Case, Cast, Column, Exists, Expression, Literal, Outer
from slackwater.algebra.expressions.functions import FUNCTIONS, result_type
from slackwater.algebra.types import Type
from slackwater.base.diagnostic import EngineError
from slackwater.base.span import Text
from slackwater.kernels.expressions import (
    arithmetic,
    astronomy,
    bits,
    calendar,
    codes,
    edits,
    logic,
    moments,
    patterns,
    regexes,
    texts,
)
from slackwater.kernels.expressions import columns as expressions
from slackwater.kernels.expressions import math as math_
from slackwater.kernels.expressions.columns import NotSupported, column, dtype, predicate
from slackwater.kernels.expressions.decimals import parse_units

N, M, X, S = Column(t.BIGINT, "n"), Column(t.BIGINT, "m"), Column(t.DOUBLE, "x"), Column(t.STRING, "s")
LEAST, GREATEST = -(2**63), 2**63 - 1


def call(name: str, *arguments: Expression, at: str = "") -> Call:
    type_ = result_type(name, [argument.type for argument in arguments])
    assert isinstance(type_, Type)
    return Call(type_, name, arguments, origin=Text("<query>", at).span() if at else None)


def whole(value: int | None) -> Literal:
    return Literal(t.BIGINT, value)


def answers(expr: Expression, **columns: list[Any]) -> list[Any]:
    types = {"n": pl.Int64(), "m": pl.Int64(), "x": pl.Float64(), "s": pl.String()}
    frame = pl.DataFrame(columns, schema={name: types[name] for name in columns})
    return frame.select(answer=column(expr))["answer"].to_list()


FAMILIES = (
    *(arithmetic, astronomy, bits, calendar, codes, edits, logic, math_, moments, patterns, regexes, texts),
)


def test_every_function_of_the_table_has_one_kernel() -> None:
    makers = [name for module in FAMILIES for name in module.MAKERS]
    assert sorted(makers) == sorted(expressions.KERNELS) == sorted(FUNCTIONS)


def test_an_expression_that_depends_on_more_than_the_row_is_not_supported() -> None:
    with pytest.raises(NotSupported):
        column(call("add", N, Outer(t.BIGINT, "m")))
    with pytest.raises(NotSupported):
        column(Exists(t.BOOLEAN, None))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("type_", "expected"),
    [
        (t.FLOAT, pl.Float64()),
        (t.decimal(9, 2), pl.Decimal(9, 2)),
        (t.TIMESTAMP, pl.Datetime("us")),
        (t.INTERVAL, pl.Duration("us")),
        (t.array(t.INT), pl.List(pl.Int32())),
        (t.struct(a=t.DATE), pl.Struct({"a": pl.Date()})),
        (t.NULL, pl.Null()),
    ],
    ids=str,
)
def test_a_type_has_its_dtype(type_: Type, expected: pl.DataType) -> None:
    assert dtype(type_) == expected


def test_integers_are_cut_toward_zero_and_a_division_by_zero_is_null() -> None:
    assert answers(call("divide", N, M), n=[-7, 7, -7, 1], m=[2, -2, -2, 0]) == [-3, -3, 3, None]
    assert answers(call("modulo", N, M), n=[-7, 7, LEAST, 1], m=[2, -2, -1, 0]) == [-1, 1, 0, None]


@pytest.mark.parametrize(
    ("name", "n", "m"),
    [
        ("add", GREATEST, 1),
        ("subtract", LEAST, 1),
        ("multiply", 3_037_000_500, 3_037_000_500),
        ("multiply", LEAST, -1),
        ("divide", LEAST, -1),
    ],
)
def test_an_integer_beyond_64_bits_is_an_error_at_the_call(name: str, n: int, m: int) -> None:
    with pytest.raises(EngineError) as caught:
        answers(call(name, N, M, at="n ? m"), n=[1, n], m=[1, m])
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == "arithmetic-overflow"
    assert diagnostic.span is not None
    assert diagnostic.span.content == "n ? m"


def test_the_largest_integers_are_no_error() -> None:
    assert answers(call("add", N, M), n=[GREATEST, LEAST], m=[0, GREATEST]) == [GREATEST, -1]
    assert answers(call("multiply", N, M), n=[LEAST, 3_037_000_499], m=[1, 3_037_000_499]) == [
        LEAST,
        3_037_000_499**2,
    ]


def test_an_error_in_a_branch_not_taken_is_not_raised() -> None:
    doubled = call("multiply", N, whole(2))
    small = call("lt", N, whole(10))
    assert answers(Case(t.BIGINT, ((small, doubled),), whole(0)), n=[GREATEST, 4]) == [0, 8]
    assert answers(call("and", small, call("gt", doubled, whole(5))), n=[GREATEST, 4]) == [False, True]
    assert answers(call("coalesce", M, doubled), n=[GREATEST, 4], m=[1, None]) == [1, 8]
    with pytest.raises(EngineError):
        answers(call("or", small, call("gt", doubled, whole(5))), n=[GREATEST])


def test_an_error_of_a_constant_needs_a_row() -> None:
    bad = Cast(t.INT, Literal(t.STRING, "x"))
    assert answers(call("add", N, bad), n=[]) == []
    with pytest.raises(EngineError, match="bad-cast"):
        answers(call("add", N, bad), n=[1])


def test_the_error_is_the_one_of_the_first_row() -> None:
    with pytest.raises(EngineError, match="'two'"):
        answers(Cast(t.INT, S), s=["1", "two", "three"])
    assert answers(Cast(t.INT, S, lenient=True), s=["1", "two", " 3 "]) == [1, None, 3]


def test_an_error_can_be_pickled() -> None:
    with pytest.raises(EngineError) as caught:
        answers(Cast(t.INT, S), s=["two"])
    copy = pickle.loads(pickle.dumps(caught.value))
    assert type(copy) is EngineError
    assert copy.diagnostics == caught.value.diagnostics


def test_nan_equals_itself_and_is_the_greatest() -> None:
    nan = Literal(t.DOUBLE, math.nan)
    assert answers(call("eq", X, nan), x=[math.nan, 1.0, None]) == [True, False, None]
    assert answers(call("lt", X, nan), x=[math.nan, math.inf]) == [False, True]
    assert str(answers(call("greatest", X, Literal(t.DOUBLE, 1.0)), x=[math.nan])) == "[nan]"


def test_zero_has_no_sign() -> None:
    zero = Literal(t.DOUBLE, 0.0)
    for expr in (call("negate", X), call("multiply", X, Literal(t.DOUBLE, -1.0)), call("subtract", zero, X)):
        assert str(answers(expr, x=[0.0])) == "[0.0]"


def test_a_decimal_keeps_every_digit() -> None:
    price = Cast(t.decimal(9, 2), S)
    assert answers(call("multiply", price, price), s=["1.25", "-0.01"]) == [
        Decimal("1.5625"),
        Decimal("0.0001"),
    ]


def test_a_double_becomes_the_decimal_of_its_digits() -> None:
    assert answers(Cast(t.decimal(9, 2), X), x=[0.285, 1.005, -2.675]) == [
        Decimal("0.29"),
        Decimal("1.01"),
        Decimal("-2.68"),
    ]


@pytest.mark.parametrize(
    ("pattern", "matching"),
    [
        ("a.c", ["a.c"]),
        ("a%", ["a.c", "abc", "a\nc", "a"]),
        ("%c", ["a.c", "abc", "a\nc"]),
        ("%b%", ["abc"]),
        ("a_c", ["a.c", "abc", "a\nc"]),
        ("_%", ["a.c", "abc", "a\nc", "a"]),
        ("", []),
    ],
)
def test_like_matches_its_pattern(pattern: str, matching: list[str]) -> None:
    texts = ["a.c", "abc", "a\nc", "a"]
    matches = answers(call("like", S, Literal(t.STRING, pattern)), s=texts)
    assert [text for text, fits in zip(texts, matches, strict=True) if fits] == matching


@pytest.mark.parametrize(
    ("pattern", "matching"),
    [("a%", ["a.c", "abc", "a"]), ("%b%", ["abc"]), ("a_c", ["a.c", "abc"]), ("%a%_%c%", ["a.c", "abc"])],
)
def test_patterns_may_differ_by_row(pattern: str, matching: list[str]) -> None:
    texts = ["a.c", "abc", "a", "", "c", None]
    patterns = Case(t.STRING, ((call("eq", N, whole(1)), Literal(t.STRING, pattern)),), S)
    matches = answers(call("like", S, patterns), s=texts, n=[1] * len(texts))
    assert [text for text, fits in zip(texts, matches, strict=True) if fits] == matching
    assert matches[-1] is None


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("1.005", 101), ("-1.005", -101), ("0.004", 0), (".995", 100), ("1e1", 1000), ("12.", 1200),
        ("0" * 5000 + "1", 100), ("0e99999", 0), ("1e-99999", 0), ("99999.994", 9_999_999),
        ("99999.995", None), ("1e99999", None), (".", None), ("", None), ("1_0", None), ("nan", None),
    ],
)  # fmt: skip
def test_a_text_is_parsed_to_units_of_a_decimal(text: str, count: int | None) -> None:
    assert parse_units(text, t.decimal(7, 2)) == count


def test_decimals_without_room_at_one_scale_are_compared_and_added() -> None:
    whole_part, fine = Cast(t.decimal(38, 0), S), Cast(t.decimal(38, 30), Literal(t.STRING, "1.5"))
    texts = ["1", "2", "9" * 37, None]
    assert answers(call("lt", whole_part, fine), s=texts) == [True, False, False, None]
    assert answers(call("add", whole_part, fine), s=["1", "-2"]) == [Decimal("2.5"), Decimal("-0.5")]
    assert answers(call("modulo", whole_part, fine), s=["2", "-2"]) == [Decimal("0.5"), Decimal("-0.5")]
    with pytest.raises(EngineError, match="arithmetic-overflow"):
        answers(call("add", whole_part, fine), s=["9" * 37])


def test_a_part_that_does_not_fit_makes_the_array_not_fit() -> None:
    frame = pl.DataFrame({"l": [["1", "2"], ["1", "x"], [], None]})
    cast = Cast(t.array(t.INT), Column(t.array(t.STRING), "l"), lenient=True)
    assert frame.select(answer=column(cast))["answer"].to_list() == [[1, 2], None, [], None]


def test_a_constant_has_a_value_in_every_row() -> None:
    assert answers(whole(3), n=[1, 2]) == [3, 3]
    assert answers(whole(None), n=[1, 2]) == [None, None]
    assert answers(whole(3), n=[]) == []


def test_a_predicate_counts_null_as_false() -> None:
    frame = pl.DataFrame({"n": [1, None, 3]})
    assert frame.filter(predicate(call("gt", N, whole(2))))["n"].to_list() == [3]
    assert frame.filter(predicate(Literal(t.NULL, None))).height == 0


def test_a_deep_expression_is_computed_without_exponential_growth() -> None:
    expr: Expression = X
    for _ in range(30):
        expr = call("divide", expr, X)
    assert answers(expr, x=[1.0, 2.0]) == [1.0, 2.0**-29]


@pytest.mark.parametrize(
    ("expr", "expected"),
    [
        (call("replace", Literal(t.STRING, "a"), Literal(t.STRING, "a"), S), ["x", None, ""]),
        (call("position", S, Literal(t.STRING, "xa")), [1, None, 1]),
        (Case(t.BIGINT, ((Literal(t.BOOLEAN, False), N),), whole(1)), [1, 1, 1]),
        (Case(t.BIGINT, ((Literal(t.BOOLEAN, None), N),), whole(None)), [None, None, None]),
        (call("coalesce", whole(1), N), [1, 1, 1]),
        (call("nullif", whole(1), whole(1)), [None, None, None]),
        (call("power", X, Literal(t.DOUBLE, 0.0)), [1.0, 1.0, None]),
    ],
)
def test_constants_beside_columns_have_a_value_in_every_row(expr: Expression, expected: list[Any]) -> None:
    columns = {"n": [1, 2, None], "x": [1.0, 2.0, None], "s": ["x", None, ""]}
    assert answers(expr, **columns) == expected
    assert answers(expr, **{name: [] for name in columns}) == []
