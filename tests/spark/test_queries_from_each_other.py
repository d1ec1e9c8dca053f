"""Queries that are answered from each other, on a real Spark: restarts, and queries that come and go."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from pyspark.sql import SparkSession

import slackwater as sw
from slackwater.run.started import Started
from slackwater.session import Session, connect
from spark.test_changed_queries import BATCHES
from spark.test_following import put

QUERIES = {
    "rows": "SELECT k, v FROM S [RANGE 3] WHERE v > 0",
    "large": "SELECT v FROM S [RANGE 3] WHERE v > 2 AND k = 'a'",
    "sums": "SELECT k, SUM(v) AS total, COUNT(*) AS n FROM S [RANGE 3] GROUP BY k",
    "total": "SELECT SUM(v) AS total, COUNT(*) AS n FROM S [RANGE 3]",
    "of a": "SELECT SUM(v) AS total FROM S [RANGE 3] WHERE k = 'a'",
    "steps 4": "SELECT k, COUNT(*) AS n FROM S [RANGE 4 SLIDE 2] GROUP BY k",
    "steps 6": "SELECT MAX(v) AS m FROM S [RANGE 6 SLIDE 2] WHERE v > 1",
    "steps 8": "SELECT k, MIN(v) AS m, SUM(v) AS s FROM S [RANGE 8 SLIDE 2] GROUP BY k",
}


def opened(spark: SparkSession, folder: Path, placement: str) -> Session:
    session = connect(spark, placement=placement)
    session.sql(
        f"CREATE STREAM S (k STRING, v BIGINT) TIME t INT FROM '{folder / 'in'}' FORMAT parquet "
        "WITH (delay = 1, maxFilesPerTrigger = 1, rate = 1000, distinct_values = 'k 3, v 5')"
    )
    return session


def started(session: Session, folder: Path, *names: str, **options: bool) -> Started:
    queries = [session.query(QUERIES[name], name).into(sw.Files(folder / name, "parquet")) for name in names]
    return session.start(*queries, checkpoint=folder / "state", **options)  # type: ignore[arg-type]


def changes(folder: Path, name: str) -> list[tuple[object, ...]]:
    frames = [pl.read_parquet(path) for path in sorted((folder / name).glob("0*.parquet"))]
    return sorted(pl.concat(frames).rows(), key=repr)


def by_itself(spark: SparkSession, name: str) -> list[tuple[object, ...]]:
    """The answer of a query alone, over all rows."""
    session = connect(spark, sharing=False)
    session.sql("CREATE STREAM S (k STRING, v BIGINT) TIME t INT")
    rows = [row for batch in BATCHES for row in batch]
    session.stream(
        "S", pl.DataFrame(rows, schema={"t": pl.Int32, "k": pl.String, "v": pl.Int64}, orient="row")
    )
    return sorted(session.query(QUERIES[name]).changes().rows(), key=repr)


@pytest.mark.parametrize("placement", ["driver", "workers"])
def test_shared_queries_resume_and_outlive_the_one_they_are_answered_from(
    spark: SparkSession, tmp_path: Path, placement: str
) -> None:
    for number in (0, 1):
        put(tmp_path / "in", number, BATCHES[number])
    session = opened(spark, tmp_path, placement)
    lines = session.explain(*(session.query(text, name) for name, text in QUERIES.items()))
    assert "large: answered from rows, with v > 2 AND k = 'a' on top" in lines
    assert "total: answered from sums, aggregated again" in lines
    assert "steps 6: answered from panes of 2 of S that 3 queries share" in lines
    with started(session, tmp_path, *QUERIES) as running:
        assert running.await_instant(3)
    put(tmp_path / "in", 2, BATCHES[2])
    with started(opened(spark, tmp_path, placement), tmp_path, *QUERIES) as running:
        assert running.await_instant(6)
    for number in (3, 4):
        put(tmp_path / "in", number, BATCHES[number])
    left = [name for name in QUERIES if name not in ("rows", "sums")]
    session = opened(spark, tmp_path, placement)
    assert started(session, tmp_path, *left, allow_changes=True, follow=False).await_termination()
    for name in left:
        assert changes(tmp_path, name) == by_itself(spark, name), name


def test_an_added_query_begins_with_the_rows_of_one_that_contains_it(
    spark: SparkSession, tmp_path: Path
) -> None:
    """Of the sums by key the run has a state, so that the total of all keys is right at once."""
    put(tmp_path / "in", 0, BATCHES[0])
    session = opened(spark, tmp_path, "driver")
    with started(session, tmp_path, "sums") as running:
        assert running.await_instant(1)
        put(tmp_path / "in", 1, BATCHES[1])
        assert running.await_instant(3)
        running.add(session.query(QUERIES["total"], "total").into(sw.Files(tmp_path / "total", "parquet")))
        for number in (2, 3, 4):
            put(tmp_path / "in", number, BATCHES[number])
        assert running.await_instant(11)
    begin = min(row[0] for row in changes(tmp_path, "total"))
    assert begin < 5, "rows up to 4 were read when it was added"
    whole = by_itself(spark, "total")
    before = [row for row in whole if row[0] <= begin]
    (now,) = [row[2:] for row in before if row[1] == "+" and ("-", *row[2:]) not in {r[1:] for r in before}]
    later = [row for row in whole if begin < row[0] < 11]
    assert changes(tmp_path, "total") == sorted([(begin, "+", *now), *later], key=repr)


def test_declared_views_answer_queries(spark: SparkSession, tmp_path: Path) -> None:
    put(tmp_path / "in", 0, BATCHES[0])
    session = opened(spark, tmp_path, "driver")
    session.sql("CREATE VIEW sums AS " + QUERIES["sums"])
    queries = [session.query(QUERIES["total"], "total"), session.query(QUERIES["of a"], "of a")]
    lines = session.explain(*queries)
    assert "total: answered from sums, aggregated again" in lines
    assert "of a: answered from sums, with k = 'a' on top" in lines
    for number, batch in enumerate(BATCHES):
        put(tmp_path / "in", number, batch)
    running = session.start(
        *(query.into(sw.Files(tmp_path / query.name, "parquet")) for query in queries),
        checkpoint=tmp_path / "state",
        follow=False,
    )
    assert running.await_termination()
    assert changes(tmp_path, "total") == by_itself(spark, "total")
    assert changes(tmp_path, "of a") == by_itself(spark, "of a")
