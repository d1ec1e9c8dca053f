"""The events as files: Parquet for engines that read batch by batch, and one CSV file a stream for Flink."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import polars as pl

from benchmarks.nexmark.events import BEGIN, SIDE, events, instant, large
from benchmarks.nexmark.texts import camel


def write(count: int, batch: int, cache: Path) -> Path:
    """The folder with the files of so many events; generated where they do not exist."""
    folder = cache / "data" / f"nexmark-{count}-{batch}"
    if (folder / "whole").exists():
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    mix = large(count)
    for name, rows in events(mix).items():
        place = folder / name
        place.mkdir(parents=True)
        rows = rows.rename(camel)
        rows.write_csv(place / "whole.csv", include_header=False, datetime_format="%Y-%m-%d %H:%M:%S%.3f")
        number = (pl.col("dateTime").to_physical() - instant(BEGIN)) // (mix.step.microseconds * batch)
        for part in range(-(-count // batch)):
            path = place / f"part-{part:05d}.parquet"
            zoned = pl.col(pl.Datetime).dt.replace_time_zone("UTC")
            rows.filter(number == part).with_columns(zoned).write_parquet(path, compression="snappy")
            # Spark reads files in the order in which they were changed.
            os.utime(path, (instant(BEGIN) // 1_000_000 + part,) * 2)
    pl.DataFrame(SIDE, schema=["key", "value"], orient="row").write_parquet(folder / "side.parquet")
    (folder / "whole").touch()
    return folder
