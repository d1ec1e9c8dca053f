"""Input that grows: watermarks, restarts, idle sources, punctuations, both placements."""

from __future__ import annotations

import os
from pathlib import Path

import polars as pl
import pytest
from pyspark.sql import SparkSession

import slackwater as sw
from slackwater.session import Session, connect

QUERY = "SELECT k, SUM(v) AS total FROM S [RANGE 3] GROUP BY k"
BATCHES = [[(1, "a", 1), (2, "b", 2)], [(4, "a", 3), (3, "b", 1)], [(7, "a", 5)], [(9, "b", 1)]]
NAMES = {"t": pl.Int64, "k": pl.String, "v": pl.Int64}


def put(folder: Path, number: int, rows: list[tuple[object, ...]], names: dict[str, object] = NAMES) -> None:  # type: ignore[assignment]
    """A file that Spark sees whole, newer than those before it."""
    folder.mkdir(exist_ok=True)
    draft = folder / f".{number}"
    pl.DataFrame(rows, schema=names, orient="row").write_parquet(draft)
    os.utime(draft, (number + 1, number + 1))
    draft.rename(folder / f"{number}.parquet")


def opened(spark: SparkSession, folder: Path, placement: str | None = None) -> Session:
    session = connect(spark, placement=placement)
    session.sql(
        f"CREATE STREAM S (k STRING, v BIGINT) TIME t INT FROM '{folder}' FORMAT parquet "
        "WITH (delay = 1, maxFilesPerTrigger = 1)"
    )
    return session


def whole(spark: SparkSession, placement: str | None = None) -> list[tuple[object, ...]]:
    session = connect(spark, placement=placement)
    session.stream("S", [row for batch in BATCHES for row in batch], time="t", columns=list(NAMES))
    return session.query(QUERY).changes().rows()


@pytest.mark.parametrize("placement", ["driver", "workers"])
def test_stopped_and_started_again_it_gives_what_one_run_gives(
    spark: SparkSession, tmp_path: Path, placement: str
) -> None:
    expected = sorted(whole(spark))
    for number, rows in enumerate(BATCHES):
        put(tmp_path / "in", number, rows)
        q = opened(spark, tmp_path / "in", placement).query(QUERY, "q")
        with q.start(sw.Files(tmp_path / "out", "parquet"), checkpoint=tmp_path / "state") as running:
            beat = max(row[0] for batch in BATCHES[: number + 1] for row in batch) - 1  # type: ignore[type-var, operator]
            assert running.await_instant(beat), running.progress
    q = opened(spark, tmp_path / "in", placement).query(QUERY, "q")
    assert q.start(
        sw.Files(tmp_path / "out", "parquet"), checkpoint=tmp_path / "state", follow=False
    ).await_termination()
    frames = [pl.read_parquet(path) for path in sorted((tmp_path / "out").glob("*.parquet"))]
    assert sorted(pl.concat(frames).rows()) == expected


def test_workers_give_what_the_driver_gives(spark: SparkSession) -> None:
    assert sorted(whole(spark, "workers")) == sorted(whole(spark, "driver"))


def test_the_table_follows_the_watermark_and_resumes_after_a_restart(
    spark: SparkSession, tmp_path: Path
) -> None:
    for number, rows in enumerate(BATCHES):
        put(tmp_path / "in", number, rows)
        q = opened(spark, tmp_path / "in").query(
            "SELECT k, COUNT(*) AS n FROM S [RANGE UNBOUNDED] GROUP BY k", "q"
        )
        sink = sw.Files(tmp_path / "out", "parquet", mode="table")
        with q.start(sink, checkpoint=tmp_path / "state") as running:
            assert running.await_instant(max(row[0] for row in rows) - 1)  # type: ignore[type-var, operator]
    # Up to the watermark 8: a at 1, 4 and 7, b at 2 and 3.
    assert sorted(pl.read_parquet(tmp_path / "out" / "table.parquet").rows()) == [("a", 3), ("b", 2)]


def test_a_file_that_comes_with_an_old_date_is_read_all_the_same(spark: SparkSession, tmp_path: Path) -> None:
    put(tmp_path / "in", 0, BATCHES[0])
    os.utime(tmp_path / "in" / "0.parquet")
    seen = sw.Memory()
    with opened(spark, tmp_path / "in").query("SELECT ISTREAM(v) FROM S [NOW]").start(seen) as running:
        assert running.await_instant(1)
        put(tmp_path / "in", 1, BATCHES[2])
        assert running.await_instant(6)
    assert seen.rows == [(1, 1), (2, 2)]


@pytest.mark.parametrize("placement", ["driver", "workers"])
def test_progress_tells_what_each_step_keeps(spark: SparkSession, tmp_path: Path, placement: str) -> None:
    put(tmp_path / "in", 0, BATCHES[0])
    put(tmp_path / "in", 1, BATCHES[1])
    q = opened(spark, tmp_path / "in", placement).query(
        "SELECT COUNT(*) AS n FROM S [RANGE UNBOUNDED] GROUP BY k"
    )
    with q.start(sw.Memory()) as running:
        assert running.await_instant(3)
        progress = running.progress
    state_rows = {
        operator.step: operator.state_rows for operator in progress.operators if operator.state_rows
    }
    # Two groups, and the rows of 3 and 4 that wait.
    assert [rows for step, rows in state_rows.items() if step.startswith("aggregate")] == [2], (
        progress.operators
    )
    assert all(operator.state_bytes for operator in progress.operators if operator.state_rows)
    assert progress.state_rows == sum(state_rows.values()) + 2


def test_punctuations_advance_the_watermark(spark: SparkSession, tmp_path: Path) -> None:
    names = {"t": pl.Int64, "v": pl.Int64, "done": pl.Boolean}
    put(tmp_path / "in", 0, [(5, 1, False), (3, 2, False)], names)
    put(tmp_path / "in", 1, [(4, 3, None), (4, None, True)], names)
    session = connect(spark)
    session.sql(
        f"CREATE STREAM S (v BIGINT) TIME t INT FROM '{tmp_path / 'in'}' "
        "WITH (punctuation = 'done', maxFilesPerTrigger = 1)"
    )
    seen = sw.Memory()
    with session.query("SELECT ISTREAM(v) FROM S [NOW]").start(seen) as running:
        assert running.await_instant(4)
        assert running.progress.watermark == 4
    assert seen.rows == [(3, 2)]


def test_an_idle_source_is_not_waited_for(spark: SparkSession, tmp_path: Path) -> None:
    put(tmp_path / "in", 0, [(5, "a", 1)])
    put(tmp_path / "quiet", 0, [(1, "a", 1)])
    session = opened(spark, tmp_path / "in")
    quiet = tmp_path / "quiet"
    session.sql(f"CREATE STREAM Q (k STRING, v BIGINT) TIME t INT FROM '{quiet}' WITH (idle = '2 seconds')")
    q = session.query("SELECT S.k FROM S [RANGE 9], Q [RANGE 9] WHERE S.k = Q.k")
    with q.start(sw.Memory()) as running:
        assert running.await_instant(4)


def test_several_queries_share_what_is_equal(spark: SparkSession, tmp_path: Path) -> None:
    put(tmp_path / "in", 0, BATCHES[0])
    session = opened(spark, tmp_path / "in")
    one, two = sw.Memory(), sw.Memory()
    text = f"ISTREAM({QUERY})"
    running = session.start(session.query(QUERY).into(one), session.query(text).into(two), follow=False)
    assert running.await_termination()
    steps = [operator.step for operator in running.progress.operators]
    assert len([step for step in steps if step.startswith("aggregate")]) == 1
    assert one.rows
    assert two.rows
