"""What Arrow reads of Parquet, in the driver or in tasks, is what Spark reads; the rest is left to Spark."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from polars.testing import assert_frame_equal
from pyspark.sql import SparkSession

import slackwater as sw
from slackwater.algebra import types as t
from slackwater.kernels.expressions.values import column_of
from slackwater.run import batches
from slackwater.run.input.row_groups import Share
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


@dataclass(frozen=True)
class Reader:
    """Runs queries in a placement, and counts the batches that Arrow reads."""

    spark: SparkSession
    placement: str
    monkeypatch: pytest.MonkeyPatch

    def run(
        self, ask: Callable[[Session], pl.DataFrame], *, by_arrow: bool = True
    ) -> tuple[pl.DataFrame, int]:
        """An answer, and how many batches Arrow has read; without it, Spark reads all."""
        name = {"driver": "read_here", "workers": "shares_of"}[self.placement]
        real, count = getattr(batches, name), [0]

        def read(*arguments: Any) -> Any:
            rows = real(*arguments) if by_arrow else None
            count[0] += rows is not None
            return rows

        with self.monkeypatch.context() as patch:
            patch.setattr(batches, name, read)
            return ask(sw.connect(self.spark, placement=self.placement)), count[0]

    def rows(self, data: Path, columns: str, *, by_arrow: bool = True) -> tuple[pl.DataFrame, int]:
        """The rows of a stream of files."""

        def ask(mine: Session) -> pl.DataFrame:
            mine.stream("S", str(data), format="parquet", time="at")
            return mine.query(f"SELECT {columns} FROM S").to_polars()

        return self.run(ask, by_arrow=by_arrow)


@pytest.fixture(params=["driver", "workers"])
def reader(request: pytest.FixtureRequest, s: Session, monkeypatch: pytest.MonkeyPatch) -> Reader:
    return Reader(s.spark, request.param, monkeypatch)


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
    reader: Reader,
    write: Callable[[Path, pa.Table, Session], None],
    zone: str,
) -> None:
    (tmp_path / "data").mkdir()
    write(tmp_path / "data", edges(), s)
    ours, count = reader.rows(tmp_path / "data", "*")
    spark_s, none = reader.rows(tmp_path / "data", "*", by_arrow=False)
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
    tmp_path: Path, reader: Reader, write: Callable[[Path], None]
) -> None:
    (tmp_path / "data").mkdir()
    write(tmp_path / "data")
    ours, count = reader.rows(tmp_path / "data", "at, v")
    spark_s, _ = reader.rows(tmp_path / "data", "at, v", by_arrow=False)
    assert count == 0
    assert sorted(map(repr, ours.rows())) == sorted(map(repr, spark_s.rows()))


def test_a_time_that_gets_the_zone_of_its_source_is_left_to_spark(tmp_path: Path, reader: Reader) -> None:
    (tmp_path / "data").mkdir()
    local = pa.array([1, None, 1_700_000_000_000_000], pa.timestamp("us"))
    pq.write_table(PLAIN.set_column(1, "v", local), tmp_path / "data" / "a.parquet")

    def ask(mine: Session) -> pl.DataFrame:
        mine.sql(
            f"CREATE STREAM S (v TIMESTAMP) TIME at BIGINT FROM '{tmp_path}/data/*.parquet' "
            "WITH (timezone = 'Europe/Berlin')"
        )
        return mine.query("SELECT * FROM S").to_polars()

    ours, count = reader.run(ask)
    spark_s, _ = reader.run(ask, by_arrow=False)
    assert count == 0
    assert_frame_equal(ours.sort("time"), spark_s.sort("time"))


def test_a_text_that_is_not_utf_8_is_the_malformed_row_that_it_is_for_spark(
    tmp_path: Path, reader: Reader
) -> None:
    (tmp_path / "data").mkdir()
    # A file whose texts are bytes, with the name of a text in its footer.
    table = pa.table({"at": [1, 2, 3], "v": pa.array([b"ok", b"n\xf6", None], pa.binary())})
    texts = table.set_column(1, "v", pa.Array.from_buffers(pa.string(), 3, table["v"].chunk(0).buffers()))
    pq.write_table(texts, tmp_path / "data" / "a.parquet")

    def ask(mine: Session) -> pl.DataFrame:
        mine.stream("S", str(tmp_path / "data"), format="parquet", time="at", malformed="set aside")
        with pytest.warns(sw.DataWarning, match="malformed"):
            return mine.query("SELECT at, v FROM S").to_polars()

    (ours, count), (spark_s, _) = reader.run(ask), reader.run(ask, by_arrow=False)
    assert count > 0
    assert_frame_equal(ours.sort("at"), spark_s.sort("at"))
    assert ours.height == 2


def test_a_file_that_is_damaged_is_reported_as_spark_does(tmp_path: Path, reader: Reader) -> None:
    (tmp_path / "data").mkdir()
    path = tmp_path / "data" / "a.parquet"
    pq.write_table(pa.table({"at": range(50_000), "v": range(50_000)}), path, row_group_size=10_000)
    content = bytearray(path.read_bytes())
    content[1_000:200_000] = bytes(199_000)  # the footer is whole
    path.write_bytes(content)
    texts: list[str] = []
    for by_arrow in (True, False):
        with pytest.raises(sw.EngineError) as caught:
            reader.rows(tmp_path / "data", "v", by_arrow=by_arrow)
        texts.append(str(caught.value))
    assert texts[0] == texts[1]


def changes(folder: Path) -> None:
    """Changes of a relation in two files; those of an instant are in the order of their file or sequence."""
    rows = [
        *[(1, "+", "x", 1, 1), (1, "u", "x", 2, 2), (2, "+", "y", 5, None)],
        *[(3, "u", "y", 6, 4), (3, "-", "y", 6, 5), (3, "+", "y", 8, 6), (4, "-", "x", 2, 7)],
    ]
    names = ("at", "op", "k", "v", "place")
    for place, part in enumerate((rows[:3], rows[3:])):
        columns = [pa.array(list(values)) for values in zip(*part, strict=True)]
        pq.write_table(pa.table(columns, list(names)), folder / f"{place}.parquet", row_group_size=1)


@pytest.mark.parametrize(
    "declared",
    [
        "KEY (k) TIME at BIGINT OP op",
        "KEY (k) TIME at BIGINT OP op WITH (sequence = 'place')",
        "TIME at BIGINT",
    ],
)
def test_changes_of_a_relation_are_those_that_spark_reads(
    tmp_path: Path, reader: Reader, declared: str
) -> None:
    (tmp_path / "data").mkdir()
    changes(tmp_path / "data")
    head, _, options = declared.partition(" WITH ")

    def ask(mine: Session) -> pl.DataFrame:
        mine.sql(
            f"CREATE RELATION R (k STRING, v BIGINT) {head} FROM '{tmp_path}/data/*.parquet' "
            + (f"WITH {options}" if options else "")
        )
        return mine.query("SELECT k, v FROM R").changes().to_polars()

    (ours, count), (spark_s, _) = reader.run(ask), reader.run(ask, by_arrow=False)
    assert count > 0
    assert sorted(ours.rows(), key=repr) == sorted(spark_s.rows(), key=repr)
    assert ours.height > 2


def test_tasks_read_row_groups_of_several_sources(
    tmp_path: Path, s: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = 100_000
    times = pl.int_range(count, eager=True)
    for name in ("S", "U"):
        (tmp_path / name).mkdir()
        frame = pl.DataFrame({"at": times, "k": times % 1_000, "v": times % (7 if name == "S" else 11)})
        for place, start in enumerate((0, 30_000)):
            rows = frame.slice(start, 30_000 if place == 0 else None)
            rows.write_parquet(tmp_path / name / f"{place}.parquet", row_group_size=9_000)

    def ask(mine: Session) -> pl.DataFrame:
        for name in ("S", "U"):
            mine.stream(name, str(tmp_path / name), format="parquet", time="at")
        return (
            mine.query("SELECT S.k, S.v, U.v AS w FROM S [RANGE 5], U [RANGE 5] WHERE S.k = U.k")
            .changes()
            .to_polars()
        )

    (ours, shared), (in_driver, here) = (
        Reader(s.spark, placement, monkeypatch).run(ask) for placement in ("workers", "driver")
    )
    assert shared > 0
    assert here > 0
    assert_frame_equal(ours, in_driver, check_row_order=False)


def test_files_that_tasks_do_not_have_are_read_by_spark(
    tmp_path: Path, s: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a cluster whose machines do not share the folder: it is tried once in a run."""
    (tmp_path / "data").mkdir()
    for place in range(3):
        rows = PLAIN.set_column(0, "at", pa.array([10 * place, 10 * place + 5, None]))
        pq.write_table(rows, tmp_path / "data" / f"{place}.parquet")
    real = batches.shares_of

    def elsewhere(*arguments: Any) -> list[Share] | None:
        shares = real(*arguments)
        assert shares is not None
        # The first file is there: its malformed row is set aside, and then again when Spark reads it.
        whole = [piece for share in shares for piece in share]
        return [tuple(whole), (replace(whole[0], path=f"{whole[0].path} (elsewhere)"),)]

    monkeypatch.setattr(batches, "shares_of", elsewhere)

    def ask(mine: Session) -> pl.DataFrame:
        mine.stream(
            "S",
            str(tmp_path / "data"),
            format="parquet",
            time="at",
            malformed="set aside",
            maxFilesPerTrigger=1,
        )
        with pytest.warns(sw.DataWarning, match="3 malformed rows"):
            return mine.query("SELECT v FROM S").to_polars()

    answer, tried = Reader(s.spark, "workers", monkeypatch).run(ask)
    assert tried == 1
    assert answer.height == 6
