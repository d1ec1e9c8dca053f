"""Queries that are added to a checkpoint and removed from it, through sessions on a real Spark."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from pyspark.sql import SparkSession

import slackwater as sw
from slackwater.run.started import Started
from slackwater.session import Session, connect
from spark.test_following import put

SUMS = "SELECT k, SUM(v) AS total FROM S [RANGE 3] GROUP BY k"
COUNT = "SELECT COUNT(*) AS n FROM S [RANGE UNBOUNDED]"
NAMED = "SELECT S.k, name, v FROM S [ROWS 2] JOIN R ON S.k = R.k"
BATCHES = [
    [(1, "a", 1), (2, "b", 2)],
    [(4, "a", 3), (3, "b", 1)],
    [(7, "a", 5)],
    [(9, "b", 1)],
    [(12, "a", 1)],
]
QUERIES = {"sums": SUMS, "count": COUNT, "named": NAMED}
NAMES = [("a", "Ada"), ("b", "Bob")]


def opened(spark: SparkSession, folder: Path, placement: str) -> Session:
    session = connect(spark, placement=placement)
    session.sql(
        f"CREATE STREAM S (k STRING, v BIGINT) TIME t INT FROM '{folder / 'in'}' FORMAT parquet "
        "WITH (delay = 1, maxFilesPerTrigger = 1)"
    )
    session.relation("R", NAMES, key="k", columns=["k", "name"])
    return session


def started(
    session: Session, folder: Path, *names: str, allow_changes: bool = True, follow: bool = True
) -> Started:
    queries = [
        session.query(QUERIES[name], name).into(
            sw.Files(folder / name, "parquet"), sw.Files(folder / f"{name} table", "parquet", "table")
        )
        for name in names
    ]
    return session.start(*queries, checkpoint=folder / "state", follow=follow, allow_changes=allow_changes)


def changes(folder: Path, name: str) -> list[tuple[object, ...]]:
    frames = [pl.read_parquet(path) for path in sorted((folder / name).glob("0*.parquet"))]
    return sorted(pl.concat(frames).rows(), key=repr)


def whole(spark: SparkSession, name: str, begin: int = 0) -> list[tuple[object, ...]]:
    """The answer over all rows from an instant on."""
    session = connect(spark)
    rows = [row for batch in BATCHES for row in batch if row[0] >= begin]
    session.stream("S", rows, time="t", columns=["t", "k", "v"])
    session.relation("R", NAMES, key="k", columns=["k", "name"])
    return sorted(session.query(QUERIES[name]).changes().rows(), key=repr)


@pytest.mark.parametrize("placement", ["driver", "workers"])
def test_queries_come_and_go(spark: SparkSession, tmp_path: Path, placement: str) -> None:
    for number in (0, 1):
        put(tmp_path / "in", number, BATCHES[number])
    with started(opened(spark, tmp_path, placement), tmp_path, "sums", "named") as running:
        assert running.await_instant(3)
    session = opened(spark, tmp_path, placement)
    with pytest.raises(sw.EngineError, match="foreign-checkpoint") as caught:
        started(session, tmp_path, "sums", "count", allow_changes=False)
    assert 'Query "count" is new, query "named" is missing.' in str(caught.value)
    put(tmp_path / "in", 2, BATCHES[2])
    with started(session, tmp_path, "sums", "count") as running:
        assert running.await_instant(6)
    for number in (3, 4):
        put(tmp_path / "in", number, BATCHES[number])
    session = opened(spark, tmp_path, placement)
    with started(session, tmp_path, "sums", "count", allow_changes=False) as running:
        assert running.await_instant(11)
    assert started(
        opened(spark, tmp_path, placement), tmp_path, "sums", "count", follow=False
    ).await_termination()
    assert changes(tmp_path, "sums") == whole(spark, "sums")
    # Rows up to 4 were read when it was added: it begins at 5.
    expected = [(max(int(str(time)), 5), *rest) for time, *rest in whole(spark, "count", begin=5)]
    assert changes(tmp_path, "count") == sorted(expected, key=repr)
    assert pl.read_parquet(tmp_path / "count table" / "table.parquet").rows() == [(3,)]


def test_a_query_that_is_added_knows_the_rows_of_relations(spark: SparkSession, tmp_path: Path) -> None:
    for number in (0, 1):
        put(tmp_path / "in", number, BATCHES[number])
    both = "SELECT COUNT(*) AS n FROM S [NOW], R WHERE S.k = R.k"
    session = opened(spark, tmp_path, "driver")
    q = session.query(both, "both").into(sw.Memory())
    with session.start(q, checkpoint=tmp_path / "state") as running:
        assert running.await_instant(3)
    for number in (2, 3):
        put(tmp_path / "in", number, BATCHES[number])
    session, seen = opened(spark, tmp_path, "driver"), sw.Memory()
    queries = [session.query(both, "both").into(sw.Memory()), session.query(NAMED, "named").into(seen)]
    with session.start(*queries, checkpoint=tmp_path / "state", allow_changes=True) as running:
        assert running.await_instant(8)
    assert seen.rows == [(7, "+", "a", "Ada", 5)]
