"""Parquet that the driver reads by itself has the rows that Spark reads; the rest is left to Spark."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from polars.testing import assert_frame_equal

import slackwater as sw
from slackwater.algebra import types as t
from slackwater.kernels.expressions.values import column_of
from slackwater.run import batches
from slackwater.session import Session
from slackwater.sources.frames import spark_frame
from spark.test_functions_in_spark import EDGES

TYPES = (
    *(t.BOOLEAN, t.TINYINT, t.SMALLINT, t.INT, t.BIGINT, t.DOUBLE, t.STRING, t.DATE, t.TIMESTAMP),
    t.TIMESTAMP_NTZ,
)
ROWS = 60
ZONE = "spark.sql.session.timeZone"


def edges() -> pa.Table:
    """A column of edge values for each type, and a time."""
    frame = pl.DataFrame(
        [
            column_of([(None, *EDGES[type_])[row % (1 + len(EDGES[type_]))] for row in range(ROWS)], type_)
            .alias(str(type_))
            for type_ in TYPES
        ]
    )  # fmt: skip
    frame = frame.with_columns(
        pl.col("timestamp").dt.replace_time_zone("UTC"), pl.int_range(ROWS, dtype=pl.Int64).alias("at")
    )
    table = frame.to_arrow()
    single = pa.array([0.5, -0.0, float("nan"), None] * (ROWS // 4), pa.float32())
    return table.append_column("float", single)


def by_arrow(folder: Path, table: pa.Table, s: Session) -> None:
    for place, rows in enumerate((table.slice(0, 20), table.slice(20))):
        pq.write_table(rows, folder / f"{place}.parquet", row_group_size=7, use_dictionary=bool(place))


def by_spark(folder: Path, table: pa.Table, s: Session) -> None:
    """Without instants, which Spark stores in 96 bits."""
    spark_frame(s.spark, table.drop_columns(["timestamp"])).write.mode("append").parquet(str(folder))


def answer(
    s: Session, data: Path, monkeypatch: pytest.MonkeyPatch, columns: str, *, here: bool
) -> tuple[pl.DataFrame, int]:
    """The rows of a stream, and how many batches the driver has read."""
    real, count = batches.read_here, [0]

    def read(*arguments: Any) -> list[pa.Table] | None:
        tables = real(*arguments) if here else None
        count[0] += tables is not None
        return tables

    with monkeypatch.context() as patch:
        patch.setattr(batches, "read_here", read)
        mine = sw.connect(s.spark, placement="driver")
        mine.stream("S", str(data), format="parquet", time="at")
        return mine.query(f"SELECT {columns} FROM S").to_polars(), count[0]


@pytest.fixture(params=["UTC", "Europe/Berlin"])
def zone(request: pytest.FixtureRequest, s: Session) -> Iterator[str]:
    """The zone of Spark's session."""
    before = str(s.spark.conf.get(ZONE))
    s.spark.conf.set(ZONE, request.param)
    yield request.param
    s.spark.conf.set(ZONE, before)


@pytest.mark.parametrize("write", [by_arrow, by_spark])
def test_values_of_every_type_are_those_that_spark_reads(
    s: Session,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    write: Callable[[Path, pa.Table, Session], None],
    zone: str,
) -> None:
    (tmp_path / "data").mkdir()
    write(tmp_path / "data", edges(), s)
    ours, count = answer(s, tmp_path / "data", monkeypatch, "*", here=True)
    spark_s, none = answer(s, tmp_path / "data", monkeypatch, "*", here=False)
    assert (count > 0, none) == (True, 0)
    assert_frame_equal(ours.sort("at"), spark_s.sort("at"), check_exact=True)
    assert ours.height == ROWS


PLAIN = pa.table({"at": [1, 2, 3], "v": [5, 6, 7]})


def _milliseconds(folder: Path) -> None:
    column = pa.array([1, 2, 3], pa.timestamp("ms", "UTC"))
    pq.write_table(PLAIN.set_column(1, "v", column), folder / "a.parquet")


def _folders(folder: Path) -> None:
    (folder / "v=9").mkdir()
    pq.write_table(PLAIN, folder / "v=9" / "a.parquet")


def _without_the_column(folder: Path) -> None:
    pq.write_table(PLAIN, folder / "a.parquet")
    pq.write_table(PLAIN.select(["at"]), folder / "b.parquet")


def _in_other_case(folder: Path) -> None:
    pq.write_table(PLAIN, folder / "a.parquet")
    pq.write_table(PLAIN.rename_columns(["at", "V"]), folder / "b.parquet")


def _nested(folder: Path) -> None:
    pq.write_table(PLAIN.set_column(1, "v", pa.array([[1], None, []])), folder / "a.parquet")


def _unsigned(folder: Path) -> None:
    pq.write_table(PLAIN.set_column(1, "v", pa.array([1, 2, 2**32 - 1], pa.uint32())), folder / "a.parquet")


def _of_an_old_spark(folder: Path) -> None:
    column = pa.array([-200_000, 0, None], pa.int32()).cast(pa.date32())
    table = PLAIN.set_column(1, "v", column).replace_schema_metadata({"org.apache.spark.version": "2.4.5"})
    pq.write_table(table, folder / "a.parquet")


@pytest.mark.parametrize(
    "write",
    [_milliseconds, _folders, _without_the_column, _in_other_case, _nested, _unsigned, _of_an_old_spark],
)
def test_what_is_stored_otherwise_is_left_to_spark(
    s: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: Callable[[Path], None]
) -> None:
    (tmp_path / "data").mkdir()
    write(tmp_path / "data")
    ours, count = answer(s, tmp_path / "data", monkeypatch, "at, v", here=True)
    spark_s, _ = answer(s, tmp_path / "data", monkeypatch, "at, v", here=False)
    assert count == 0
    assert sorted(map(repr, ours.rows())) == sorted(map(repr, spark_s.rows()))
