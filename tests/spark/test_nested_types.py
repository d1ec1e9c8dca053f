"""Structs, arrays and maps from DataFrames and files, through checkpoints and exchanges, to files."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import slackwater as sw
from slackwater.session import connect

FIRST = [
    {
        "ts": 1,
        "buyer": {"name": "ada", "city": "paris"},
        "items": [{"sku": "a", "n": 2}],
        "tags": {"b": 2, "a": 1},
    },
    {"ts": 2, "buyer": {"name": "bob", "city": None}, "items": [], "tags": None},
]
SECOND = [
    {"ts": 3, "buyer": {"name": "ada", "city": "paris"}, "items": [{"sku": "b", "n": 1}, None], "tags": {}},
    {"ts": 4, "buyer": None, "items": None, "tags": {"c": None}},
]
COLUMNS = (
    "buyer STRUCT<name STRING, city STRING>, items ARRAY<STRUCT<sku STRING, n INT>>, tags MAP<STRING, INT>"
)
BY_BUYER = (
    "SELECT buyer, COUNT(*) AS orders, SUM(size(items)) AS items, MAX(tags['a']) AS a FROM orders [RANGE 10] "
    "GROUP BY buyer"
)
SKUS = "SELECT buyer.name, i.sku, i.n, tags FROM orders [RANGE 10], UNNEST(items) AS u(i) WHERE i.n > 0"


def write(path: Path, rows: list[dict[str, Any]], age: int) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    os.utime(path, (age, age))


@pytest.mark.slow
@pytest.mark.parametrize("placement", ["driver", "workers"])
def test_nested_columns_survive_a_restart_and_are_written_as_they_were_read(
    spark: SparkSession, tmp_path: Path, placement: str
) -> None:
    declared = f"CREATE STREAM orders ({COLUMNS}) TIME ts INT FROM '{tmp_path / 'in'}' FORMAT json"
    for number, rows in enumerate((FIRST, SECOND)):
        write(tmp_path / "in" / f"{number}.json", rows, number + 1)
        session = connect(spark, placement=placement)
        session.sql(declared)
        queries = [
            session.query(BY_BUYER, "buyers").into(sw.Files(tmp_path / "buyers", "parquet")),
            session.query(SKUS, "skus").into(sw.Files(tmp_path / "skus", "parquet")),
        ]
        with session.start(*queries, checkpoint=tmp_path / "state", follow=number == 0) as running:
            assert running.await_instant(1) if number == 0 else running.await_termination()
    skus = spark.read.parquet(str(tmp_path / "skus"))
    assert skus.schema["tags"].dataType.simpleString() == "map<string,int>"
    rows = {(r.name, r.sku, r.n, tuple((r.tags or {}).items())) for r in skus.where("op = '+'").collect()}
    assert rows == {("ada", "a", 2, (("a", 1), ("b", 2))), ("ada", "b", 1, ())}
    buyers = spark.read.parquet(str(tmp_path / "buyers"))
    added = buyers.where("op = '+'").selectExpr("time", "buyer.name", "orders", "items", "a").collect()
    assert sorted(map(tuple, added), key=str) == sorted(
        [(1, "ada", 1, 1, 1), (2, "bob", 1, 0, None), (3, "ada", 2, 3, 1), (4, None, 1, None, None),
         (12, "ada", 1, 2, None)], key=str,
    )  # fmt: skip


def test_a_dataframe_has_structs_arrays_and_maps(spark: SparkSession) -> None:
    frame = spark.createDataFrame(FIRST + SECOND, f"ts INT, {COLUMNS}")
    session = connect(spark)
    session.stream("orders", frame, time="ts")
    answer = session.query(SKUS).at(4)
    assert sorted(answer.rows()) == [("ada", "a", 2, {"a": 1, "b": 2}), ("ada", "b", 1, {})]
    assert str(answer).splitlines()[1] == "ada  | a   | 2 | [{a, 1}, {b, 2}]"
    assert answer.to_df().schema["tags"].dataType.simpleString() == "map<string,int>"
