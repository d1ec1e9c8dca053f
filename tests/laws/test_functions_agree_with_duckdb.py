"""The reference's functions against DuckDB's, wherever the two mean the same."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from functools import cache
from typing import Any

import duckdb
import pytest
import sqlglot
from hypothesis import given
from hypothesis import strategies as st
from sqlglot import exp

from laws.by_duckdb import database
from laws.effort import trying
from slackwater.algebra.expressions import Aggregation, Call, Column, Literal
from slackwater.algebra.expressions.collected import COLLECTED
from slackwater.algebra.expressions.functions import (
    AGGREGATES,
    FUNCTIONS,
    aggregate_type,
    astronomy,
    result_type,
)
from slackwater.algebra.schema import Schema
from slackwater.algebra.types import BIGINT, BOOLEAN, DATE, DOUBLE, INT, STRING, TIMESTAMP, Type, decimal
from slackwater.algebra.values import canonical
from slackwater.base.diagnostic import EngineError
from slackwater.base.span import Text
from slackwater.bind.functions import aggregate_call, function_call
from slackwater.language.cql import parse
from slackwater.reference.aggregates import make_accumulator
from slackwater.reference.expressions import compiled
from spark.functions.scalars import FAMILIES


def unsigned_zero(value: float) -> float:
    """The value as a column holds it: zero has no sign."""
    return value + 0.0


MONEY = decimal(9, 2)
SQL_NAMES = {STRING: "VARCHAR"}

small = st.integers(-20, 20)
wide = small | st.integers(-(2**63), 2**63 - 1) | st.sampled_from([-(2**63), 2**63 - 1])
texts = st.text(alphabet="abAB ,%_x", max_size=6)
finite = st.floats(-1e6, 1e6).map(unsigned_zero)
STRATEGIES: dict[Type, st.SearchStrategy[Any]] = {
    BOOLEAN: st.booleans(),
    BIGINT: small | st.integers(-(2**31), 2**31),
    DOUBLE: finite | st.sampled_from([0.0, 0.5, -0.5, 2.5, math.inf, -math.inf, math.nan]),
    MONEY: st.decimals(-9999999, 9999999, places=2),
    STRING: texts,
    DATE: st.dates(date(1800, 1, 1), date(2200, 1, 1)),
    TIMESTAMP: st.datetimes(datetime(1800, 1, 1), datetime(2200, 1, 1)),
}
NUMBERS = (BIGINT, DOUBLE, MONEY)
TIMES = (DATE, TIMESTAMP)
COMPARABLE = (BOOLEAN, *NUMBERS, STRING, *TIMES)

positive = st.floats(1e-6, 1e6).map(unsigned_zero)
ratio = st.floats(-1, 1).map(unsigned_zero)
count = st.integers(0, 8)
digits = st.integers(-3, 6)
UNITS = ("microsecond", "millisecond", "second", "minute", "hour", "day", "month", "quarter", "year")

Case = tuple[str, tuple[Type, ...], tuple[st.SearchStrategy[Any], ...]]


def plain(text: str, *types: Type) -> Case:
    return text, types, tuple(STRATEGIES[type_] for type_ in types)


def _arithmetic() -> list[Case]:
    pairs = [(one, other) for one in NUMBERS for other in NUMBERS]
    return [
        *(plain(f"? {sign} ?", *pair) for sign in "+-*" for pair in pairs),
        *((f"? {sign} ?", (BIGINT, BIGINT), (wide, wide)) for sign in "+-*"),
        ("abs(?)", (BIGINT,), (wide,)),
        *(plain("- ?", type_) for type_ in NUMBERS),
        *(plain("abs(?)", type_) for type_ in NUMBERS),
        ("? % ?", (BIGINT, BIGINT), (STRATEGIES[BIGINT], small.filter(bool))),
        ("? % ?", (DOUBLE, DOUBLE), (finite, positive)),
        ("? % ?", (MONEY, MONEY), (STRATEGIES[MONEY], STRATEGIES[MONEY].filter(bool))),
        ("? / ?", (DOUBLE, DOUBLE), (STRATEGIES[DOUBLE], positive)),
        ("? / ?", (MONEY, MONEY), (STRATEGIES[MONEY], STRATEGIES[MONEY].filter(bool))),
    ]


def _logic() -> list[Case]:
    signs = ("=", "<>", "<", "<=", ">", ">=", "IS NOT DISTINCT FROM")
    return [
        *(plain(f"? {sign} ?", type_, type_) for sign in signs for type_ in COMPARABLE),
        *(plain(f"? {sign} ?", BIGINT, DOUBLE) for sign in signs),
        *(plain(f"? {sign} ?", DATE, TIMESTAMP) for sign in signs),
        plain("? AND ?", BOOLEAN, BOOLEAN),
        plain("? OR ?", BOOLEAN, BOOLEAN),
        plain("NOT ?", BOOLEAN),
        plain("? IS NULL", BIGINT),
        plain("coalesce(?, ?)", BIGINT, DOUBLE),
        plain("nullif(?, ?)", STRING, STRING),
        *(plain(f"{name}(?, ?, ?)", *(type_,) * 3) for name in ("greatest", "least") for type_ in COMPARABLE),
    ]


def _texts() -> list[Case]:
    return [
        plain("? LIKE ?", STRING, STRING),
        plain("? ILIKE ?", STRING, STRING),
        *(
            plain(f"{name}(?)", STRING)
            for name in ("upper", "lower", "length", "trim", "ltrim", "rtrim", "reverse")
        ),
        *(plain(f"{name}(?, ?)", STRING, STRING) for name in ("trim", "ltrim", "rtrim")),
        *(
            plain(f"{name}(?, ?)", STRING, STRING)
            for name in ("starts_with", "ends_with", "contains", "strpos")
        ),
        ("substring(?, ?)", (STRING, BIGINT), (texts, st.integers(1, 8) | st.integers(-8, -1))),
        (
            "substring(?, ?, ?)",
            (STRING, BIGINT, BIGINT),
            (texts, st.integers(1, 8) | st.integers(-8, -1), count),
        ),
        plain("? || ?", STRING, STRING),
        plain("replace(?, ?, ?)", STRING, STRING, STRING),
        ("left(?, ?)", (STRING, BIGINT), (texts, count)),
        ("right(?, ?)", (STRING, BIGINT), (texts, count)),
        ("lpad(?, ?, ?)", (STRING, INT, STRING), (texts, small, texts.filter(bool))),
        ("rpad(?, ?, ?)", (STRING, INT, STRING), (texts, small, texts.filter(bool))),
        ("repeat(?, ?)", (STRING, BIGINT), (texts, small)),
        ("split_part(?, ?, ?)", (STRING, STRING, BIGINT), (texts, texts.filter(bool), small)),
    ]


def _math() -> list[Case]:
    reals = ("exp", "atan", "degrees", "radians")
    return [
        *(
            plain(f"{name}(?)", type_)
            for name in ("ceil", "floor", "round", "trunc")
            for type_ in (DOUBLE, MONEY)
        ),
        *(plain("sign(?)", type_) for type_ in NUMBERS),
        ("round(?, ?)", (DOUBLE, INT), (finite, digits)),
        ("round(?, ?)", (BIGINT, INT), (STRATEGIES[BIGINT], digits)),
        *((f"{name}(?)", (DOUBLE,), (positive,)) for name in ("sqrt", "ln", "log10", "log2")),
        *((f"{name}(?)", (DOUBLE,), (ratio,)) for name in ("asin", "acos")),
        *((f"{name}(?)", (DOUBLE,), (finite,)) for name in ("sin", "cos", "tan")),
        *(plain(f"{name}(?)", DOUBLE) for name in reals),
        plain("atan2(?, ?)", DOUBLE, DOUBLE),
        ("power(?, ?)", (DOUBLE, DOUBLE), (positive, st.floats(-20, 20).map(unsigned_zero))),
        ("log(?, ?)", (DOUBLE, DOUBLE), (st.floats(1.5, 100).map(unsigned_zero), positive)),
        ("pi()", (), ()),
    ]


def _times() -> list[Case]:
    fields = ("year", "month", "day", "isodow", "dayofyear", "week", "quarter", "epoch")
    clock = ("hour", "minute", "second")
    return [
        *(plain(f"{name}(?)", type_) for name in fields for type_ in TIMES),
        *(plain(f"{name}(?)", TIMESTAMP) for name in clock),
        *(plain(f"date_trunc('{unit}', ?)", type_) for unit in (*UNITS, "week") for type_ in TIMES),
        *(plain(f"date_diff('{unit}', ?, ?)", TIMESTAMP, TIMESTAMP) for unit in UNITS),
        plain("? - ?", TIMESTAMP, TIMESTAMP),
        ("make_date(?, ?, ?)", (BIGINT,) * 3, (st.integers(1, 9999), st.integers(1, 12), st.integers(1, 28))),
    ]


CASES = [*_arithmetic(), *_logic(), *_texts(), *_math(), *_times()]

DIFFERENT = {
    "negate": "of the least bigint an error here; there a wider integer",
    "divide": "x / 0 is NULL here and an infinity there, and integers divide to a double there",
    "modulo": "x % 0 is NULL here and an error or NaN there",
    "truncate": "of digits that differ by row: it takes only constants there",
    "substring": "a start of 0 is 1 here, and a negative length is empty, as in Spark",
    "left": "a negative count is empty here, as in Spark; all but so many there",
    "right": "as left",
    "split_part": "an empty delimiter splits nothing here, as in Spark; into characters there",
    "lpad": "an empty filling fills nothing here and is an error there; so it is for rpad",
    "upper": "of ß it is SS here, as in Java; and by code point, so are lower and reverse",
    "sqrt": "outside the domain NULL here, NaN or an infinity there; so are ln, log, asin, power, …",
    "date_diff": "by week, Mondays are counted here, and spans of seven whole days there",
    "make_date": "NULL of a day that is not there; an error there",
    "concat": "NULL if a part is, as in Spark; concat() leaves NULLs out there, || does not",
    "in_list": "bound apart; tested in the unit tests",
    "split_index": "a function of Flink; tested in tests/queries/functions.cqt; so is at_time_zone",
}
"""Where, and why, the arguments above are restricted to those on which the two agree."""

SPARK_S_OWN = {
    call.name
    for family in FAMILIES.values()
    for text in family
    for part in parse(Text("<query>", f"SELECT {text} FROM t"))[0].walk()
    if isinstance(part, exp.Expression) and (call := function_call(part))
}
"""Functions that are compared with Spark itself, in tests/spark/test_functions_are_spark_s.py."""
SKY = {function.name for function in astronomy.FUNCTIONS}
"""Functions that DuckDB has not: see `test_positions_in_the_sky`."""
OVERLOADS = {"array_concat", "array_reverse", "field", "map_value", "number_text"}
"""What concat, reverse, `s.a`, `m[k]` and to_number become by the types of their arguments."""
NEVER_COMPARED = {"in_list", "struct", "split_index", "at_time_zone"} | SKY | OVERLOADS


def sql_type(type_: Type) -> str:
    return SQL_NAMES.get(type_, str(type_).upper())


def parsed(text: str) -> exp.Expression:
    select = sqlglot.parse_one(f"SELECT {text}")
    assert isinstance(select, exp.Select)
    return select.selects[0]


@cache
def ours(text: str, types: tuple[Type, ...]) -> Callable[[tuple[Any, ...], dict[str, Any]], Any]:
    """The text by the binder's names and the reference, a function of its `?` in order."""
    numbered = text
    for index in range(len(types)):
        numbered = numbered.replace("?", f"x{index}", 1)
    schema = Schema(tuple((f"x{index}", type_) for index, type_ in enumerate(types)))
    return compiled(_bound(parsed(numbered), schema), schema)


def _bound(node: exp.Expression, schema: Schema) -> Any:
    if isinstance(node, exp.Literal):
        return Literal(STRING, node.name)
    if isinstance(node, exp.Column):
        return Column(schema.type_of(node.name), node.name)
    call = function_call(node)
    assert call is not None, node
    arguments = tuple(_bound(argument, schema) for argument in call.arguments)
    type_ = result_type(call.name, [argument.type for argument in arguments])
    assert isinstance(type_, Type), type_
    return Call(type_, call.name, arguments)


@pytest.fixture(scope="module")
def theirs() -> Callable[[str, tuple[Type, ...], list[Any]], Any]:
    connection = duckdb.connect(config={"threads": 1})

    def evaluate(text: str, types: tuple[Type, ...], values: list[Any]) -> Any:
        typed = text
        for type_ in types:
            typed = typed.replace("?", f"CAST($ AS {sql_type(type_)})", 1)
        for index in range(len(types)):
            typed = typed.replace("$ ", f"${index + 1} ", 1)
        row = connection.execute(f"SELECT {typed}", values).fetchone()
        assert row is not None
        return row[0]

    return evaluate


def agree(one: Any, other: Any) -> bool:
    if one is None or other is None:
        return one is other
    if isinstance(one, float):
        near = math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)
        return near or (math.isnan(one) and math.isnan(other))
    return bool(one == other)


@pytest.mark.parametrize(
    ("text", "types", "strategies"), CASES, ids=[f"{c[0]} of {c[1]!s:.60}" for c in CASES]
)
@trying(50)
@given(data=st.data())
def test_the_reference_and_duckdb_agree(
    text: str,
    types: tuple[Type, ...],
    strategies: tuple[st.SearchStrategy[Any], ...],
    theirs: Callable[[str, tuple[Type, ...], list[Any]], Any],
    data: st.DataObject,
):
    values = [data.draw(st.none() | strategy) for strategy in strategies]
    try:
        mine = ours(text, types)(tuple(map(canonical, values)), {})
    except EngineError:
        with pytest.raises(duckdb.OutOfRangeException):
            theirs(text, types, values)
        return
    other = theirs(text, types, values)
    assert agree(mine, other), (values, mine, other)


def test_every_function_is_compared_or_listed_as_different():
    compared = set()
    for text, types, _ in CASES:
        call = function_call(parsed(text.replace("?", "x") if types else text))
        assert call is not None
        compared.add(call.name)
    assert FUNCTIONS.keys() == compared | SPARK_S_OWN | NEVER_COMPARED
    assert DIFFERENT.keys() <= FUNCTIONS.keys()


ORDERED = [("min", BOOLEAN), ("max", STRING), ("min", TIMESTAMP), ("max", DOUBLE), ("min", DOUBLE)]
OF_BAGS = {aggregate.name for aggregate in COLLECTED} | {"try_sum"}
"""Aggregates that are compared with Spark itself."""
SUMMED = [
    (name, type_) for name in AGGREGATES if name not in OF_BAGS | {"min", "max"} for type_ in (BIGINT, MONEY)
]
# Of decimals the median is a double here; there it is a decimal of the same scale, cut.
SUMMED.remove(("median", MONEY))
SUMMED += [(name, DOUBLE) for name in ("count", "sum", "avg", "median", "stddev", "var_pop")]


@pytest.mark.parametrize("distinct", ["", "DISTINCT "])
@pytest.mark.parametrize(("name", "type_"), [*ORDERED, *SUMMED], ids=str)
@trying(50)
@given(data=st.data())
def test_the_aggregates_agree_with_duckdb(name: str, type_: Type, distinct: str, data: st.DataObject):
    strategy = finite if type_ == DOUBLE and name not in ("min", "max") else STRATEGIES[type_]
    values = data.draw(st.lists(st.none() | strategy, min_size=1, max_size=8))
    call = aggregate_call(parsed(f"{name}({distinct}x)"))
    assert call is not None
    result = aggregate_type(call.name, type_, call.distinct)
    assert isinstance(result, Type)
    state = make_accumulator(Aggregation(result, call.name, Column(type_, "x"), call.distinct))
    for value in values:
        state.add(canonical(value), 1)
    listed = ", ".join(f"(CAST(${index + 1} AS {sql_type(type_)}))" for index in range(len(values)))
    query = f"SELECT {name}({distinct}x) FROM (VALUES {listed}) AS t(x)"
    row = database().execute(query, values).fetchone()
    assert row is not None
    mine, other = state.value(), row[0]
    if isinstance(mine, float) and other is not None:
        assert float(other) == pytest.approx(mine, rel=1e-6, abs=1e-3, nan_ok=True)
    else:
        assert mine == (Decimal(other) if isinstance(mine, Decimal) else other)
