"""Every kind of data that a user may register gives the same answer."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

import slackwater as sw
from slackwater.session import Session

ROWS = [
    {"ts": 1, "symbol": "A", "price": 10},
    {"ts": 4, "symbol": "B", "price": 30},
    {"ts": 7, "symbol": "A", "price": 20},
]
QUERY = "SELECT symbol, price FROM trades [RANGE 5 SECONDS] WHERE price >= 20"
ANSWER = [(4, "+", "B", 30), (7, "+", "A", 20), (10, "-", "B", 30), (13, "-", "A", 20)]


class Trade(NamedTuple):
    ts: int
    symbol: str
    price: int


HANDED: dict[str, Any] = {
    "dicts": ROWS,
    "a generator of dicts": lambda: (row for row in ROWS),
    "named tuples": [Trade(**row) for row in ROWS],
    "pandas": pd.DataFrame(ROWS),
    "Polars": pl.DataFrame(ROWS),
    "a lazy Polars frame": pl.LazyFrame(ROWS),
    "Arrow": pa.Table.from_pylist(ROWS),
}


@pytest.mark.parametrize("kind", HANDED)
def test_a_table_is_a_stream(s: Session, kind: str) -> None:
    data = HANDED[kind]
    s.stream("trades", data() if callable(data) else data, time="ts")
    assert s.query(QUERY).changes().rows() == ANSWER


def test_a_static_spark_dataframe_is_a_stream(s: Session) -> None:
    s.stream("trades", s.spark.createDataFrame(pd.DataFrame(ROWS)), time="ts")
    assert s.query(QUERY).changes().rows() == ANSWER


def test_columns_that_no_query_reads_are_not_read(s: Session, tmp_path: Path) -> None:
    """A column that cannot even be computed does no harm, beside other sources or alone."""
    rows = s.spark.read.parquet(str(write(tmp_path / "in", "parquet", ROWS)))
    s.stream("trades", rows.selectExpr("*", "price DIV (price - price) AS unread"), time="ts")
    s.stream("ticks", [(4, 1)], time="ts", columns=["ts", "n"])
    assert s.query(QUERY).changes().rows() == ANSWER
    both = "SELECT price, n FROM trades [RANGE 5 SECONDS], ticks [NOW]"
    assert s.query(both).changes().rows() == [
        (4, "+", 10, 1), (4, "+", 30, 1), (5, "-", 10, 1), (5, "-", 30, 1)
    ]  # fmt: skip


def test_late_rows_have_the_columns_that_are_read(s: Session, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    for number, time_ in enumerate((5, 9, 3)):
        path = write(folder, "parquet", [{"ts": time_, "a": number, "b": "unread"}], str(number))
        os.utime(path, (number + 1, number + 1))
    s.sql(
        f"CREATE STREAM S (a BIGINT, b STRING) TIME ts INT FROM '{folder}' FORMAT parquet"
        " WITH (maxFilesPerTrigger = 1, order = 'modified')"
    )
    with pytest.warns(UserWarning, match='1 late row of "S" was set aside: rows up to 9 had been read'):
        query = s.query("SELECT a FROM S [NOW]").run()
    assert query.set_aside("late", "S") == [{"time": "3", "a": 2}]


def write(folder: Path, format: str, rows: list[dict[str, Any]], name: str = "0") -> Path:
    """Rows in a file of a folder."""
    folder.mkdir(exist_ok=True)
    frame, path = pl.DataFrame(rows), folder / f"{name}.{format}"
    if format == "csv":
        frame.write_csv(path)
    elif format == "parquet":
        frame.write_parquet(path)
    elif format == "json":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def streamed(spark: SparkSession, folder: Path) -> DataFrame:
    """A streaming DataFrame of one's own: other names, cents, rows that are no trades."""
    rows = [{"at": row["ts"], "name": row["symbol"].lower(), "cents": row["price"] * 100} for row in ROWS]
    for number, row in enumerate([*rows, {"at": 2, "name": "none", "cents": -1}]):
        path = write(folder, "json", [row], str(number))
        os.utime(path, (row["at"], row["at"]))
    raw = spark.readStream.schema("at long, name string, cents long").option("maxFilesPerTrigger", 1)
    return (
        raw.json(str(folder))
        .filter("cents >= 0")
        .select(f.col("at").alias("ts"), f.upper("name").alias("symbol"), (f.col("cents") / 100).cast("long"))
        .toDF("ts", "symbol", "price")
    )


SPARKS: dict[str, Callable[[SparkSession, Path], Any]] = {
    "a streaming DataFrame with transformations": streamed,
    "a static DataFrame": lambda spark, folder: spark.createDataFrame(pd.DataFrame(ROWS)),
    "a DataFrame of Spark SQL": lambda spark, folder: spark.sql(
        "SELECT * FROM VALUES (1L, 'A', 10L), (4L, 'B', 30L), (7L, 'A', 20L) AS t(ts, symbol, price)"
    ),
    "pandas": lambda spark, folder: pd.DataFrame(ROWS),
    "Arrow": lambda spark, folder: pa.Table.from_pylist(ROWS),
    "a generator": lambda spark, folder: (row for row in ROWS),
}


@pytest.mark.parametrize("placement", ["driver", "workers"])
@pytest.mark.parametrize("kind", SPARKS)
def test_data_is_a_stream_wherever_the_work_is_done(
    spark: SparkSession, tmp_path: Path, kind: str, placement: str
) -> None:
    s = sw.connect(spark, placement=placement)
    s.stream("trades", SPARKS[kind](spark, tmp_path / "in"), time="ts")
    assert s.query(QUERY).changes().rows() == ANSWER


def test_a_user_streaming_dataframe_resumes_after_a_failure(spark: SparkSession, tmp_path: Path) -> None:
    frame, delivered = streamed(spark, tmp_path / "in"), []

    def take(answer: pl.DataFrame, number: int) -> None:
        if number == 3 and not any(epoch == 3 for epoch, _ in delivered):
            delivered.append((3, []))
            raise ValueError("not now")
        delivered.append((number, answer.rows()))

    for _ in range(2):
        s = sw.connect(spark)
        s.stream("trades", frame, time="ts")
        running = s.query(QUERY, "q").start(sw.Callback(take), checkpoint=tmp_path / "state", follow=False)
        with contextlib.suppress(sw.EngineError):
            running.await_termination()
    assert (3, []) in delivered
    assert [row for _, rows in delivered for row in rows] == ANSWER


def test_a_user_function_that_fails_in_a_dataframe_is_reported(spark: SparkSession) -> None:
    def broken(price):  # type: ignore[no-untyped-def]  # Spark would take hints for pandas
        raise ValueError("a price I do not know")

    s = sw.connect(spark)
    frame = spark.createDataFrame(pd.DataFrame(ROWS)).withColumn("price", f.udf(broken, "long")("price"))
    s.stream("trades", frame, time="ts")
    with pytest.raises(sw.EngineError, match=r"error\[spark-failed\].*ValueError: a price I do not know"):
        s.query(QUERY).run()


@pytest.mark.parametrize("format", ["csv", "json", "parquet"])
def test_a_file_of_any_format_is_a_stream(s: Session, tmp_path: Path, format: str) -> None:
    path = write(tmp_path / "in", format, ROWS)
    s.sql(f"CREATE STREAM trades (symbol STRING, price BIGINT) TIME ts INT FROM '{path}'")
    assert s.query(QUERY).changes().rows() == ANSWER


def test_an_orc_folder_and_a_path_without_a_declaration(s: Session, tmp_path: Path) -> None:
    s.spark.createDataFrame(pd.DataFrame(ROWS)).write.orc(str(tmp_path / "in"))
    s.stream("trades", tmp_path / "in", time="ts", format="orc")
    assert s.query(QUERY).changes().rows() == ANSWER


@pytest.mark.parametrize(
    ("content", "clauses"),
    [
        ("price;noise;ts;symbol\n10;x;1;A\n30;y;4;B\n20;;7;A\n", "FORMAT csv WITH (sep = ';')"),
        ("1,A,10\n4,B,30\n7,A,20\n", "WITH (header = FALSE)"),
    ],
    ids=["columns by name", "without a header, time first"],
)
def test_the_columns_of_a_csv_file(s: Session, tmp_path: Path, content: str, clauses: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(content, encoding="utf-8")
    s.sql(f"CREATE STREAM trades (symbol STRING, price INT) TIME ts INT FROM '{path}' {clauses}")
    assert s.query(QUERY).changes().rows() == ANSWER


def test_lines_of_text_count_by_the_clock(s: Session, tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text("one\ntwo\n", encoding="utf-8")
    before = datetime.now(UTC)
    s.sql(f"CREATE STREAM lines (line STRING) FROM '{tmp_path / 't.txt'}'")
    rows = s.query("SELECT ISTREAM(line) FROM lines [RANGE 5 SECONDS]").emits().rows()
    assert sorted(line for _, line in rows) == ["one", "two"]
    assert all(abs((when - before).total_seconds()) < 24 * 3600 for when, _ in rows)


def test_timestamps_are_instants_of_the_calendar(s: Session, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("ts,x\n2024-01-01 00:00:01,1\n2024-01-01T00:00:02Z,2\n", encoding="utf-8")
    s.sql(f"CREATE STREAM S (x INT) TIME ts FROM '{tmp_path / 't.csv'}'")
    q = s.query("SELECT COUNT(*) AS n FROM S [RANGE 5 SECONDS]")
    assert q.at("2024-01-01 00:00:02").rows() == [(2,)]
    assert q.at(datetime(2024, 1, 1, 0, 0, 1)).rows() == [(1,)]
    assert q.changes().rows()[-1][0] == datetime(2024, 1, 1, 0, 0, 7, 1, tzinfo=UTC)


def test_upserts_by_key_and_changes_with_an_op_column(s: Session) -> None:
    upserts = [(1, "A", 10), (5, "A", 20), (5, "B", 1)]
    s.relation("by_key", upserts, time="t", key="k", columns=["t", "k", "v"])
    assert s.query("SELECT * FROM by_key").at(5).rows() == [("A", 20), ("B", 1)]
    changes = [(1, "+", "A", 10), (5, "u", "A", 20), (6, "-", "A", 20)]
    s.relation("by_op", changes, time="t", key=["k"], op="op", columns=["t", "op", "k", "v"])
    assert s.query("SELECT * FROM by_op").changes().rows() == [
        (1, "+", "A", 10),
        (5, "-", "A", 10),
        (5, "+", "A", 20),
        (6, "-", "A", 20),
    ]


def test_rows_may_carry_their_own_end(s: Session) -> None:
    stays = [(1, 5, "ann"), (2, None, "bob"), (5, 6, "ann")]
    s.relation("stays", stays, time="come", until="go", columns=["come", "go", "who"])
    q = s.query("SELECT who FROM stays")
    assert q.elements().rows() == [("ann", 1, 5, 1), ("bob", 2, None, 1), ("ann", 5, 6, 1)]
    assert s.query("SELECT COUNT(*) AS n FROM stays").at(5).rows() == [(2,)]


def test_data_is_handed_over_for_what_is_declared(s: Session) -> None:
    s.sql("CREATE STREAM trades (symbol STRING, price BIGINT) TIME ts INT")
    s.sql("CREATE VIEW v AS SELECT symbol FROM trades [NOW]")
    s.stream("trades", ROWS)
    assert s.view("v").at(4).rows() == [("B",)]
    assert s.query(QUERY).changes().rows() == ANSWER


def test_types_of_every_kind_come_through(s: Session) -> None:
    from decimal import Decimal

    rows = [
        {
            "t": 1,
            "a": [1, 2],
            "d": Decimal("1.50"),
            "b": b"\x01",
            "f": 1.5,
            "o": True,
            "at_": datetime(2024, 1, 1),
            "n": {"x": 1},
        },
        {"t": 2, "a": None, "d": None, "b": None, "f": None, "o": None, "at_": None, "n": None},
    ]
    s.stream("S", rows, time="t")
    got = s.query("SELECT ISTREAM(a, d, b, f, o, at_, n) FROM S [NOW]").to_polars().to_dicts()
    assert [{**row, "time": row["time"]} for row in got] == [
        {"time": row["t"], **{name: value for name, value in row.items() if name != "t"}} for row in rows
    ]


def test_sparks_rate_source_and_a_view_for_sql(s: Session, tmp_path: Path) -> None:
    s.stream("ticks", format="rate", time="timestamp", rowsPerSecond=20)
    q = s.query("SELECT COUNT(*) AS n FROM ticks [RANGE UNBOUNDED]")
    with q.start(sw.View("counted", spark=s.spark)) as running:
        until = time.monotonic() + 60
        while running.progress.events < 20 and time.monotonic() < until:
            running.await_termination(0.1)
    assert s.spark.sql("SELECT n FROM counted").collect()[0][0] > 0


def test_lines_of_a_socket(s: Session) -> None:
    server = socket.create_server(("localhost", 0))
    port = server.getsockname()[1]

    def serve() -> None:
        connection, _ = server.accept()
        with connection:
            connection.sendall(b"one\ntwo\n")
            time.sleep(30)

    threading.Thread(target=serve, daemon=True).start()
    s.stream("lines", f"localhost:{port}", format="socket")
    seen = sw.Memory()
    with s.query("SELECT ISTREAM(value) FROM lines [NOW]").start(seen) as running:
        until = time.monotonic() + 60
        while len(seen.rows) < 2 and time.monotonic() < until:
            running.await_termination(0.1)
    server.close()
    assert sorted(row[1] for row in seen.rows) == ["one", "two"]
