"""Where answers go, and in which forms."""

from __future__ import annotations

import io
from pathlib import Path

import polars as pl
import pytest

import slackwater as sw
from slackwater.session import Session

TRADES = [(1, "A", 10), (4, "B", 30), (7, "A", 20)]
RELATION = "SELECT symbol, price FROM trades [RANGE 5 SECONDS]"
STREAM = f"ISTREAM({RELATION})"
CHANGES = [
    (1, "+", "A", 10),
    (4, "+", "B", 30),
    (7, "-", "A", 10),
    (7, "+", "A", 20),
    (10, "-", "B", 30),
    (13, "-", "A", 20),
]
READ = {"csv": pl.read_csv, "json": pl.read_ndjson, "parquet": pl.read_parquet}


@pytest.fixture
def t(s: Session) -> Session:
    s.stream("trades", TRADES, time="ts", columns=["ts", "symbol", "price"])
    return s


def read_back(folder: Path, format: str) -> list[tuple[object, ...]]:
    return [row for path in sorted(folder.glob(f"*.{format}")) for row in READ[format](path).rows()]


@pytest.mark.parametrize("format", ["csv", "json", "parquet"])
def test_changes_and_streams_are_written_to_files(t: Session, tmp_path: Path, format: str) -> None:
    t.query(RELATION).write(tmp_path / "r", format)
    assert read_back(tmp_path / "r", format) == CHANGES
    t.query(STREAM).write(tmp_path / "s", format)
    assert read_back(tmp_path / "s", format) == [(1, "A", 10), (4, "B", 30), (7, "A", 20)]
    assert not [path for path in tmp_path.rglob("*") if path.name.endswith(".tmp")]


def test_elements_and_the_table_are_written_to_files(t: Session, tmp_path: Path) -> None:
    t.query(RELATION).write(tmp_path / "e", "parquet", mode="elements")
    assert read_back(tmp_path / "e", "parquet") == [
        ("A", 10, 1, 7, 1),
        ("B", 30, 4, 10, 1),
        ("A", 20, 7, 13, 1),
    ]
    t.query("SELECT symbol, COUNT(*) AS n FROM trades [RANGE UNBOUNDED] GROUP BY symbol").write(
        tmp_path / "t", "parquet", mode="table"
    )
    assert sorted(read_back(tmp_path / "t", "parquet")) == [("A", 2), ("B", 1)]


def test_a_folder_with_answers_is_not_written_over_in_silence(t: Session, tmp_path: Path) -> None:
    t.query(RELATION).write(tmp_path / "r")
    with pytest.raises(sw.EngineError, match="occupied-folder"):
        t.query(RELATION).write(tmp_path / "r")
    t.query(RELATION).write(tmp_path / "r", overwrite=True)
    assert read_back(tmp_path / "r", "csv") == CHANGES


def test_console_callback_memory_and_view(t: Session) -> None:
    out, memory = io.StringIO(), sw.Memory()
    calls: list[tuple[int, int]] = []

    def note(frame: pl.DataFrame, number: int) -> None:
        calls.append((number, frame.height))

    q = t.query(RELATION).into(sw.Console(stream=out), sw.Callback(note), memory)
    total = t.query("SELECT COUNT(*) AS n FROM trades [RANGE UNBOUNDED]").into(
        sw.View("total", spark=t.spark)
    )
    t.start(q, total).await_termination()
    assert out.getvalue().splitlines()[:3] == [
        "time | op | symbol | price",
        "1 | + | A | 10",
        "4 | + | B | 30",
    ]
    assert sum(height for _, height in calls) == len(CHANGES)
    assert memory.rows == CHANGES
    assert t.spark.sql("SELECT n FROM total").collect()[0][0] == 3


def test_a_function_that_fails_is_named_and_the_epoch_is_not_lost(t: Session, tmp_path: Path) -> None:
    def broken(frame: pl.DataFrame, number: int) -> None:
        raise ValueError("no more")

    with pytest.raises(sw.EngineError, match=r'the callback "broken".*ValueError: no more'):
        t.query(RELATION).start(sw.Callback(broken), checkpoint=tmp_path).await_termination()
    t2 = sw.connect(t.spark)
    t2.stream("trades", TRADES, time="ts", columns=["ts", "symbol", "price"])
    again = sw.Memory()
    t2.query(RELATION).start(again, checkpoint=tmp_path).await_termination()
    assert again.rows == CHANGES


def test_a_query_that_is_made_again_resumes(t: Session, tmp_path: Path) -> None:
    """In a notebook a cell is run twice: the checkpoint knows the query, whatever was run in between."""
    for _ in range(2):
        seen = sw.Memory()
        t.query(RELATION).start(seen, checkpoint=tmp_path, follow=False).await_termination()
        t.query("SELECT COUNT(*) AS n FROM trades [NOW]")
    assert seen.rows == []


def test_answers_in_every_library(t: Session) -> None:
    q = t.query(RELATION)
    assert [tuple(row) for row in q.to_df().collect()] == CHANGES
    assert [tuple(row) for row in q.to_pandas().itertuples(index=False)] == CHANGES
    assert q.to_arrow().num_rows == q.to_polars().height == len(CHANGES)
    assert q.at(7).rows() == [("A", 20), ("B", 30)]
    assert t.query(STREAM).at(7).rows() == [("A", 20)]
    assert (q.kind, str(q.schema)) == ("relation", "(symbol string, price bigint)")
    assert "window range 5" in q.explain()
    assert "stages, in the driver on one machine, on a cluster in the workers" in q.explain()
    assert "if it is started with a checkpoint, and otherwise in the driver" in q.explain()


def test_a_column_called_time_keeps_its_name(s: Session) -> None:
    s.stream("S", [(1, "a")], time="time", columns=["time", "op"])
    assert s.query("SELECT * FROM S [NOW]").changes().columns == ["_time", "_op", "time", "op"]


def test_tagged_changes_name_what_replaces_what(t: Session) -> None:
    q = t.query("SELECT symbol, MAX(price) AS most FROM trades [RANGE UNBOUNDED] GROUP BY symbol")
    assert q.tagged("symbol").rows() == [(1, "+", "A", 10), (4, "+", "B", 30), (7, "u", "A", 20)]
    with pytest.raises(sw.EngineError, match="not-a-key"):
        t.query("SELECT a.symbol, b.price FROM trades [RANGE 9] AS a, trades [RANGE 9] AS b").tagged("symbol")


def test_forms_that_do_not_fit_are_refused(t: Session) -> None:
    with pytest.raises(sw.EngineError, match="wrong-mode"):
        t.query(STREAM).tagged("symbol")
    with pytest.raises(sw.EngineError, match="wrong-mode"):
        t.query(RELATION).emits()
    with pytest.raises(sw.EngineError, match="wrong-mode"):
        t.query(STREAM).start(sw.Memory("table"))
    with pytest.raises(sw.EngineError, match="unknown-output"):
        t.query(STREAM).write("nowhere", format="xlsx")


def test_a_text_declares_sinks_and_the_queries_that_write_to_them(t: Session, tmp_path: Path) -> None:
    queries = t.sql(
        f"CREATE SINK changed AS {RELATION} INTO '{tmp_path}/changed' FORMAT parquet MODE changes; "
        f"CREATE SINK counts (symbol STRING, n BIGINT) INTO '{tmp_path}/counts' KEY (symbol); "
        "INSERT INTO counts SELECT symbol AS s, COUNT(*) FROM trades [RANGE UNBOUNDED] GROUP BY symbol; "
        f"CREATE SINK rows AS {STREAM} INTO :folder FORMAT json WITH (overwrite = TRUE)",
        args={"folder": f"{tmp_path}/rows"},
    )
    assert [query.name for query in queries] == ["changed", "counts", "rows"]
    assert (t.sinks, t.idle_sinks) == (["changed", "counts", "rows"], [])
    t.start(*queries, follow=False).await_termination()
    assert read_back(tmp_path / "changed", "parquet") == CHANGES
    tagged = [(1, "+", "A", 1), (4, "+", "B", 1), (7, "u", "A", 2)]
    assert read_back(tmp_path / "counts", "csv") == tagged
    assert read_back(tmp_path / "rows", "json") == [(1, "A", 10), (4, "B", 30), (7, "A", 20)]


def test_a_key_of_files_is_that_of_tagged_rows(t: Session, tmp_path: Path) -> None:
    counts = t.query("SELECT symbol, COUNT(*) AS n FROM trades [RANGE UNBOUNDED] GROUP BY symbol")
    counts.write(tmp_path / "t", mode="tagged", key="symbol")
    assert read_back(tmp_path / "t", "csv") == [(1, "+", "A", 1), (4, "+", "B", 1), (7, "u", "A", 2)]
    with pytest.raises(sw.EngineError, match="a key has no effect with the mode table"):
        counts.write(tmp_path / "u", mode="table", key="symbol")
    with pytest.raises(sw.EngineError, match="no-known-key"):
        t.query("SELECT price FROM trades [RANGE 5 SECONDS]").write(tmp_path / "v", mode="tagged")


def test_a_text_with_an_error_declares_no_sink(t: Session) -> None:
    with pytest.raises(sw.QueryError):
        t.sql("CREATE SINK o (symbol STRING) INTO 'o'; INSERT INTO o SELECT nothing FROM trades")
    assert t.sinks == []
