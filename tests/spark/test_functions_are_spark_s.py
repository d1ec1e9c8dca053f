"""The reference and the kernels give what Spark gives, on random rows; its list of functions is covered."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

import polars as pl
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import col, expr

from docs.spark_page import DIFFERENT, NAMES, OPERATORS, kind
from golden import golden
from laws.test_kernel_expressions import same
from slackwater import algebra
from slackwater.algebra.expressions import Column, Expression
from slackwater.algebra.schema import Schema
from slackwater.algebra.values import canonical, map_value
from slackwater.base.span import Text
from slackwater.base.time import INFINITY
from slackwater.bind.catalog import Catalog
from slackwater.bind.program import bind
from slackwater.kernels.expressions.columns import column
from slackwater.kernels.expressions.values import column_of, values_of
from slackwater.kernels.frames import FROM, TO, N
from slackwater.kernels.machine import Machine
from slackwater.physical.lower import lowered
from slackwater.reference.bags import Changes, record
from slackwater.reference.expressions import compiled
from slackwater.reference.history import Histories
from slackwater.run.answers import seen_as
from slackwater.sources.frames import spark_frame
from slackwater.sources.spark_types import spark_type
from spark.functions.aggregates import CALLS
from spark.functions.columns import COLUMNS, rows
from spark.functions.scalars import FAMILIES

ELSEWHERE = {
    *("avg", "count", "max", "mean", "median", "min", "std", "stddev", "stddev_pop", "stddev_samp", "sum"),
    *("var_pop", "var_samp", "variance", "ceiling", "floor", "signum"),
}
"""Compared with DuckDB, or as another function is."""
SCHEMA = Schema(tuple((f"r.{name}", type_) for name, (type_, _) in COLUMNS.items()))


def bound(text: str) -> Expression:
    """The expression that the text means over the columns."""
    declared = ", ".join(f"{name} {type_}" for name, (type_, _) in COLUMNS.items())
    queries = bind(
        Text("q", f"CREATE STREAM r ({declared}) TIME at INT; SELECT {text} AS answer FROM r [NOW]"),
        Catalog(),
    )
    plan = next(node for node in queries[-1].plan.walk() if isinstance(node, algebra.Project))
    ((_, expression),) = plan.columns
    return expression


@contextmanager
def lenient(spark: SparkSession) -> Iterator[None]:
    """What is an error in ANSI mode is NULL, and a backslash in a text is one, as here."""
    settings = {
        "spark.sql.ansi.enabled": "false",
        "spark.sql.legacy.sizeOfNull": "false",
        "spark.sql.parser.escapedStringLiterals": "true",
    }
    for name, value in settings.items():
        spark.conf.set(name, value)
    try:
        yield
    finally:
        for name in settings:
            spark.conf.unset(name)


def spark_rows(spark: SparkSession, values: dict[str, list[Any]]) -> DataFrame:
    frame = pl.DataFrame([column_of(values[name], type_).alias(name) for name, (type_, _) in COLUMNS.items()])
    maps = {name: seen_as(type_) for name, (type_, _) in COLUMNS.items() if type_.name == "map"}
    frame = frame.with_columns(pl.col(name).cast(kind) for name, kind in maps.items())
    table = frame.with_columns(pl.col(pl.Datetime("us")).dt.replace_time_zone("UTC")).to_arrow()
    typed = [
        f"CAST(`{name}` AS {spark_type(type_).simpleString()}) AS `{name}`"
        for name, (type_, _) in COLUMNS.items()
    ]
    return spark_frame(spark, table).selectExpr(*typed)


def by_spark(spark: SparkSession, texts: tuple[str, ...], values: dict[str, list[Any]]) -> list[list[Any]]:
    with lenient(spark):
        answers = spark_rows(spark, values).selectExpr(*(f"{s} AS c{i}" for i, s in enumerate(texts)))
        return [column.to_pylist() for column in answers.toArrow().columns]


def plain(value: Any) -> Any:
    """A value as the algebra has it."""
    if isinstance(value, datetime):
        return value.replace(tzinfo=None)
    if isinstance(value, list) and value and isinstance(value[0], tuple):
        return map_value((plain(key), plain(item)) for key, item in value)
    if isinstance(value, list):
        return tuple(map(plain, value))
    if isinstance(value, dict):
        return tuple(map(plain, value.values()))
    return canonical(value)


def agree(mine: Any, theirs: Any) -> bool:
    if isinstance(theirs, float) and mine is None:
        return not math.isfinite(theirs)  # outside its domain a function is NULL here
    if isinstance(mine, float) or isinstance(theirs, float):
        return mine is not None and theirs is not None and _near(float(mine), float(theirs))
    if isinstance(mine, tuple) and isinstance(theirs, tuple):
        return len(mine) == len(theirs) and all(map(agree, mine, theirs))
    return bool(mine == theirs)


def _near(mine: float, theirs: float) -> bool:
    return (mine != mine and theirs != theirs) or math.isclose(mine, theirs, rel_tol=1e-12, abs_tol=1e-300)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_of_functions_is_spark_s(spark: SparkSession, family: str) -> None:
    texts, values = FAMILIES[family], rows()
    differing = []
    listed = [tuple(canonical(values[name][row]) for name in COLUMNS) for row in range(len(values["i"]))]
    frame = pl.DataFrame(
        [column_of(values[name], type_).alias(f"r.{name}") for name, (type_, _) in COLUMNS.items()]
    )
    for text, theirs in zip(texts, by_spark(spark, texts, values), strict=True):
        bound_text = bound(text)
        evaluate = compiled(bound_text, SCHEMA)
        mine = [evaluate(row, {}) for row in listed]
        kernel = values_of(frame.select(column(bound_text).alias("answer"))["answer"], bound_text.type)
        for row, a, b, c in zip(listed, mine, map(plain, theirs), kernel, strict=True):
            if not (agree(a, b) and same(a, c, nearly=True)):
                used = {
                    part.name[2:]: row[SCHEMA.index(part.name)]
                    for part in bound_text.walk()
                    if isinstance(part, Column)
                }
                differing.append((text, used, "reference", a, "spark", b, "kernel", c))
                break
    assert not differing, "\n".join(map(str, differing))


def test_every_function_of_spark_is_known(spark: SparkSession) -> None:
    """Each of its functions is supported, or refused with a reason: `kind` has one for every name."""
    names = "".join(
        f"{function.name}\n" for function in sorted(spark.catalog.listFunctions(), key=lambda f: f.name)
    )
    assert names == golden(NAMES, names), "make golden rewrites the list"
    for name in names.split():
        kind(name)


def test_every_supported_function_is_compared() -> None:
    texts = [*(text for family in FAMILIES.values() for text in family), *CALLS]
    called = {word for text in texts for word in re.findall(r"[a-z_0-9]+(?=\()", text.lower())}
    signs = {word for text in texts for word in text.split()}
    supported = {name for name in NAMES.read_text().split() if kind(name) == "supported"}
    assert sorted(supported - called - signs - OPERATORS - DIFFERENT.keys() - ELSEWHERE) == []


def by_kernels(plan: algebra.Operator, values: dict[str, list[Any]]) -> set[tuple[Any, ...]]:
    """The rows of the answer at 1, if all rows arrive then."""
    times = {FROM: 1, TO: INFINITY, N: 1}
    frame = pl.DataFrame([column_of(values[name], type_).alias(name) for name, (type_, _) in COLUMNS.items()])
    frame = frame.with_columns(pl.lit(value, pl.Int64).alias(name) for name, value in times.items())
    answer = Machine(lowered({"answer": plan})).epoch({"r": frame}, 0, INFINITY)["answer"]
    return set(zip(*(values_of(answer[name], type_) for name, type_ in plan.schema), strict=True))


def test_aggregates_are_spark_s(spark: SparkSession) -> None:
    values = rows()
    declared = ", ".join(f"{name} {type_}" for name, (type_, _) in COLUMNS.items())
    columns = ", ".join(f"{text} AS c{place}" for place, text in enumerate(CALLS))
    query = f"SELECT n % 3 AS g, {columns} FROM r [RANGE UNBOUNDED] GROUP BY n % 3"
    plan = bind(Text("q", f"CREATE STREAM r ({declared}) TIME at INT; {query}"), Catalog())[-1].plan
    changes: Changes = {}
    for row in range(len(values["i"])):
        record(changes, 1, tuple(canonical(values[name][row]) for name in COLUMNS), 1)
    mine = {row[0]: row for row in Histories({"r": changes}).changes(plan)[1]}
    assert set(mine.values()) == by_kernels(plan, values)
    spelled = [f"{text} AS c{place}" for place, text in enumerate(CALLS.values())]
    with lenient(spark):
        frame = spark_rows(spark, values).groupBy((col("n") % 3).alias("g")).agg(*map(expr, spelled))
        answers = [tuple(map(plain, row.values())) for row in frame.toArrow().to_pylist()]
    differing = [
        (text, row[0], mine[row[0]][place], row[place])
        for row in answers
        for place, text in enumerate(CALLS, 1)
        if not agree(mine[row[0]][place], row[place])
    ]
    assert len(mine) == len(answers)
    assert not differing
