"""A predicate that is spelled in Spark SQL has the values that the reference gives it, in every time zone."""

from __future__ import annotations

import math
from functools import cache
from itertools import product
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from laws.test_kernel_expressions import MONEY, VALUES, WHOLE, WIDE, expressions, same
from slackwater.algebra import types as t
from slackwater.algebra.expressions import Call, Case, Cast, Column, Expression, Literal
from slackwater.algebra.expressions.functions import FUNCTIONS, result_type
from slackwater.algebra.schema import Schema
from slackwater.algebra.types import Type
from slackwater.algebra.values import canonical
from slackwater.kernels.expressions.values import column_of
from slackwater.optimize.facts.failing import may_fail
from slackwater.physical.pushdown.spelling import spark_name, spelled
from slackwater.reference.expressions import compiled
from slackwater.sources.frames import spark_frame
from spark.test_functions_in_spark import EDGES

ZONES = ("America/St_Johns", "Asia/Kathmandu")
"""With half and quarter hours, and one of them with summer time."""
TYPES = (
    *(t.BOOLEAN, t.TINYINT, t.SMALLINT, t.INT, t.BIGINT, t.FLOAT, t.DOUBLE, MONEY, WIDE, WHOLE),
    *(t.STRING, t.BINARY, t.DATE, t.TIMESTAMP, t.TIMESTAMP_NTZ),
)
SCHEMA = Schema(tuple((f"{side}.{type_}", type_) for side in "ab" for type_ in TYPES))
COLUMNS = {name: f"`{name}`" for name in SCHEMA.names}
WIDER = {
    t.SMALLINT: (t.TINYINT,), t.INT: (t.TINYINT, t.SMALLINT), t.BIGINT: (t.TINYINT, t.SMALLINT, t.INT),
    t.DOUBLE: (t.FLOAT, t.TINYINT, t.INT), WIDE: (MONEY, t.INT, t.BIGINT), WHOLE: (t.TINYINT, t.BIGINT),
}  # fmt: skip


def values(type_: Type) -> st.SearchStrategy[Any]:
    """Values as the JVM may have them: a zero may have a sign."""
    drawn = VALUES[t.TIMESTAMP if type_ == t.TIMESTAMP_NTZ else type_]
    return st.none() | st.sampled_from(EDGES[type_]) | drawn


@cache
def signatures() -> dict[Type, list[tuple[str, tuple[Type, ...]]]]:
    """The functions with a spelling, by the types of their results."""
    by_result: dict[Type, list[tuple[str, tuple[Type, ...]]]] = {}
    for function in FUNCTIONS.values():
        if function.spark is None:
            continue
        least = max(len(function.parameters) - function.optional, 1)
        counts = {least, len(function.parameters), *((2, 3) if function.variadic else ())}
        for type_, count in product(TYPES, counts):
            types = (type_,) * count
            result = result_type(function.name, types)
            if isinstance(result, Type):
                by_result.setdefault(result, []).append((function.name, types))
    return by_result


@st.composite
def spellable(draw: st.DrawFn, type_: Type, depth: int) -> Expression:
    kinds = (
        ["column"] * 3 + ["literal"] * 2 + ["null"] + ["call", "call", "call", "case", "cast"] * bool(depth)
    )
    match draw(st.sampled_from(kinds)):
        case "call" if type_ in signatures():
            name, types = draw(st.sampled_from(signatures()[type_]))
            arguments = tuple(draw(spellable(part, depth - 1)) for part in types)
            return Call(type_, name, arguments)
        case "case":
            branch = draw(spellable(t.BOOLEAN, depth - 1)), draw(spellable(type_, depth - 1))
            return Case(type_, (branch,), draw(spellable(type_, depth - 1)))
        case "cast" if type_ in WIDER:
            return Cast(type_, draw(spellable(draw(st.sampled_from(WIDER[type_])), depth - 1)))
        case "literal":
            return Literal(type_, canonical(draw(values(type_))))
        case "null":
            return Literal(draw(st.sampled_from([type_, t.NULL])), None)
    return Column(type_, f"{draw(st.sampled_from('ab'))}.{type_}")


predicates = st.lists(spellable(t.BOOLEAN, 3) | expressions(t.BOOLEAN, 2), min_size=60, max_size=60)
rows = st.lists(st.tuples(*(values(type_) for _, type_ in SCHEMA)), min_size=24, max_size=24)


def frame_of(spark: SparkSession, rows: list[tuple[Any, ...]]) -> Any:
    columns = [column_of([row[at] for row in rows], type_) for at, type_ in enumerate(SCHEMA.types)]
    frame = pl.DataFrame([column.alias(name) for column, name in zip(columns, SCHEMA.names, strict=True)])
    table = frame.with_columns(pl.col(f"^.\\.{t.TIMESTAMP}$").dt.replace_time_zone("UTC")).to_arrow()
    typed = [f"CAST(`{name}` AS {spark_name(type_)}) AS `{name}`" for name, type_ in SCHEMA]
    return spark_frame(spark, table).selectExpr(*typed)


def is_known(expr: Expression) -> bool:
    """Whether it reads only columns that are there: the strategy of the kernels has arrays, too."""
    names = {part.name for part in expr.walk() if isinstance(part, Column)}
    return names <= set(SCHEMA.names)


def test_spark_accepts_the_rows_that_the_reference_accepts(spark: SparkSession) -> None:
    counts = {"spelled": 0, "true": 0}
    before = str(spark.conf.get("spark.sql.session.timeZone"))

    @settings(
        max_examples=4, deadline=None, phases=(Phase.generate,), suppress_health_check=list(HealthCheck)
    )
    @given(predicates, rows)
    def holds(exprs: list[Expression], rows: list[tuple[Any, ...]]) -> None:
        texts = [(expr, spelled(expr, COLUMNS)) for expr in exprs if is_known(expr)]
        pairs = [(expr, text) for expr, text in texts if text is not None]
        expected = [
            [compiled(expr, SCHEMA)(tuple(map(canonical, row)), {}) for row in rows] for expr, _ in pairs
        ]
        frame = frame_of(spark, rows).selectExpr(*(f"{text} AS `{at}`" for at, (_, text) in enumerate(pairs)))
        for zone in ZONES:
            spark.conf.set("spark.sql.session.timeZone", zone)
            answer = frame.toArrow()
            wrong = [
                (text, row, one, other)
                for at, (_, text) in enumerate(pairs)
                for row, one, other in zip(rows, answer.column(at).to_pylist(), expected[at], strict=True)
                if not same(one, other, nearly=False)
            ]
            assert not wrong, wrong[0]
        counts["spelled"] += len(pairs)
        counts["true"] += sum(value is True for values in expected for value in values)

    try:
        holds()
    finally:
        spark.conf.set("spark.sql.session.timeZone", before)
    assert counts["spelled"] > 60
    assert counts["true"] > 100


BIG, DOUBLE = Column(t.BIGINT, "a.bigint"), Column(t.DOUBLE, "a.double")
DAY, MOMENT = Column(t.DATE, "a.date"), Column(t.TIMESTAMP, "a.timestamp")
REFUSED: dict[str, Expression] = {
    "overflow": Call(t.BIGINT, "add", (BIG, Literal(t.BIGINT, 1))),
    "mixed numbers": Call(t.BOOLEAN, "eq", (BIG, DOUBLE)),
    "a date as a timestamp": Call(t.BOOLEAN, "lt", (Cast(t.TIMESTAMP, DAY), MOMENT)),
    "a number as a text": Call(t.BOOLEAN, "eq", (Cast(t.STRING, DOUBLE), Literal(t.STRING, "0.0"))),
    "rounding": Call(t.BOOLEAN, "gt", (Cast(t.DOUBLE, BIG), DOUBLE)),
    "a field of a time": Call(t.BOOLEAN, "eq", (Call(t.BIGINT, "hour", (MOMENT,)), Literal(t.BIGINT, 1))),
    "logarithm": Call(t.BOOLEAN, "gt", (Call(t.DOUBLE, "ln", (DOUBLE,)), DOUBLE)),
    "a cast that may fail": Call(
        t.BOOLEAN, "eq", (Cast(t.BIGINT, Column(t.STRING, "a.string")), Literal(t.BIGINT, 1))
    ),
    "another column": Column(t.BOOLEAN, "c.boolean"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_spark_computes_otherwise_is_not_spelled(name: str) -> None:
    assert spelled(REFUSED[name], COLUMNS) is None


def test_a_number_that_is_none_is_spelled() -> None:
    assert spelled(Literal(t.DOUBLE, math.nan), {}) == "CAST('NaN' AS DOUBLE)"
    assert not may_fail(Literal(t.DOUBLE, math.nan))
