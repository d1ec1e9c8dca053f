"""Values, errors and types of expressions in the reference evaluator."""

from __future__ import annotations

import math
from collections import Counter
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any, cast

import pytest

from slackwater.algebra.expressions import Call, Case, Cast, Column, Expression, Literal, Outer, nodes
from slackwater.algebra.expressions.functions import FUNCTIONS, Mismatch, result_type
from slackwater.algebra.expressions.signatures import bound
from slackwater.algebra.operator import Operator
from slackwater.algebra.schema import Schema
from slackwater.algebra.types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    INT,
    INTERVAL,
    NULL,
    STRING,
    TIMESTAMP,
    UNKNOWN,
    Type,
    decimal,
)
from slackwater.algebra.values import NAN
from slackwater.base.diagnostic import Bug, EngineError
from slackwater.base.span import Text
from slackwater.reference.expressions import compiled
from slackwater.reference.functions import LAZY, STRICT

NO_COLUMNS = Schema(())
SPAN = Text("<query>", "x + 1").span(0, 5)
PLAN = cast(Operator, "a plan")
TYPES = {
    bool: BOOLEAN,
    int: BIGINT,
    float: DOUBLE,
    str: STRING,
    date: DATE,
    datetime: TIMESTAMP,
    timedelta: INTERVAL,
    type(None): NULL,
}


def literal(value: Any) -> Literal:
    if isinstance(value, Decimal):
        scale = -int(value.as_tuple().exponent)
        return Literal(decimal(max(len(value.as_tuple().digits), scale), scale), value)
    return Literal(TYPES[type(value)], value)


def call(function: str, *arguments: Expression) -> Call:
    type_ = result_type(function, [argument.type for argument in arguments])
    assert isinstance(type_, Type), type_
    return Call(type_, function, arguments, origin=SPAN)


def value(function: str, *arguments: Any) -> Any:
    return evaluate(call(function, *map(literal, arguments)))


def evaluate(expr: Expression, relation: Any = None) -> Any:
    return compiled(expr, NO_COLUMNS, relation)((), {})


def fails(code: str, expr: Expression, relation: Any = None) -> None:
    with pytest.raises(EngineError) as caught:
        evaluate(expr, relation)
    (diagnostic,) = caught.value.diagnostics
    assert (diagnostic.code, diagnostic.span) == (code, SPAN)


def test_every_function_of_the_table_is_implemented_and_no_other():
    assert sorted(FUNCTIONS) == sorted([*STRICT, *LAZY])


@pytest.mark.parametrize("name", [name for name, function in FUNCTIONS.items() if function.strict])
def test_a_strict_function_of_null_is_null(name: str):
    function = FUNCTIONS[name]
    if function.parameters and function.result is not bound:
        nulls = [Literal(NULL, None)] * len(function.parameters)
        assert evaluate(call(name, *nulls)) is None


MEANINGS = [
    (("divide", -7, 2), -3),
    (("divide", 7, -2), -3),
    (("modulo", -7, 3), -1),
    (("modulo", 7, -3), 1),
    (("modulo", -7.5, 2.0), -1.5),
    (("divide", 1, 0), None),
    (("divide", 1.0, 0.0), None),
    (("divide", Decimal("1.0"), Decimal("0.0")), None),
    (("modulo", 1, 0), None),
    (("modulo", 1.0, 0), None),
    (("modulo", math.inf, 2.0), NAN),
    (("divide", Decimal("1.0"), Decimal("4.0")), 0.25),
    (("add", Decimal("0.10"), 1), Decimal("1.10")),
    (("multiply", Decimal("0.10"), Decimal("0.10")), Decimal("0.0100")),
    (("add", 0.5, Decimal("0.5")), 1.0),
    (("multiply", -1.0, 0.0), 0.0),
    (("negate", 0.0), 0.0),
    (("subtract", math.inf, math.inf), NAN),
    (("add", date(2026, 1, 31), timedelta(hours=1)), datetime(2026, 1, 31, 1)),
    (("add", timedelta(1), datetime(2026, 1, 1)), datetime(2026, 1, 2)),
    (("subtract", datetime(2026, 1, 1), timedelta(1)), datetime(2025, 12, 31)),
    (("subtract", datetime(2026, 1, 2), date(2026, 1, 1)), timedelta(1)),
    (("multiply", timedelta(1), 3), timedelta(3)),
    (("multiply", 3, timedelta(1)), timedelta(3)),
    (("negate", timedelta(1)), timedelta(-1)),
    (("and", None, False), False),
    (("and", None, True), None),
    (("or", None, True), True),
    (("or", False, None), None),
    (("and", True, True, False), False),
    (("not", None), None),
    (("eq", NAN, NAN), True),
    (("gt", NAN, math.inf), True),
    (("lt", False, True), True),
    (("lt", "Z", "a"), True),
    (("eq", 1, 1.0), True),
    (("eq", date(2026, 1, 1), datetime(2026, 1, 1)), True),
    (("is_not_distinct_from", None, None), True),
    (("is_not_distinct_from", None, 1), False),
    (("is_not_distinct_from", 1, 1), True),
    (("is_null", None), True),
    (("is_null", 1), False),
    (("in_list", 1, 2, 1), True),
    (("in_list", 1, 2, None), None),
    (("in_list", 1, 2, 3), False),
    (("in_list", None, 1), None),
    (("in_list", NAN, 1.0, NAN), True),
    (("in_list", 1, 1.0), True),
    (("coalesce", None, 1, 2.0), 1.0),
    (("nullif", 1, 1.0), None),
    (("nullif", 1, None), 1),
    (("nullif", None, 1), None),
    (("greatest", 1, None, 2.5), 2.5),
    (("greatest", 1.0, NAN), NAN),
    (("least", None, None), None),
    (("least", date(2026, 1, 2), datetime(2026, 1, 3)), datetime(2026, 1, 2)),
    (("like", "a\nb", "a_b"), True),
    (("like", "a.c", "a_c"), True),
    (("like", "abc", "a.c"), False),
    (("like", "50%", "50!%", "!"), True),
    (("like", "505", "50!%", "!"), False),
    (("like", "a\\", "a\\"), True),
    (("ilike", "ABC", "a%"), True),
    (("trim", "  a\t "), "a\t"),
    (("ltrim", "xya", "yx"), "a"),
    (("rtrim", "a ", ""), "a "),
    (("substring", "hello", 2), "ello"),
    (("substring", "hello", 2, 3), "ell"),
    (("substring", "hello", 0, 2), "he"),
    (("substring", "hello", -3, 2), "ll"),
    (("substring", "hello", -7, 3), "h"),
    (("substring", "hello", 2, -1), ""),
    (("substring", "hello", -9, 1), ""),
    (("concat", "a", None), None),
    (("concat", "a", "b", "c"), "abc"),
    (("replace", "abc", "", "x"), "abc"),
    (("left", "abc", -1), ""),
    (("right", "abc", 2), "bc"),
    (("right", "abc", 0), ""),
    (("position", "b", "abc"), 2),
    (("position", "x", "abc"), 0),
    (("lpad", "7", 3, "0"), "007"),
    (("lpad", "abc", 2), "ab"),
    (("rpad", "a", 4, "xy"), "axyx"),
    (("rpad", "a", 3, ""), "a"),
    (("repeat", "ab", -1), ""),
    (("split_part", "a,b", ",", 2), "b"),
    (("split_part", "a,b", ",", -2), "a"),
    (("split_part", "a,b", ",", 0), ""),
    (("split_part", "ab", "", 1), "ab"),
    (("round", 2.5), 3.0),
    (("round", -2.5), -3.0),
    (("round", 0.49999999999999994), 0.0),
    (("round", 125, -1), 130),
    (("round", Decimal("2.345"), 2), Decimal("2.350")),
    (("round", Decimal("9.5")), Decimal("10")),
    (("round", math.inf, 2), math.inf),
    (("round", 1e300, 300), 1e300),
    (("truncate", -2.567, 2), -2.56),
    (("truncate", -129, -1), -120),
    (("ceil", -0.5), 0.0),
    (("ceil", Decimal("1.01")), Decimal("2")),
    (("floor", -1.5), -2.0),
    (("abs", Decimal("-1.5")), Decimal("1.5")),
    (("sign", -0.1), -1),
    (("sign", NAN), 0),
    (("sqrt", -1), None),
    (("sqrt", NAN), NAN),
    (("ln", 0), None),
    (("log", 2, 8), 3.0),
    (("log", 1, 8), None),
    (("log10", 1000), 3.0),
    (("asin", 2), None),
    (("sin", math.inf), None),
    (("exp", 1000), math.inf),
    (("power", -10, 309), -math.inf),
    (("power", -10, 400), math.inf),
    (("power", 0, -1), None),
    (("power", -8, 0.5), None),
    (("hour", date(2026, 1, 1)), 0),
    (("day_of_week", date(2026, 1, 4)), 7),
    (("week", date(2027, 1, 1)), 53),
    (("day_of_year", datetime(2024, 12, 31)), 366),
    (("quarter", date(2026, 4, 1)), 2),
    (("epoch", datetime(1970, 1, 1, 0, 0, 1, 500_000)), 1.5),
    (("epoch", timedelta(minutes=1)), 60.0),
    (("date_trunc", "week", date(2026, 1, 1)), datetime(2025, 12, 29)),
    (("date_trunc", "quarter", datetime(2026, 6, 30, 1)), datetime(2026, 4, 1)),
    (("date_trunc", "minute", datetime(1960, 1, 1, 0, 0, 59)), datetime(1960, 1, 1)),
    (("date_diff", "month", date(2026, 1, 31), date(2026, 2, 1)), 1),
    (("date_diff", "week", date(2026, 1, 4), date(2026, 1, 5)), 1),
    (("date_diff", "hour", datetime(2026, 1, 1, 1, 1), datetime(2026, 1, 1, 0, 59)), -1),
    (("make_date", 2026, 2, 30), None),
    (("make_date", 2024, 2, 29), date(2024, 2, 29)),
]


@pytest.mark.parametrize(("called", "expected"), MEANINGS, ids=lambda x: repr(x))
def test_a_function_has_its_value(called: tuple[Any, ...], expected: Any):
    result = value(*called)
    assert type(result) is type(expected)
    assert result is expected if expected is NAN else result == expected
    assert str(result) == str(expected), "a zero's sign or a decimal's scale is wrong"


OVERFLOWS: list[tuple[Any, ...]] = [
    ("add", 2**63 - 1, 1),
    ("subtract", -(2**63), 1),
    ("multiply", 2**62, 2),
    ("divide", -(2**63), -1),
    ("negate", -(2**63)),
    ("abs", -(2**63)),
    ("round", 2**63 - 1, -1),
    ("add", Decimal(10**38 - 1), Decimal(1)),
    ("multiply", Decimal(10**37), Decimal(100)),
    ("add", datetime.max, timedelta(1)),
    ("multiply", timedelta(10**8), 10**8),
]


@pytest.mark.parametrize("called", OVERFLOWS, ids=repr)
def test_a_result_too_large_is_an_error_at_the_call(called: tuple[Any, ...]):
    fails("arithmetic-overflow", call(called[0], *map(literal, called[1:])))


def test_a_bad_pattern_is_an_error_at_the_call():
    fails("bad-pattern", call("like", literal("a"), literal("a!"), literal("!")))
    fails("bad-pattern", call("like", literal("a"), literal("a"), literal("!!")))


def test_an_unknown_unit_is_an_error_at_the_call():
    fails("unknown-unit", call("date_trunc", literal("fortnight"), literal(date(2026, 1, 1))))


def test_columns_are_found_by_name_and_outer_columns_in_the_environment():
    schema = Schema.of(a=BIGINT, b=BIGINT)
    expr = call("subtract", Column(BIGINT, "b"), Outer(BIGINT, "c"))
    assert compiled(expr, schema)((1, 10), {"c": 3}) == 7
    with pytest.raises(Bug, match='no column "z"'):
        compiled(Column(BIGINT, "z"), schema)


def test_an_error_in_a_branch_not_taken_is_not_raised():
    bad = Cast(BIGINT, literal("x"), origin=SPAN)
    assert evaluate(Case(BIGINT, ((literal(None), bad), (literal(True), literal(1))), bad)) == 1
    assert evaluate(call("coalesce", literal(1), bad)) == 1
    assert evaluate(call("or", literal(True), call("eq", bad, literal(1)))) is True
    assert evaluate(call("and", literal(False), call("eq", bad, literal(1)))) is False
    fails("bad-cast", Case(BIGINT, ((literal(False), literal(1)),), bad))


def test_branches_of_a_case_are_converted_to_its_type():
    result = evaluate(Case(DOUBLE, ((literal(True), literal(1)),), literal(2.0)))
    assert (result, type(result)) == (1.0, float)


def test_a_lenient_cast_gives_null():
    assert evaluate(Cast(INT, literal("x"), lenient=True)) is None
    assert evaluate(Cast(INT, literal(None))) is None
    assert evaluate(Cast(INT, literal("3"))) == 3


def test_a_bad_cast_names_the_value_and_the_type():
    with pytest.raises(EngineError, match="the value 'x' is not of type int"):
        evaluate(Cast(INT, literal("x")))
    with pytest.raises(EngineError, match=r"the value 1e\+30 does not fit into int"):
        evaluate(Cast(INT, literal(1e30)))


def test_a_subquery_gets_the_row_and_the_rows_around_it():
    seen = []

    def relation(plan: Operator, environment: Any) -> Counter[tuple[Any, ...]]:
        seen.append((plan, dict(environment)))
        return Counter([(1,)])

    exists = compiled(nodes.Exists(BOOLEAN, PLAN), Schema.of(a=BIGINT), relation)
    assert exists((5,), {"a": 0, "b": 2}) is True
    assert seen == [(PLAN, {"a": 5, "b": 2})]
    with pytest.raises(Bug, match="subquery"):
        compiled(nodes.Exists(BOOLEAN, PLAN), NO_COLUMNS)


def test_a_relation_whose_rows_are_all_deleted_does_not_exist():
    assert evaluate(nodes.Exists(BOOLEAN, PLAN), lambda *_: {(1,): 0}) is False


def test_a_scalar_subquery_has_one_row_or_none():
    scalar = nodes.Scalar(BIGINT, PLAN, origin=SPAN)
    assert evaluate(scalar, lambda *_: {}) is None
    assert evaluate(scalar, lambda *_: {(7,): 1}) == 7
    fails("scalar-subquery-rows", scalar, lambda *_: {(7,): 2})
    fails("scalar-subquery-rows", scalar, lambda *_: {(7,): 1, (8,): 1})


QUANTIFIED = [
    ((1,), "eq", False, [(1,), (None,)], True),
    ((1,), "eq", False, [(2,), (None,)], None),
    ((1,), "eq", False, [(2,)], False),
    ((None,), "eq", False, [(2,)], None),
    ((None,), "eq", False, [], False),
    ((None,), "ne", True, [], True),
    ((1,), "ne", True, [(1,), (None,)], False),
    ((1,), "ne", True, [(2,), (None,)], None),
    ((1,), "ne", True, [(2,)], True),
    ((1,), "eq", False, [(1.0,)], True),
    ((1,), "eq", True, [(1,), (2,)], False),
    ((1,), "ne", False, [(1,)], False),
    ((3,), "gt", True, [(1,), (2,)], True),
    ((3,), "ge", True, [(1,), (4,), (None,)], False),
    ((3,), "lt", False, [(None,), (4,)], True),
    ((1, None), "eq", False, [(2, 5)], False),
    ((1, None), "eq", False, [(1, 5)], None),
    ((1, 5), "ne", True, [(1, None)], None),
    ((1, 5), "ne", True, [(2, None)], True),
]


@pytest.mark.parametrize(("operands", "comparison", "every", "rows", "expected"), QUANTIFIED)
def test_any_and_all_are_three_valued(
    operands: tuple[Any, ...],
    comparison: str,
    every: bool,
    rows: list[tuple[Any, ...]],
    expected: bool | None,
):
    expr = nodes.Quantified(BOOLEAN, PLAN, tuple(map(literal, operands)), comparison, every)
    assert evaluate(expr, lambda *_: Counter(rows)) is expected


TYPED = [
    ("add", (INT, INT), BIGINT),
    ("add", (INT, FLOAT), DOUBLE),
    ("add", (decimal(5, 2), decimal(9, 4)), decimal(10, 4)),
    ("add", (decimal(5, 2), BIGINT), decimal(22, 2)),
    ("add", (decimal(38, 2), BIGINT), decimal(38, 2)),
    ("multiply", (decimal(5, 2), decimal(9, 4)), decimal(14, 6)),
    ("multiply", (decimal(30, 20), decimal(30, 20)), decimal(38, 38)),
    ("divide", (decimal(5, 2), INT), DOUBLE),
    ("modulo", (decimal(5, 2), INT), decimal(12, 2)),
    ("add", (DATE, INTERVAL), TIMESTAMP),
    ("subtract", (DATE, DATE), INTERVAL),
    ("subtract", (NULL, DATE), INTERVAL),
    ("subtract", (DATE, NULL), TIMESTAMP),
    ("add", (NULL, INT), BIGINT),
    ("add", (NULL, NULL), NULL),
    ("add", (UNKNOWN, INT), UNKNOWN),
    ("eq", (UNKNOWN, INT), BOOLEAN),
    ("eq", (DATE, TIMESTAMP), BOOLEAN),
    ("coalesce", (NULL, INT, DOUBLE), DOUBLE),
    ("nullif", (INT, DOUBLE), INT),
    ("ceil", (decimal(5, 2),), decimal(4, 0)),
    ("round", (decimal(5, 2), INT), decimal(6, 2)),
    ("floor", (DOUBLE,), DOUBLE),
    ("negate", (INTERVAL,), INTERVAL),
]


@pytest.mark.parametrize(("function", "arguments", "expected"), TYPED)
def test_a_call_has_a_type(function: str, arguments: tuple[Type, ...], expected: Type):
    assert result_type(function, arguments) == expected


MISMATCHED = [
    ("upper", (), None),
    ("upper", (STRING, STRING), None),
    ("coalesce", (), None),
    ("pi", (INT,), None),
    ("add", (INT, STRING), 1),
    ("add", (INT, DATE), 1),
    ("add", (DATE, DATE), 1),
    ("multiply", (INTERVAL, DOUBLE), 1),
    ("subtract", (INTERVAL, TIMESTAMP), 1),
    ("eq", (INT, STRING), 1),
    ("and", (BOOLEAN, BOOLEAN, INT), 2),
    ("coalesce", (INT, INT, STRING, INT), 2),
    ("substring", (STRING, STRING), 1),
    ("date_trunc", (STRING, STRING), 1),
]


@pytest.mark.parametrize(("function", "arguments", "index"), MISMATCHED)
def test_a_wrong_argument_is_reported_with_its_index(
    function: str, arguments: tuple[Type, ...], index: int | None
):
    mismatch = result_type(function, arguments)
    assert isinstance(mismatch, Mismatch)
    assert mismatch.index == index


def test_the_parameters_of_a_function_are_a_sentence():
    assert FUNCTIONS["substring"].takes == (
        'Function "substring" takes a string, an integer and optionally an integer.'
    )
    assert FUNCTIONS["pi"].takes == 'Function "pi" takes no arguments.'
    assert FUNCTIONS["eq"].takes == (
        'Function "eq" takes a value and a value, of types that can be compared.'
    )
