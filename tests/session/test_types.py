"""Every type of Spark's, nullable or not, alone or beside others, comes through or is refused by name."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

import slackwater as sw
from slackwater.session import Session

TYPES = {
    "flag": ("TRUE", "boolean"),
    "tiny": ("CAST(-128 AS TINYINT)", "tinyint"),
    "small": ("CAST(32767 AS SMALLINT)", "smallint"),
    "whole": ("1", "int"),
    "big": ("9223372036854775807", "bigint"),
    "single": ("CAST(0.1 AS FLOAT)", "double"),
    "double_": ("0.1D", "double"),
    "exact": ("CAST(1.50 AS DECIMAL(9, 2))", "decimal(9,2)"),
    "most": ("CAST('99999999999999999999999999999999999999' AS DECIMAL(38, 0))", "decimal(38,0)"),
    "least": ("CAST('0.00000000000000000000000000000000000001' AS DECIMAL(38, 38))", "decimal(38,38)"),
    "text": ("'ä €'", "string"),
    "bytes_": ("X'00FF'", "binary"),
    "day": ("DATE '1912-06-23'", "date"),
    "instant": ("TIMESTAMP '1912-06-23 08:00:00'", "timestamp"),
    "wall": ("TIMESTAMP_NTZ '1912-06-23 08:00:00'", "timestamp_ntz"),
    "several": ("ARRAY(1, 2)", "array<int>"),
    "moments": ("ARRAY(TIMESTAMP '2024-01-01 08:00:00')", "array<timestamp>"),
    "deep": ("ARRAY(ARRAY('a'), ARRAY())", "array<array<string>>"),
    "pair": ("NAMED_STRUCT('x', 1, 'at', TIMESTAMP '2024-01-01 08:00:00')", "struct<x:int,at:timestamp>"),
    "pairs": ("ARRAY(NAMED_STRUCT('x', 1, 'y', ARRAY('a')))", "array<struct<x:int,y:array<string>>>"),
    "mapped": ("MAP('b', 1, 'a', NULL)", "map<string,int>"),
    "maps": ("ARRAY(MAP(1, TIMESTAMP '2024-01-01 08:00:00'))", "array<map<int,timestamp>>"),
    "in_struct": ("NAMED_STRUCT('m', MAP('k', ARRAY(1)))", "struct<m:map<string,array<int>>>"),
}
REFUSED = {
    "void": "NULL",
    "interval year to month": "INTERVAL '1-2' YEAR TO MONTH",
    "interval day to second": "INTERVAL '1 02:03:04' DAY TO SECOND",
    "variant": "PARSE_JSON('1')",
    "struct<v:variant>": "NAMED_STRUCT('v', PARSE_JSON('1'))",
}


def typed_rows(spark: SparkSession, nullable: bool) -> DataFrame:
    """A row of every type; nullable, also a row of NULLs."""
    values = ", ".join(f"{value} AS {name}" for name, (value, _) in TYPES.items())
    row = spark.sql(f"SELECT 1 AS ts, {values}")
    assert not row.schema["whole"].nullable
    nothing = ", ".join(f"CAST(NULL AS {kind}) AS {name}" for name, (_, kind) in TYPES.items())
    return row.unionByName(spark.sql(f"SELECT 2 AS ts, {nothing}")) if nullable else row


@pytest.mark.parametrize("nullable", [False, True])
def test_every_type_comes_through_beside_other_sources(s: Session, tmp_path: Path, nullable: bool) -> None:
    zone = s.spark.conf.get("spark.sql.session.timeZone")
    s.spark.conf.set("spark.sql.session.timeZone", "Europe/Berlin")
    try:
        frame = typed_rows(s.spark, nullable)
        s.stream("S", frame, time="ts")
        s.relation("R", s.spark.sql("SELECT 1 AS k, 'a' AS s0, NAMED_STRUCT('y', 2) AS x"))
        frame.write.parquet(str(tmp_path / "in"))
        s.stream("P", tmp_path / "in", time="ts", format="parquet")
        names = ", ".join(f"S.{name}" for name in TYPES)
        q = s.query(f"SELECT RSTREAM({names}, R.s0, R.x, R.k) FROM S [NOW], R")
        back = q.to_df()
        kinds = dict(back.dtypes)
        assert {name: kinds[name] for name in TYPES} == {name: kind for name, (_, kind) in TYPES.items()}
        widened = frame.withColumn("single", f.col("single").cast("double"))
        assert back.select(*TYPES).collect() == widened.orderBy("ts").select(*TYPES).collect()
        assert back.select("s0", "x", "k").distinct().collect() == [("a", (2,), 1)]
        both = s.query(f"SELECT RSTREAM({names}) FROM S [NOW]"), s.query("SELECT RSTREAM(*) FROM P [NOW]")
        s.answer(*both)
        expected = q.to_polars().select(*TYPES)
        for query in both:
            assert query.to_polars().select(*TYPES).equals(expected)
        both[1].write(tmp_path / "out", "parquet")
        out = s.spark.read.parquet(str(tmp_path / "out"))
        assert out.orderBy("time").select(*TYPES).collect() == back.select(*TYPES).collect()
        assert len(q.to_pandas()) == len(expected) == q.to_arrow().num_rows
    finally:
        s.spark.conf.set("spark.sql.session.timeZone", str(zone))


@pytest.mark.parametrize("kind", REFUSED)
def test_a_type_that_no_query_can_read_is_refused_by_name(s: Session, kind: str) -> None:
    frame = s.spark.sql(f"SELECT 1 AS ts, {REFUSED[kind]} AS odd")
    with pytest.raises(sw.EngineError) as refusal:
        s.stream("S", frame, time="ts")
    assert f'error[unknown-column-type]: column "odd" has the unsupported type {kind}' in str(refusal.value)


NAMES = ["a.b", "a b", "a`b", "größe", "s0", "_corrupt_record", "_metadata", "1", "select", "x@y", "0@a"]


def test_columns_may_have_any_name(s: Session, tmp_path: Path) -> None:
    rows = [{"ts": 1, **{name: place for place, name in enumerate(NAMES)}}]
    pl.DataFrame(rows).write_csv(tmp_path / "t.csv")
    pl.DataFrame(rows).write_ndjson(tmp_path / "t.json")
    pl.DataFrame(rows).write_parquet(tmp_path / "t.parquet")
    s.stream("rows_", rows, time="ts")
    s.stream("spark_", s.spark.createDataFrame(pd.DataFrame(rows)), time="ts")
    files = ["csv", "json", "parquet"]
    for format in files:
        s.stream(f"{format}_", tmp_path / f"t.{format}", time="ts")
    listed = ", ".join(f'"{name}"' for name in NAMES)
    queries = [s.query(f"SELECT RSTREAM({listed}) FROM {name}_ [NOW]") for name in ("rows", "spark", *files)]
    s.answer(*queries)
    for query in queries:
        assert query.emits().rows() == [(1, *range(len(NAMES)))]
        assert query.to_df().columns == ["time", *NAMES]


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (pd.DataFrame([[1, 2, 3]], columns=["ts", "a", "A"]), "duplicate-column"),
        (pd.DataFrame([[1, 2, 3]], columns=["ts", "a", "a"]), "duplicate-column"),
        (pl.DataFrame({"ts": [1], "a": [1], "A": [2]}), "duplicate-column"),
        (pl.DataFrame({"ts": [1], "@raw": ["x"]}), "reserved-column"),
        (pl.DataFrame({"ts": [1], "a": pl.Series([object()], dtype=pl.Object)}), "unknown-column-type"),
        (pl.DataFrame({"ts": [1], "a": pl.Series([2**64 - 1], dtype=pl.UInt64)}), "too-large"),
        (
            pa.table({"ts": [1], "a": pa.array([(1, 2, 3)], pa.month_day_nano_interval())}),
            "unknown-column-type",
        ),
        (pd.DataFrame({"ts": [1, 2], "a": [1, "x"]}), "uneven-rows"),
    ],
)
def test_a_column_that_cannot_be_read_is_refused_at_once(s: Session, data: Any, code: str) -> None:
    with pytest.raises(sw.EngineError, match=code):
        s.stream("S", data, time="ts")


def test_types_of_other_libraries_that_spark_has_not(s: Session) -> None:
    frame = pl.DataFrame(
        {
            "ts": pl.Series([1], dtype=pl.UInt64),
            "a": pl.Series([255], dtype=pl.UInt8),
            "b": pl.Series([2**32 - 1], dtype=pl.UInt32),
            "c": pl.Series(["x"], dtype=pl.Categorical),
            "d": pl.Series(["x"], dtype=pl.Enum(["x"])),
            "e": pl.Series([[1, 2]], dtype=pl.Array(pl.UInt16, 2)),
            "f": pl.Series([[datetime(2024, 1, 1)]], dtype=pl.List(pl.Datetime("ns"))),
            "g": pl.Series([date(2024, 1, 1)]),
        }
    )
    s.stream("S", frame, time="ts")
    s.stream("T", pd.DataFrame({"ts": [1], "c": pd.Categorical(["x"])}), time="ts")
    q = s.query("SELECT RSTREAM(a, b, S.c, d, e, f, g, T.c AS h) FROM S [NOW], T [NOW]")
    row = (1, 255, 2**32 - 1, "x", "x", [1, 2], [datetime(2024, 1, 1)], date(2024, 1, 1), "x")
    assert q.emits().rows() == [row]


def test_a_table_without_times_holds_from_the_beginning_of_time(s: Session, tmp_path: Path) -> None:
    (tmp_path / "limits.csv").write_text("segment,allowed\nnorth,50\n", encoding="utf-8")
    events = s.spark.sql("SELECT TIMESTAMP '1912-06-23 08:00:00Z' AS ts, 'north' AS segment")
    s.stream("events", events, time="ts")
    s.relation("spark_", s.spark.sql("SELECT 'north' AS segment, 50 AS allowed"))
    s.relation("rows_", [{"segment": "north", "allowed": 50}])
    s.sql(f"CREATE RELATION file_ (segment STRING, allowed INT) FROM '{tmp_path / 'limits.csv'}'")
    s.relation("path_", tmp_path / "limits.csv")
    q = s.query(
        "SELECT RSTREAM(e.segment, a.allowed, b.allowed, c.allowed, d.allowed) FROM events [NOW] AS e, "
        "spark_ AS a, rows_ AS b, file_ AS c, path_ AS d WHERE e.segment = a.segment "
        "AND e.segment = b.segment AND e.segment = c.segment AND e.segment = d.segment"
    )
    assert [row[1:] for row in q.emits().rows()] == [("north", 50, 50, 50, 50)]
    assert s.query("SELECT allowed FROM spark_").at("1700-01-01").rows() == [(50,)]


def test_a_table_without_times_beside_integer_time(s: Session) -> None:
    s.stream("events", [(0, "north"), (7, "south")], time="ts", columns=["ts", "segment"])
    s.relation("limits", s.spark.sql("SELECT 'north' AS segment, 50 AS allowed"), key="segment")
    q = s.query("SELECT RSTREAM(allowed) FROM events [NOW] AS e, limits AS l WHERE e.segment = l.segment")
    assert q.emits().rows() == [(0, 50)]
