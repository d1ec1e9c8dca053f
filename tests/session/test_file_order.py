"""The order in which files are found, and how rows are spread over them, cannot be seen in an answer."""

from __future__ import annotations

import json
import os
import tempfile
import warnings
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

import slackwater as sw
from slackwater.run.started import Started

ROWS = [{"ts": (7 * place) % 24, "k": "AB"[place % 2], "v": place} for place in range(24)]
QUERY = "SELECT k, SUM(v) AS total FROM S [RANGE 3] GROUP BY k"


def write(folder: Path, pieces: list[list[dict[str, object]]], kind: str, ages: list[int]) -> None:
    """A file for each piece, modified so many seconds after the beginning."""
    folder.mkdir(parents=True)
    for number, (rows, age) in enumerate(zip(pieces, ages, strict=True)):
        path = folder / f"{number}.{kind}"
        if kind == "parquet":
            pl.DataFrame(rows, schema={"ts": pl.Int64, "k": pl.String, "v": pl.Int64}).write_parquet(path)
        elif kind == "csv":
            lines = ["ts,k,v", *(f"{row['ts']},{row['k']},{row['v']}" for row in rows)]
            path.write_text("\n".join(lines) + "\n")
        else:
            path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        os.utime(path, (1_000_000 + age, 1_000_000 + age))


def answered(spark: SparkSession, folder: Path, **options: object) -> list[tuple[object, ...]]:
    s = sw.connect(spark)
    s.sql("CREATE STREAM S (k STRING, v BIGINT) TIME ts BIGINT")
    s.stream("S", str(folder), maxFilesPerTrigger=1, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return s.query(QUERY).changes().rows()


@st.composite
def spread(draw: st.DrawFn) -> tuple[list[list[dict[str, object]]], list[int]]:
    """The rows in some order, cut into files, one of which may be empty, and when these were modified."""
    rows = draw(st.permutations(ROWS))
    cuts = sorted(draw(st.lists(st.integers(0, len(rows)), min_size=1, max_size=4)))
    pieces = [rows[start:end] for start, end in zip([0, *cuts], [*cuts, len(rows)], strict=True)]
    return pieces, draw(st.lists(st.integers(0, 3), min_size=len(pieces), max_size=len(pieces)))


@settings(max_examples=4, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(spread(), st.sampled_from(["csv", "json", "parquet"]))
def test_neither_order_nor_cut_of_files_is_seen(
    spark: SparkSession, files: tuple[list[list[dict[str, object]]], list[int]], kind: str
) -> None:
    s = sw.connect(spark)
    s.stream("S", ROWS, time="ts")
    expected = s.query(QUERY).changes().rows()
    with tempfile.TemporaryDirectory() as place:
        pieces, ages = files
        write(Path(place) / "in", pieces, kind, ages)
        assert answered(spark, Path(place) / "in") == expected


def test_a_restart_comes_to_the_same_epochs(spark: SparkSession, tmp_path: Path) -> None:
    """A file that comes between a failure and the restart is read, and the epoch done again is the same."""
    write(tmp_path / "in", [ROWS[start::3] for start in range(3)], "csv", [0, 1, 2])
    seen: list[tuple[int, list[tuple[object, ...]]]] = []
    fails_at = {1}

    def take(frame: pl.DataFrame, number: int) -> None:
        seen.append((number, sorted(frame.rows())))
        if number in fails_at:
            raise ValueError("not now")

    def run() -> None:
        s = sw.connect(spark)
        s.sql("CREATE STREAM S (k STRING, v BIGINT) TIME ts BIGINT")
        s.stream("S", str(tmp_path / "in"), maxFilesPerTrigger=1, order="time")
        started = s.query(QUERY, "q").start(sw.Callback(take), checkpoint=tmp_path / "state", follow=False)
        started.await_termination()
        assert started.progress.late == 0

    with pytest.raises(sw.EngineError, match="not now"):
        run()
    fails_at.clear()
    late = tmp_path / "in" / "late.csv"
    late.write_text("ts,k,v\n20,A,100\n")
    run()
    done = dict(seen)
    assert [rows for number, rows in seen if number == 1] == [done[1], done[1]]
    s = sw.connect(spark)
    s.stream("S", [*ROWS, {"ts": 20, "k": "A", "v": 100}], time="ts")
    assert sorted(row for rows in done.values() for row in rows) == sorted(s.query(QUERY).changes().rows())


def test_while_following_files_wait_for_those_before_them_by_name_or_time(
    spark: SparkSession, tmp_path: Path
) -> None:
    """Of two files that come at once Spark reads the later one first: it was modified before the other."""
    orders = ("name", "time", "modified")
    put(tmp_path / "in" / "a", {"2.csv": (20, 1)})
    seen = {order: sw.Memory() for order in orders}
    running = {order: followed(spark, tmp_path / "in", seen[order], order) for order in orders}
    assert all(run.await_instant(20) for run in running.values())
    put(tmp_path / "in" / "b", {"3.csv": (30, 3), "4.csv": (40, 2)})
    for run in running.values():
        while run.progress.events < 3:
            run.await_termination(0.05)
        if run is running["modified"]:
            with pytest.warns(sw.DataWarning, match='1 late row of "S"'):
                run.stop()
        else:
            run.stop()
    assert [seen[order].rows for order in orders] == [[(20, 20), (30, 30)], [(20, 20), (30, 30)], [(20, 20)]]
    assert [run.progress.late for run in running.values()] == [0, 0, 1]


def put(folder: Path, files: dict[str, tuple[int, int]]) -> None:
    """Files of one row, each with its time and when it was modified, that are all there at once."""
    draft = folder.parent.parent / "draft"
    draft.mkdir()
    for name, (at, age) in files.items():
        (draft / name).write_text(f"ts,v\n{at},{at}\n")
        os.utime(draft / name, (1_000_000 + age, 1_000_000 + age))
    folder.parent.mkdir(exist_ok=True)
    draft.rename(folder)


def followed(spark: SparkSession, folder: Path, seen: sw.Memory, order: str) -> Started:
    s = sw.connect(spark)
    s.stream("S", f"{folder}/*/*.csv", time="ts", maxFilesPerTrigger=1, order=order)
    return s.query("SELECT ISTREAM(v) FROM S [NOW]", order).start(seen)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_sizes_of_files_do_not_decide_which_change_counts(
    spark: SparkSession, tmp_path: Path, kind: str
) -> None:
    for turn in (1, -1):
        pieces = [[(1, "A", 1, 10)], [(1, "A", 2, 11), *((2, f"B{n}", n, n) for n in range(50))]][::turn]
        folder = tmp_path / f"in {turn}"
        folder.mkdir()
        for number, rows in enumerate(pieces):
            frame = pl.DataFrame(rows, schema=["ts", "k", "v", "nr"], orient="row")
            path = folder / f"{number}.{kind}"
            frame.write_csv(path) if kind == "csv" else frame.write_parquet(path)
        s = sw.connect(spark)
        s.relation("R", str(folder), time="ts", key="k", sequence="nr")
        assert s.query("SELECT v FROM R WHERE k = 'A'").at(1).rows() == [(2,)]
        s.relation("Q", str(folder), time="ts", key="k")
        with pytest.raises(sw.EngineError, match="ambiguous-update"):
            s.query("SELECT v FROM Q WHERE k = 'A'").run()


def test_a_list_has_an_order_and_a_dataframe_has_none(spark: SparkSession) -> None:
    s = sw.connect(spark)
    rows = [(1, "A", 1), (1, "A", 2)]
    s.relation("R", rows, time="ts", key="k", columns=["ts", "k", "v"])
    assert s.query("SELECT v FROM R").at(1).rows() == [(2,)]
    s.relation("Q", spark.createDataFrame(rows, "ts long, k string, v long"), time="ts", key="k")
    with pytest.raises(sw.EngineError, match="ambiguous-update"):
        s.query("SELECT v FROM Q").run()


def test_a_sequence_stays_a_column_and_may_be_the_key(spark: SparkSession) -> None:
    s = sw.connect(spark)
    frame = spark.createDataFrame([(1, "A", 2), (1, "A", 1), (2, "B", 3)], "ts long, k string, v long")
    s.relation("R", frame, time="ts", key="k", sequence="v")
    assert sorted(s.query("SELECT k, v FROM R").at(2).rows()) == [("A", 2), ("B", 3)]
    s.relation("Q", frame, time="ts", key="v", sequence="v")
    s.relation("P", frame, time="ts", key="ts", sequence="v")
    assert sorted(s.query("SELECT k, v FROM Q").at(2).rows()) == [("A", 1), ("A", 2), ("B", 3)]
    assert sorted(s.query("SELECT ts, v FROM P").at(2).rows()) == [(1, 2), (2, 3)]
    changes = [(1, "+", "A", 1, 0), (2, "-", "A", 1, 1)]  # a deletion names the row, not its sequence
    s.relation("O", spark.createDataFrame(changes, "ts long, op string, k string, v long, nr long"),
               time="ts", op="op", sequence="nr")  # fmt: skip
    assert s.query("SELECT k, v FROM O").at(2).rows() == []
