"""A large file is one batch of Spark's, and does not go through the heap of the driver whole.

By hand, with `SLACKWATER_LARGE=13e6 SPARK_DRIVER_MEMORY=1g`, files that large are read with a 1 GB heap.
"""

from __future__ import annotations

import os
from pathlib import Path

import polars as pl
import pytest
from pyspark.sql import SparkSession

import slackwater as sw
from slackwater.run.input import fetch

ROWS = int(float(os.environ.get("SLACKWATER_LARGE", "3e4")))
QUERY = "SELECT COUNT(*) AS n, SUM(v) AS total FROM S [RANGE UNBOUNDED]"


def write(folder: Path, kind: str) -> Path:
    """One file; of Parquet, with one row group."""
    frame = pl.select(pl.int_range(ROWS, dtype=pl.Int64).alias("v"))
    frame = frame.with_columns((pl.col("v") // 10_000).alias("ts"), pl.format("text {}", "v").alias("s"))
    path = folder / f"0.{kind}"
    frame.write_csv(path) if kind == "csv" else frame.write_parquet(path, row_group_size=ROWS)
    return path


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_large_file_comes_through_files(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    path = write(tmp_path, kind)
    monkeypatch.setattr(fetch, "LARGE", min(fetch.LARGE, fetch.weight_of_files([str(path)])))
    through: list[Path] = []
    monkeypatch.setattr(
        fetch,
        "_through_files",
        lambda *arguments, old=fetch._through_files: through.append(arguments[1]) or old(*arguments),
    )
    s = sw.connect(spark)
    s.sql(f"CREATE STREAM S (v BIGINT, s STRING) TIME ts BIGINT FROM '{path}'")
    seen = sw.Memory()
    s.query(QUERY).start(seen, checkpoint=tmp_path / "state", follow=False).await_termination()
    assert len(through) == 1
    assert not through[0].exists()
    assert seen.rows[-1][-2:] == (ROWS, ROWS * (ROWS - 1) // 2)


def test_few_bytes_may_be_many_rows(tmp_path: Path) -> None:
    """What counts of Parquet is how many values there are, not how well they are packed."""
    path = tmp_path / "0.parquet"
    pl.select(pl.repeat(7, 5_000_000, dtype=pl.Int64).alias("v")).write_parquet(path)
    assert path.stat().st_size < 1 << 20
    assert fetch.weight_of_files([str(path)]) >= fetch.LARGE
    (tmp_path / "0.csv").write_text("v\n7\n")
    assert fetch.weight_of_files([str(tmp_path / "0.csv"), str(tmp_path / "gone.csv")]) == 4
