"""Queries that are added to a run and dropped from it while it goes on, on a real Spark."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path

import polars as pl
import pytest
from pyspark.sql import SparkSession

import slackwater as sw
from slackwater.session import Session, connect
from spark.test_changed_queries import BATCHES, QUERIES, SUMS, changes, opened, sinks, whole
from spark.test_following import put

LARGE = "SELECT k, total FROM (SELECT k, SUM(v) AS total FROM S [RANGE 3] GROUP BY k) AS s WHERE total > 0"
LATEST = "SELECT k, MAX(v) AS v FROM S [ROWS 3] GROUP BY k"
TEXTS = {**QUERIES, "large": LARGE, "latest": LATEST}


def query(session: Session, folder: Path, name: str) -> sw.Query:
    return session.query(TEXTS[name], name).into(*sinks(folder, name))


def moved(rows: list[tuple[object, ...]], begin: int) -> list[tuple[object, ...]]:
    """Changes from an instant on; what is there at it comes at it."""
    net: dict[tuple[object, ...], int] = {}
    for time, op, *row in rows:
        key = (max(int(str(time)), begin), *row)
        net[key] = net.get(key, 0) + (1 if op == "+" else -1)
    signs = [(key[0], "+" if n > 0 else "-", *key[1:]) for key, n in net.items() for _ in range(abs(n))]
    return sorted(signs, key=repr)


def all_of(spark: SparkSession, text: str) -> list[tuple[object, ...]]:
    session = connect(spark)
    session.stream("S", [row for batch in BATCHES for row in batch], time="t", columns=["t", "k", "v"])
    return list(session.query(text).changes().rows())


@pytest.mark.parametrize("placement", ["driver", "workers"])
@pytest.mark.parametrize("is_durable", [True, False])
def test_queries_come_and_go_while_the_others_run(
    spark: SparkSession, tmp_path: Path, placement: str, is_durable: bool
) -> None:
    """COUNT reads no column, so that SUMS reads more than before; LARGE stands on what SUMS computes."""
    session = opened(spark, tmp_path, placement)
    for number in (0, 1):
        put(tmp_path / "in", number, BATCHES[number])
    checkpoint = tmp_path / "state" if is_durable else None
    first = [query(session, tmp_path, name) for name in ("count", "named")]
    with session.start(*first, checkpoint=checkpoint) as running:
        assert running.await_instant(3)
        running.add(query(session, tmp_path, "sums"))
        put(tmp_path / "in", 2, BATCHES[2])
        assert running.await_instant(6)
        running.add(query(session, tmp_path, "large"))
        running.drop("named")
        assert running.queries == ["count", "sums", "large"]
        for number in (3, 4):
            put(tmp_path / "in", number, BATCHES[number])
        assert running.await_instant(11)
    assert [row for row in whole(spark, "count") if int(str(row[0])) < 11] == changes(tmp_path, "count")
    assert changes(tmp_path, "named") == [row for row in whole(spark, "named") if int(str(row[0])) < 6]
    # Rows up to 4 were read when it was added: it begins at 5.
    sums = [row for row in whole(spark, "sums", begin=5) if int(str(row[0])) < 11]
    assert changes(tmp_path, "sums") == moved(sums, 5)
    rows = pl.read_parquet(tmp_path / "sums table" / "table.parquet").rows()
    assert sorted(rows) == [("a", 5), ("b", 1)]


def test_a_query_begins_with_the_rows_that_others_have(spark: SparkSession, tmp_path: Path) -> None:
    session = opened(spark, tmp_path, "driver")
    for number in (0, 1):
        put(tmp_path / "in", number, BATCHES[number])
    with session.start(query(session, tmp_path, "sums")) as running:
        assert running.await_instant(3)
        seen = sw.Memory()
        running.add(session.query(LARGE, "large").into(seen))
        for number in (2, 3, 4):
            put(tmp_path / "in", number, BATCHES[number])
        assert running.await_instant(11)
    expected = [row for row in moved(all_of(spark, LARGE), 3) if int(str(row[0])) < 11]
    assert sorted(seen.rows, key=repr) == expected
    assert expected[0][0] == 3


def test_what_is_committed_with_a_query_is_resumed_with_it(spark: SparkSession, tmp_path: Path) -> None:
    """The checkpoint is copied as a killed run leaves it, before and after the first epoch with the query."""
    session = opened(spark, tmp_path, "driver")
    for number in (0, 1):
        put(tmp_path / "in", number, BATCHES[number])
    state = tmp_path / "state"
    with session.start(session.query(SUMS, "sums").into(sw.Memory()), checkpoint=state) as running:
        assert running.await_instant(3)
        running.add(session.query(LARGE, "large").into(sw.Memory("table")))
        shutil.copytree(state, tmp_path / "before")
        put(tmp_path / "in", 2, BATCHES[2])
        assert running.await_instant(6)
        shutil.copytree(state, tmp_path / "after")
    for number in (3, 4):
        put(tmp_path / "in", number, BATCHES[number])

    def resumed(copy: str, *names: str) -> dict[str, list[tuple[object, ...]]]:
        shutil.rmtree(state)
        shutil.copytree(tmp_path / copy, state)
        session = opened(spark, tmp_path, "driver")
        seen = {"sums": sw.Memory(), "large": sw.Memory("table")}
        queries = [session.query(TEXTS[name], name).into(seen[name]) for name in names]
        with session.start(*queries, checkpoint=state) as running:
            assert running.await_instant(11)
        return {name: sorted(seen[name].rows) for name in names}

    with pytest.raises(sw.EngineError, match='Query "large" is new'):
        resumed("before", "sums", "large")
    expected = [row for row in whole(spark, "sums") if 3 <= int(str(row[0])) < 11]
    assert sorted(resumed("before", "sums")["sums"], key=repr) == expected
    with pytest.raises(sw.EngineError, match='Query "large" is missing'):
        resumed("after", "sums")
    answers = resumed("after", "sums", "large")
    assert sorted(answers["sums"], key=repr) == [row for row in expected if int(str(row[0])) >= 6]
    assert answers["large"] == [("a", 5), ("b", 1)]


def test_an_addition_that_is_refused_changes_nothing(spark: SparkSession, tmp_path: Path) -> None:
    session = opened(spark, tmp_path, "driver")
    for number in (0, 1):
        put(tmp_path / "in", number, BATCHES[number])
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "mine.csv").write_text("k\n", encoding="utf-8")
    seen = sw.Memory()
    checkpoint = tmp_path / "state"
    with session.start(session.query(QUERIES["count"], "count").into(seen), checkpoint=checkpoint) as running:
        assert running.await_instant(3)
        plan = (checkpoint / "query.json").read_bytes()
        with pytest.raises(sw.EngineError, match="foreign-files"):
            running.add(session.query(SUMS, "sums").into(sw.Files(tmp_path / "taken")))
        assert running.queries == ["count"]
        assert (checkpoint / "query.json").read_bytes() == plan
        running.add(session.query(SUMS, "sums").into(sw.Files(tmp_path / "free")))
        running.drop("sums")
        assert (checkpoint / "query.json").read_bytes() == plan
        running.add(session.query(LATEST, "sums").into(sw.Files(tmp_path / "free", overwrite=True)))
        for number in (2, 3, 4):
            put(tmp_path / "in", number, BATCHES[number])
        assert running.await_instant(11)
    assert sorted(seen.rows, key=repr) == [row for row in whole(spark, "count") if int(str(row[0])) < 11]


def test_queries_change_in_another_thread_while_batches_come(spark: SparkSession, tmp_path: Path) -> None:
    """Columns and queries change while batches are computed; what stays is the whole answer."""
    session, seen = opened(spark, tmp_path, "driver"), sw.Memory()
    rows = [(t, "ab"[t % 2], t % 5) for t in range(1, 17)]

    def feed() -> None:
        for number, row in enumerate(rows):
            put(tmp_path / "in", number, [row])

    put(tmp_path / "in", 0, [rows[0]])
    with session.start(session.query(QUERIES["count"], "count").into(seen)) as running:
        feeding = threading.Thread(target=feed)
        feeding.start()
        for name in ("sums", "latest"):
            running.add(session.query(TEXTS[name], name).into(sw.Memory()))
            assert running.await_instant(running.progress.watermark + 3)
            running.drop(name)
        feeding.join()
        assert running.await_instant(15)
    expected = [(t, op, n) for t in range(1, 15) for op, n in (("+", t), ("-", t - 1))]
    assert sorted(seen.rows[1:], key=repr) == sorted(expected, key=repr)
