"""What is exchanged depends on statistics: a start with others divides the states anew, on a real Spark."""

from __future__ import annotations

from pathlib import Path

import polars as pl
from pyspark.sql import SparkSession

import slackwater as sw
from slackwater.session import Session, connect
from spark.test_changed_queries import BATCHES
from spark.test_following import put

PAIRS = "SELECT x.k, y.v FROM S [RANGE 4] AS x, T [RANGE 3] AS y WHERE x.v < y.v"


def opened(spark: SparkSession, folder: Path, rates: dict[str, int]) -> Session:
    session = connect(spark, placement="workers", partitions=2)
    for name in "ST":
        rate = f", rate = {rates[name]}" if name in rates else ""
        session.sql(
            f"CREATE STREAM {name} (k STRING, v BIGINT) TIME t INT FROM '{folder / name}' FORMAT parquet "
            f"WITH (delay = 1, maxFilesPerTrigger = 1{rate})"
        )
    return session


def test_a_start_with_other_statistics_sends_the_other_side(spark: SparkSession, tmp_path: Path) -> None:
    known = ({}, {"S": 1, "T": 50_000}, {"S": 50_000, "T": 1})
    sent = []
    for number, rates in enumerate(known):
        for name in "ST":
            for batch in (number, number + 1)[: 1 if number < 2 else 3]:
                put(tmp_path / name, batch, BATCHES[batch])
        session = opened(spark, tmp_path, rates)
        query = session.query(PAIRS, "pairs").into(sw.Files(tmp_path / "out", "parquet"))
        lines = session.explain(query).splitlines()
        sent.append(next(line for line in lines if "in every partition" in line).split(", ")[-1])
        last = number == len(known) - 1
        with session.start(query, checkpoint=tmp_path / "state", follow=not last) as running:
            assert running.await_termination() if last else running.await_instant((1, 3)[number])
    assert sent == [f"the {side} side in every partition" for side in ("right", "left", "right")]
    frames = [pl.read_parquet(path) for path in sorted((tmp_path / "out").glob("0*.parquet"))]
    rows = [row for batch in BATCHES[:4] for row in batch]
    whole = connect(spark, sharing=False)
    for name in "ST":
        whole.stream(name, rows, time="t", columns=["t", "k", "v"])
    expected = whole.query(PAIRS).changes().rows()
    assert sorted(pl.concat(frames).rows(), key=repr) == sorted(expected, key=repr)
