"""A function that has a spelling in Spark SQL gives what the kernels give, on edge values of every type."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import polars as pl
from pyspark.sql import SparkSession

from laws.test_kernel_expressions import LIST, MONEY, PAIR, WHOLE, WIDE, by_kernel, same
from slackwater.algebra import types as t
from slackwater.algebra.expressions import Call, Column
from slackwater.algebra.expressions.functions import FUNCTIONS, Function, result_type
from slackwater.algebra.types import Type
from slackwater.kernels.expressions.values import column_of, dtype, values_of
from slackwater.sources.frames import spark_frame
from slackwater.sources.spark_types import spark_type

ROWS = 1_000
SIDES = "abc"
NAN, INF = math.nan, math.inf
FLOATS = (0.0, -0.0, NAN, INF, -INF, 1.5, -1.5, 5e-324, 2.0**53, 2.0**53 + 2, 0.1, 1e300)
TIMES = (datetime(1, 1, 1), datetime(1969, 12, 31, 23, 59, 59, 999999), datetime(1970, 1, 1))
EDGES: dict[Type, tuple[Any, ...]] = {
    t.BOOLEAN: (True, False),
    t.TINYINT: (-128, -1, 0, 1, 127),
    t.SMALLINT: (-(2**15), -1, 0, 1, 2**15 - 1),
    t.INT: (-(2**31), -1, 0, 1, 2**31 - 1),
    t.BIGINT: (-(2**63), 1 - 2**63, -1, 0, 1, 2**53, 2**53 + 1, 2**63 - 1),
    t.FLOAT: (0.0, -0.0, NAN, INF, -INF, 1.5, -1.5, 2.0**-149, 2.0**24),
    t.DOUBLE: FLOATS,
    MONEY: tuple(map(Decimal, ("0.00", "-0.01", "0.01", "1.00", "9999999.99", "-9999999.99"))),
    WIDE: tuple(map(Decimal, ("0.0000000000", "-1E-10", "1E-10", f"{'9' * 28}.{'9' * 10}"))),
    WHOLE: tuple(map(Decimal, ("0", "-1", "1", "9" * 38, f"-{'9' * 38}"))),
    t.STRING: (
        *("", " ", "  ", "a", "A", "b", "ab", "ba", "aa", "aaa", "aba", " a ", "\ta\n", "\u00a0a\u00a0"),
        *(
            "é",
            "e\u0301",
            "ß",
            "Σ",
            "\0",
            "a\0",
            "𝄞",
            "a𝄞",
            "\uffff",
            "\U0010ffff",
            "%",
            "_",
            "\\",
            "'",
            "{0}",
        ),
    ),
    t.BINARY: (b"", b"\0", b"a", b"ab", b"\x7f", b"\x80", b"\xff"),
    t.DATE: (date.min, date(1582, 10, 10), date(1970, 1, 1), date(2024, 2, 29), date.max),
    t.TIMESTAMP: (*TIMES, datetime(2024, 3, 31, 2, 30), datetime.max),
    t.TIMESTAMP_NTZ: (*TIMES, datetime(2024, 3, 31, 2, 30), datetime.max),
    LIST: ((), (None,), (0.0,), (NAN,), (1.0, None), (1.0, 2.0)),
    PAIR: ((None, None), (1, None), (1, "a"), (None, "a"), (2, "")),
}
COLUMNS = {f"{side} {type_}": type_ for side in SIDES for type_ in EDGES}


def calls() -> Iterator[tuple[str, Call]]:
    """Every function with a spelling, on one to three columns of each type it takes."""
    for function in FUNCTIONS.values():
        if function.spark is None:
            continue
        for type_ in EDGES:
            for count in _counts(function):
                result = result_type(function.name, (type_,) * count)
                if isinstance(result, Type):
                    names = [f"{side} {type_}" for side in SIDES[:count]]
                    spelled = function.spark([f"`{name}`" for name in names])
                    yield spelled, Call(result, function.name, tuple(Column(type_, name) for name in names))


def _counts(function: Function) -> range:
    most = len(SIDES) if function.variadic else len(function.parameters)
    return range(max(1, len(function.parameters) - function.optional), most + 1)


def values(side: str, type_: Type) -> list[Any]:
    """A column of edge values: beside each other, those of two sides make every pair there is."""
    edges = (None, *EDGES[type_])
    count = len(edges)
    places = {
        "a": lambda row: row,
        "b": lambda row: row // count,
        "c": lambda row: row + 7 * (row // count) + row // count**2,
    }
    return [edges[places[side](row) % count] for row in range(ROWS)]


def test_spark_computes_what_the_kernels_compute(spark: SparkSession) -> None:
    frame = pl.DataFrame(
        [column_of(values(name[0], type_), type_).alias(name) for name, type_ in COLUMNS.items()]
    )
    # In the JVM a zero may have a sign; in the kernels it has none.
    canonical = frame.with_columns(pl.selectors.float() + 0.0)
    table = frame.with_columns(pl.col(f"^. {t.TIMESTAMP}$").dt.replace_time_zone("UTC")).to_arrow()
    typed = [
        f"CAST(`{name}` AS {spark_type(type_).simpleString()}) AS `{name}`" for name, type_ in COLUMNS.items()
    ]
    every = list(calls())
    assert {call.function for _, call in every} == {f.name for f in FUNCTIONS.values() if f.spark}
    exprs = [f"{spelled} AS `{place}`" for place, (spelled, _) in enumerate(every)]
    rows = pl.from_arrow(spark_frame(spark, table).selectExpr(*typed).selectExpr(*exprs).toArrow())
    assert isinstance(rows, pl.DataFrame)
    differing = [
        (spelled, canonical.select(part.name for part in call.walk() if isinstance(part, Column)).row(row))
        for (spelled, call), answer in zip(every, rows, strict=True)
        for row in rows_that_differ(call, canonical, answer)[:1]
    ]
    assert not differing


def rows_that_differ(call: Call, frame: pl.DataFrame, answer: pl.Series) -> list[int]:
    if call.type == t.TIMESTAMP:
        answer = answer.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    answers = values_of(answer.cast(dtype(call.type)), call.type)
    expected = by_kernel(call, frame)
    assert isinstance(expected, list), expected
    pairs = zip(answers, expected, strict=True)
    return [row for row, (one, other) in enumerate(pairs) if not same(one, other, nearly=False)]


def test_a_function_that_may_fail_has_no_spelling() -> None:
    assert not [f.name for f in FUNCTIONS.values() if f.spark and f.error]
