"""A checkpoint on an object store, with a real Spark: run, stopped, refused, killed and resumed."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from pyspark.sql import SparkSession

import slackwater as sw
from slackwater.run.started import Started
from spark.test_following import BATCHES, QUERY, opened, put, whole
from spark.test_restarts import answers, data, expected, started
from storage.s3_server import Bucket, Server

__all__ = ["data", "expected"]


@pytest.fixture
def bucket() -> Iterator[Bucket]:
    with Server() as server:
        yield server.bucket


def follow(
    spark: SparkSession, folder: Path, bucket: Bucket, placement: str = "driver", *, follow: bool = True
) -> Started:
    q = opened(spark, folder / "in", placement).query(QUERY, "q")
    files, table = sw.Files(folder / "out", "parquet"), sw.Files(folder / "table", "csv", mode="table")
    return q.start(files, table, checkpoint=bucket.uri("a%20b/state"), follow=follow)


def rows(folder: Path) -> list[tuple[object, ...]]:
    return sorted(pl.concat(map(pl.read_parquet, (folder / "out").glob("*.parquet"))).rows())


@pytest.mark.parametrize("placement", ["driver", "workers"])
def test_stopped_and_started_again_it_gives_what_one_run_gives(
    spark: SparkSession, tmp_path: Path, bucket: Bucket, placement: str
) -> None:
    """Each start has an empty folder for Spark's log, as on another machine."""
    for number, batch in enumerate(BATCHES):
        put(tmp_path / "in", number, batch)
        with follow(spark, tmp_path, bucket, placement) as running:
            beat = max(row[0] for batch in BATCHES[: number + 1] for row in batch) - 1  # type: ignore[type-var, operator]
            assert running.await_instant(beat), running.progress
    assert follow(spark, tmp_path, bucket, placement, follow=False).await_termination()
    assert rows(tmp_path) == sorted(whole(spark))
    if placement == "workers":  # each start has workers without memory, and their host has copies
        assert not [key for method, key in bucket.requests if method == "GET" and key.endswith(".arrow")]
    folders = Counter(name.split("/")[2] for name in bucket.names("a b/state/"))
    assert folders["epochs"] == 2
    assert folders["owners"] == 1
    assert folders["spark"] <= 6
    put(tmp_path / "in", len(BATCHES), [(12, "a", 1)])
    with pytest.raises(sw.EngineError, match="ended-checkpoint"):
        follow(spark, tmp_path, bucket, placement, follow=False).await_termination()


def test_a_second_start_is_refused_and_harms_nothing(
    spark: SparkSession, tmp_path: Path, bucket: Bucket
) -> None:
    for number, batch in enumerate(BATCHES):
        put(tmp_path / "in", number, batch)
    with follow(spark, tmp_path, bucket) as first:
        assert first.await_instant(8)
        with pytest.raises(sw.EngineError, match="checkpoint-in-use") as caught:
            follow(spark, tmp_path, bucket)
        assert "secret" not in str(caught.value)
        put(tmp_path / "in", len(BATCHES), [(12, "a", 1)])
        assert first.await_instant(11)
    assert follow(spark, tmp_path, bucket, follow=False).await_termination()


def test_a_store_that_fails_ends_the_run_and_is_named(
    spark: SparkSession, tmp_path: Path, bucket: Bucket
) -> None:
    def refuse(method: str, key: str) -> None:
        if method == "PUT" and "epochs/000000002" in key:
            raise PermissionError("AccessDenied")

    for number, batch in enumerate(BATCHES):
        put(tmp_path / "in", number, batch)
    bucket.watch = refuse
    with pytest.raises(sw.EngineError, match="unwritable-checkpoint") as caught:
        follow(spark, tmp_path, bucket, follow=False).await_termination()
    assert caught.value.diagnostics[0].where == "s3://bucket/a b/state/epochs/000000002-1.json"
    bucket.watch = lambda method, key: None
    assert follow(spark, tmp_path, bucket, follow=False).await_termination()
    assert rows(tmp_path) == sorted(whole(spark))


@pytest.mark.parametrize("placement", ["driver", "workers"])
def test_a_query_is_added_from_the_beginning(
    spark: SparkSession, tmp_path: Path, bucket: Bucket, placement: str
) -> None:
    """From the copies of Spark's log, which say which files were read."""
    for number in (0, 1):
        put(tmp_path / "in", number, BATCHES[number])
    with follow(spark, tmp_path, bucket, placement) as running:
        assert running.await_instant(3)
        put(tmp_path / "in", 2, [*BATCHES[2], (1, "b", 9)])
        with pytest.warns(sw.DataWarning, match="1 late row"):
            assert running.await_instant(6)
    put(tmp_path / "in", 3, BATCHES[3])
    session = opened(spark, tmp_path / "in", placement)
    files, table = sw.Files(tmp_path / "out", "parquet"), sw.Files(tmp_path / "table", "csv", mode="table")
    queries = [session.query(QUERY, "q").into(files, table)]
    queries += [session.query(QUERY, "again").into(sw.Files(tmp_path / "again", "parquet"))]
    running = session.start(
        *queries,
        checkpoint=bucket.uri("a%20b/state"),
        follow=False,
        allow_changes=True,
        added_from="beginning",
    )
    assert running.await_termination()
    for folder in ("out", "again"):
        frames = [pl.read_parquet(path) for path in (tmp_path / folder).glob("*.parquet")]
        assert sorted(pl.concat(frames).rows()) == sorted(whole(spark)), folder


def test_killed_again_and_again_it_leaves_the_answers_of_an_undisturbed_run(
    data: Path, expected: dict[str, Counter[str]], bucket: Bucket
) -> None:
    """The whole process group, with SIGKILL, just before a request that is drawn at random."""
    draw, kills = random.Random(13), 0
    for attempt in range(20):
        process = started(data, "remote", "driver", state=bucket.uri("state"))
        is_reached = kill_before(process, bucket, draw.randint(15, 60)) if attempt < 3 else False
        _, errors = process.communicate(timeout=300)
        kills += is_reached
        if process.returncode == 0:
            break
        assert process.returncode == -signal.SIGKILL, errors
    assert kills
    assert answers(data, "remote") == expected


def kill_before(process: subprocess.Popen[str], bucket: Bucket, requests: int) -> bool:
    """Kill the process once it has sent so many requests; returns whether it came so far."""
    until = len(bucket.requests) + requests
    while process.poll() is None:
        if len(bucket.requests) >= until:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            return True
        time.sleep(0.002)
    return False
