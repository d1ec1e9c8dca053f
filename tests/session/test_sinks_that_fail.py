"""Sinks that cannot be written to: each is named, and once corrected, a restart gives every answer once."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from pyspark.sql import SparkSession

import slackwater as sw
from slackwater.sinks.driver import Sink

QUERY = "SELECT a, COUNT(*) AS n FROM S [RANGE 3] GROUP BY a"
COUNT = "SELECT COUNT(*) AS n FROM S [RANGE UNBOUNDED]"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Four files, an epoch each."""
    (tmp_path / "in").mkdir()
    for number in range(4):
        path = tmp_path / "in" / f"{number}.csv"
        path.write_text(f"t,a\n{number * 2},{number % 2}\n{number * 2 + 1},0\n", encoding="utf-8")
        os.utime(path, (number + 1, number + 1))
    return tmp_path / "in"


def query_over(spark: SparkSession, data: Path, text: str = QUERY) -> sw.Query:
    s = sw.connect(spark)
    s.sql(f"CREATE STREAM S (a INT) TIME t INT FROM '{data}' FORMAT csv WITH (maxFilesPerTrigger = 1)")
    return s.query(text, "q")


def run(query: sw.Query, folder: Path, *sinks: Sink) -> None:
    query.start(*sinks, checkpoint=folder / "state", follow=False).await_termination()


def rows_in(folder: Path) -> list[tuple[object, ...]]:
    return [row for path in sorted(folder.glob("*.parquet")) for row in pl.read_parquet(path).rows()]


@pytest.fixture
def expected(spark: SparkSession, data: Path, tmp_path: Path) -> list[tuple[object, ...]]:
    seen = sw.Memory()
    run(query_over(spark, data), tmp_path / "whole", seen)
    assert len(seen.frames) > 3
    return seen.rows


class Fragile:
    """Takes answers, and fails once, in the epoch of that number."""

    def __init__(self, at: int, how: BaseException) -> None:
        self.rows: list[tuple[object, ...]] = []
        self._at, self._how, self._failed = at, how, False

    def take(self, frame: pl.DataFrame, number: int) -> None:
        if number == self._at and not self._failed:
            self._failed = True
            raise self._how
        self.rows += frame.rows()


@pytest.mark.parametrize(
    ("at", "how"), [(0, ValueError("no more")), (1, SystemExit(3)), (2, OSError("no network"))], ids=repr
)
def test_a_function_that_fails_once_gets_every_answer_once(
    spark: SparkSession,
    data: Path,
    tmp_path: Path,
    expected: list[tuple[object, ...]],
    at: int,
    how: Exception,
) -> None:
    fragile = Fragile(at, how)
    beside = sw.Files(tmp_path / "beside", "parquet")
    with pytest.raises(sw.EngineError, match=rf'"take".*{type(how).__name__}'):
        run(query_over(spark, data), tmp_path, beside, sw.Callback(fragile.take))
    run(query_over(spark, data), tmp_path, beside, sw.Callback(fragile.take))
    assert fragile.rows == expected
    assert rows_in(tmp_path / "beside") == expected


def test_a_folder_that_becomes_writable_gets_every_answer_once(
    spark: SparkSession, data: Path, tmp_path: Path, expected: list[tuple[object, ...]]
) -> None:
    blocked = tmp_path / "taken"
    blocked.write_text("a file where a folder should be", encoding="utf-8")
    with pytest.raises(sw.EngineError, match="unwritable-sink"):
        run(query_over(spark, data), tmp_path, sw.Files(blocked / "out", "parquet"))
    blocked.unlink()
    run(query_over(spark, data), tmp_path, sw.Files(blocked / "out", "parquet"))
    assert rows_in(blocked / "out") == expected


def test_a_table_in_memory_is_the_same_after_a_restart(
    spark: SparkSession, data: Path, tmp_path: Path
) -> None:
    table, broken = sw.Memory("table"), sw.Callback(Fragile(2, ValueError("no more")).take)
    with pytest.raises(sw.EngineError, match="callback-failed"):
        run(query_over(spark, data, COUNT), tmp_path, table, broken)
    again = sw.Memory("table")
    run(query_over(spark, data, COUNT), tmp_path, again, broken)
    assert again.rows == [(8,)]


def test_a_folder_with_files_of_others_is_refused_again_and_again(
    spark: SparkSession, data: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "000000000.parquet").write_bytes(b"somebody's")
    for _ in range(2):
        with pytest.raises(sw.EngineError, match="foreign-files"):
            run(query_over(spark, data), tmp_path, sw.Files(out, "parquet"))
    assert (out / "000000000.parquet").read_bytes() == b"somebody's"


def test_a_console_that_is_closed_is_named(spark: SparkSession, data: Path, tmp_path: Path) -> None:
    out = io.StringIO()
    out.close()
    with pytest.raises(sw.EngineError, match="unwritable-sink"):
        run(query_over(spark, data), tmp_path, sw.Console(stream=out))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
def test_a_full_standard_output_is_named() -> None:
    program = (
        "import polars as pl, slackwater as sw\n"
        "from slackwater.cli import app\n"
        "app.app = lambda prog_name: sw.Console().put(0, pl.DataFrame({'a': [1]}))\n"
        "app.main()\n"
    )
    with Path("/dev/full").open("w") as full:
        outcome = subprocess.run(
            [sys.executable, "-c", program], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert outcome.returncode == 1
    assert outcome.stderr.startswith("error[unwritable-sink]: an answer cannot be written\n --> <stdout>\n")
    assert "ignored" not in outcome.stderr
