"""A disk without room: what could not be written is named, and with room again a restart resumes.

The disk is a tmpfs of a few kilobytes, where the tests may mount one. What fails first, Spark's own log, the
state, an answer, follows from how much room there is; `tests/run/test_crash_points.py` tries every file.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from pyspark.sql import SparkSession

import slackwater as sw
from laws.effort import TIMES
from spark.test_following import BATCHES, QUERY, opened, put

SIZE = 256
ROOM = [4, 20, 60] if TIMES == 1 else range(0, 160, 4)
"""Kilobytes. With 20 it is the offsets of the first batch for which there is no room."""


@pytest.fixture
def data(tmp_path: Path) -> Path:
    for number, rows in enumerate(BATCHES):
        put(tmp_path / "in", number, rows)
    return tmp_path / "in"


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk that is full but for what a file called `ballast` takes."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = shutil.which("mount")
    command = [str(mount), "-t", "tmpfs", "-o", f"size={SIZE}k", "tmpfs", str(folder)]
    if mount is None or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("no small disk can be mounted here")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], capture_output=True, check=True)


def run(spark: SparkSession, data: Path, folder: Path, placement: str = "driver") -> list[tuple[object, ...]]:
    q = opened(spark, data, placement).query(QUERY, "q")
    out = sw.Files(folder / "out", "parquet")
    assert q.start(out, checkpoint=folder / "state", follow=False).await_termination()
    frames = [pl.read_parquet(path) for path in sorted((folder / "out").glob("*.parquet"))]
    return sorted(pl.concat(frames).rows())


@pytest.mark.parametrize("placement", ["driver", "workers"])
def test_a_full_disk_is_named_and_with_room_a_restart_resumes(
    spark: SparkSession, data: Path, disk: Path, tmp_path: Path, placement: str
) -> None:
    expected = run(spark, data, tmp_path / "whole")
    for room in ROOM:
        ballast, folder = disk / "ballast", disk / str(room)
        ballast.write_bytes(bytes((SIZE - room) * 1024))
        with pytest.raises(sw.EngineError) as caught:
            run(spark, data, folder, placement)
        (diagnostic,) = caught.value.diagnostics
        assert diagnostic.code in ("unwritable-checkpoint", "unwritable-sink"), diagnostic
        assert diagnostic.detail == "No space left on device."
        assert str(diagnostic.where).startswith(str(folder))
        ballast.unlink()
        assert run(spark, data, folder, placement) == expected
        shutil.rmtree(folder)


def test_a_draft_that_spark_left_does_not_keep_it_from_starting(
    spark: SparkSession, data: Path, tmp_path: Path
) -> None:
    offsets = tmp_path / "state" / "spark" / "offsets"
    offsets.mkdir(parents=True)
    (offsets / ".0.5f1e1d4c.tmp").write_bytes(b"")
    (offsets / "..0.5f1e1d4c.tmp.crc").write_bytes(b"")
    assert run(spark, data, tmp_path)


def test_a_log_of_sparks_that_is_gone_is_named(spark: SparkSession, data: Path, tmp_path: Path) -> None:
    q = opened(spark, data).query(QUERY, "q")
    with q.start(sw.Memory(), checkpoint=tmp_path / "state") as running:
        assert running.await_instant(8)
    shutil.rmtree(tmp_path / "state" / "spark")
    with pytest.raises(sw.EngineError, match="missing-batches"):
        run(spark, data, tmp_path)


def test_a_place_that_spark_cannot_write_to_is_named(spark: SparkSession, data: Path, tmp_path: Path) -> None:
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "spark").write_text("a file where a folder should be", encoding="utf-8")
    with pytest.raises(sw.EngineError, match="Destination exists and is not a directory"):
        run(spark, data, tmp_path)
