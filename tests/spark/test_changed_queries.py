"""Queries that are added to a checkpoint and removed from it, through sessions on a real Spark."""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path

import polars as pl
import pytest
from pyspark.sql import SparkSession

import slackwater as sw
from laws.effort import SEED, TIMES
from run.faults import Killed, failing, killed
from slackwater.run.drive import Drive
from slackwater.run.started import Started
from slackwater.session import Session, connect
from spark.test_following import put

SUMS = "SELECT k, SUM(v) AS total FROM S [RANGE 3] GROUP BY k"
COUNT = "SELECT COUNT(*) AS n FROM S [RANGE UNBOUNDED]"
NAMED = "SELECT S.k, name, v FROM S [ROWS 2] JOIN R ON S.k = R.k"
BATCHES = [
    [(1, "a", 1), (2, "b", 2)],
    [(4, "a", 3), (3, "b", 1)],
    [(7, "a", 5)],
    [(9, "b", 1)],
    [(12, "a", 1)],
]
PAIRS = "SELECT name, COUNT(*) AS n FROM S [RANGE 2] JOIN R ON S.k = R.k GROUP BY name"
QUERIES = {"sums": SUMS, "count": COUNT, "named": NAMED, "pairs": PAIRS}
NAMES = [("a", "Ada"), ("b", "Bob")]


def opened(spark: SparkSession, folder: Path, placement: str) -> Session:
    session = connect(spark, placement=placement)
    session.sql(
        f"CREATE STREAM S (k STRING, v BIGINT) TIME t INT FROM '{folder / 'in'}' FORMAT parquet "
        "WITH (delay = 1, maxFilesPerTrigger = 1)"
    )
    session.relation("R", NAMES, key="k", columns=["k", "name"])
    return session


def sinks(folder: Path, name: str) -> list[sw.Files]:
    changes, table = folder / name, folder / f"{name} table"
    return [sw.Files(changes, "parquet"), sw.Files(table, "parquet", "table")]


def started(
    session: Session,
    folder: Path,
    *names: str,
    allow_changes: bool = True,
    follow: bool = True,
    added_from: str = "now",
) -> Started:
    queries = [session.query(QUERIES[name], name).into(*sinks(folder, name)) for name in names]
    return session.start(
        *queries,
        checkpoint=folder / "state",
        follow=follow,
        allow_changes=allow_changes,
        added_from=added_from,
    )


def changes(folder: Path, name: str) -> list[tuple[object, ...]]:
    frames = [pl.read_parquet(path) for path in sorted((folder / name).glob("0*.parquet"))]
    return sorted(pl.concat(frames).rows(), key=repr)


def whole(spark: SparkSession, name: str, begin: int = 0) -> list[tuple[object, ...]]:
    """The answer over all rows from an instant on."""
    session = connect(spark)
    rows = [row for batch in BATCHES for row in batch if row[0] >= begin]
    session.stream("S", rows, time="t", columns=["t", "k", "v"])
    session.relation("R", NAMES, key="k", columns=["k", "name"])
    return sorted(session.query(QUERIES[name]).changes().rows(), key=repr)


@pytest.mark.parametrize("placement", ["driver", "workers"])
def test_queries_come_and_go(spark: SparkSession, tmp_path: Path, placement: str) -> None:
    for number in (0, 1):
        put(tmp_path / "in", number, BATCHES[number])
    with started(opened(spark, tmp_path, placement), tmp_path, "sums", "named") as running:
        assert running.await_instant(3)
    session = opened(spark, tmp_path, placement)
    with pytest.raises(sw.EngineError, match="foreign-checkpoint") as caught:
        started(session, tmp_path, "sums", "count", allow_changes=False)
    assert 'Query "count" is new, query "named" is missing.' in str(caught.value)
    put(tmp_path / "in", 2, BATCHES[2])
    with started(session, tmp_path, "sums", "count") as running:
        assert running.await_instant(6)
    for number in (3, 4):
        put(tmp_path / "in", number, BATCHES[number])
    session = opened(spark, tmp_path, placement)
    with started(session, tmp_path, "sums", "count", allow_changes=False) as running:
        assert running.await_instant(11)
    assert started(
        opened(spark, tmp_path, placement), tmp_path, "sums", "count", follow=False
    ).await_termination()
    assert changes(tmp_path, "sums") == whole(spark, "sums")
    # Rows up to 4 were read when it was added: it begins at 5.
    expected = [(max(int(str(time)), 5), *rest) for time, *rest in whole(spark, "count", begin=5)]
    assert changes(tmp_path, "count") == sorted(expected, key=repr)
    assert pl.read_parquet(tmp_path / "count table" / "table.parquet").rows() == [(3,)]


def test_a_query_that_is_added_knows_the_rows_of_relations(spark: SparkSession, tmp_path: Path) -> None:
    for number in (0, 1):
        put(tmp_path / "in", number, BATCHES[number])
    both = "SELECT COUNT(*) AS n FROM S [NOW], R WHERE S.k = R.k"
    session = opened(spark, tmp_path, "driver")
    q = session.query(both, "both").into(sw.Memory())
    with session.start(q, checkpoint=tmp_path / "state") as running:
        assert running.await_instant(3)
    for number in (2, 3):
        put(tmp_path / "in", number, BATCHES[number])
    session, seen = opened(spark, tmp_path, "driver"), sw.Memory()
    queries = [session.query(both, "both").into(sw.Memory()), session.query(NAMED, "named").into(seen)]
    with session.start(*queries, checkpoint=tmp_path / "state", allow_changes=True) as running:
        assert running.await_instant(8)
    assert seen.rows == [(7, "+", "a", "Ada", 5)]


LATE = [(1, "b", 9), (8, "b", 4)]
"""A row that comes after its epoch, and one that does not."""


def declared(spark: SparkSession, folder: Path, placement: str) -> Session:
    """The stream and a table, both in files."""
    session = connect(spark, placement=placement)
    session.sql(
        f"CREATE STREAM S (k STRING, v BIGINT) TIME t INT FROM '{folder / 'in'}' FORMAT parquet "
        "WITH (delay = 1, maxFilesPerTrigger = 1)"
    )
    session.relation("R", str(folder / "names.csv"), key="k")
    return session


def all_rows(spark: SparkSession, name: str) -> list[tuple[object, ...]]:
    """The answer over all rows except the late one."""
    session = connect(spark)
    rows = [row for batch in [*BATCHES, LATE[1:]] for row in batch]
    session.stream("S", rows, time="t", columns=["t", "k", "v"])
    session.relation("R", NAMES, key="k", columns=["k", "name"])
    return sorted(session.query(QUERIES[name]).changes().rows(), key=repr)


def stopped_with_a_late_row(spark: SparkSession, folder: Path, placement: str) -> None:
    """A run of two queries, stopped after a late row."""
    (folder / "names.csv").write_text("k,name\na,Ada\nb,Bob\n", encoding="utf-8")
    for number in (0, 1):
        put(folder / "in", number, BATCHES[number])
    with started(declared(spark, folder, placement), folder, "sums", "named") as running:
        assert running.await_instant(3)
        put(folder / "in", 2, BATCHES[2])
        assert running.await_instant(6)
        put(folder / "in", 3, LATE)
        with pytest.warns(sw.DataWarning, match="1 late row"):
            assert running.await_instant(7)


@pytest.mark.parametrize("placement", ["driver", "workers"])
def test_a_query_is_added_from_the_beginning(spark: SparkSession, tmp_path: Path, placement: str) -> None:
    stopped_with_a_late_row(spark, tmp_path, placement)
    session = declared(spark, tmp_path, placement)
    with started(session, tmp_path, *QUERIES, added_from="beginning") as running:
        put(tmp_path / "in", 4, BATCHES[3])
        assert running.await_instant(8)
    put(tmp_path / "in", 5, BATCHES[4])
    session = declared(spark, tmp_path, placement)
    assert started(session, tmp_path, *QUERIES, allow_changes=False, follow=False).await_termination()
    for name in QUERIES:
        assert changes(tmp_path, name) == all_rows(spark, name), name
    assert pl.read_parquet(tmp_path / "count table" / "table.parquet").rows() == [(8,)]
    assert len(list((tmp_path / "state" / "late").rglob("*.jsonl"))) == 1


def test_an_added_query_reads_columns_and_tables_that_no_query_read_before(
    spark: SparkSession, tmp_path: Path
) -> None:
    for number in (0, 1, 2):
        put(tmp_path / "in", number, BATCHES[number])
    with started(opened(spark, tmp_path, "driver"), tmp_path, "count") as running:
        assert running.await_instant(6)
    for number in (3, 4):
        put(tmp_path / "in", number, BATCHES[number])
    session = opened(spark, tmp_path, "driver")
    assert started(session, tmp_path, *QUERIES, added_from="beginning", follow=False).await_termination()
    for name in QUERIES:
        assert changes(tmp_path, name) == whole(spark, name), name


def test_killed_while_a_query_is_added_from_the_beginning_it_is_added_again(
    spark: SparkSession, tmp_path: Path
) -> None:
    stopped_with_a_late_row(spark, tmp_path, "workers")
    for number in (4, 5):
        put(tmp_path / "in", number, BATCHES[number - 1])
    shutil.copytree(tmp_path / "state", tmp_path / "saved" / "state")
    for name in ("sums", "named"):
        shutil.copytree(tmp_path / name, tmp_path / "saved" / name)
        shutil.copytree(tmp_path / f"{name} table", tmp_path / "saved" / f"{name} table")
    draw = random.Random(11 + SEED)
    for _ in range(3 * TIMES):
        for path in [path for path in tmp_path.iterdir() if path.name not in ("in", "names.csv", "saved")]:
            shutil.rmtree(path)
        shutil.copytree(tmp_path / "saved", tmp_path, dirs_exist_ok=True)
        at, places = draw.randrange(60), [draw.choice(["driver", "workers"]) for _ in range(2)]
        with pytest.MonkeyPatch.context() as patch:
            # At the latest before the first batch: what is raised in a batch goes through Java.
            patch.setattr(Drive, "start", not_started)
            with failing(tmp_path, at, killed), pytest.raises(Killed):
                add_all(spark, tmp_path, places[0])
        add_all(spark, tmp_path, places[1])
        for name in QUERIES:
            assert changes(tmp_path, name) == all_rows(spark, name), f"{name}, {places}, killed at {at}"


def add_all(spark: SparkSession, folder: Path, placement: str) -> None:
    session = declared(spark, folder, placement)
    assert started(session, folder, *QUERIES, added_from="beginning", follow=False).await_termination()


def not_started(*_: object, **__: object) -> None:
    raise Killed("before the first batch")


def test_stopped_before_it_is_committed_a_backfill_is_computed_again(
    spark: SparkSession, tmp_path: Path
) -> None:
    stopped_with_a_late_row(spark, tmp_path, "driver")
    seen = sw.Memory()
    for is_long in (False, True):
        session = declared(spark, tmp_path, "driver")
        queries = [
            session.query(QUERIES[name], name).into(*sinks(tmp_path, name)) for name in ("sums", "named")
        ]
        added = session.query(COUNT, "count").into(seen)
        options = {"checkpoint": tmp_path / "state", "allow_changes": True, "added_from": "beginning"}
        with session.start(*queries, added, **options) as running:  # type: ignore[arg-type]
            while is_long and running.drive.query is None:
                assert not running.await_termination(0.05)
    # No row came, so that no epoch followed: its answers were delivered, and are not committed.
    expected = [row for row in all_rows(spark, "count") if int(str(row[0])) < 7]
    assert sorted(seen.rows, key=repr) == expected
    with pytest.raises(sw.EngineError, match="foreign-checkpoint"):
        started(declared(spark, tmp_path, "driver"), tmp_path, "sums", "named", "count", allow_changes=False)
    for number in (4, 5):
        put(tmp_path / "in", number, BATCHES[number - 1])
    add_all(spark, tmp_path, "driver")
    for name in QUERIES:
        assert changes(tmp_path, name) == all_rows(spark, name), name


def test_each_source_reads_its_own_files_again(spark: SparkSession, tmp_path: Path) -> None:
    """Two streams whose files come in different batches, and one with late rows."""
    text = "SELECT S.k, S.v AS s, T.v AS t FROM S [RANGE 4] JOIN T [RANGE 4] ON S.k = T.k"
    other = "SELECT T.k, COUNT(*) AS n FROM T [RANGE 5], S [ROWS 2] WHERE S.k = T.k GROUP BY T.k"
    queries = {"first": text, "second": other}

    def begun(*names: str, **options: object) -> Started:
        session = connect(spark, placement="workers")
        for name in ("S", "T"):
            session.sql(
                f"CREATE STREAM {name} (k STRING, v BIGINT) TIME t INT FROM '{tmp_path / name}' "
                "FORMAT parquet WITH (maxFilesPerTrigger = 1)"
            )
        own = [
            session.query(queries[name], name).into(sw.Files(tmp_path / name, "parquet")) for name in names
        ]
        return session.start(*own, checkpoint=tmp_path / "state", **options)  # type: ignore[arg-type]

    put(tmp_path / "S", 0, [(1, "a", 1), (2, "b", 2), (4, "a", 2)])
    put(tmp_path / "T", 0, [(1, "a", 5), (3, "b", 6)])
    with begun("first") as running:
        assert running.await_instant(3)
        put(tmp_path / "T", 1, [(5, "a", 7)])
        assert running.await_instant(4)
        put(tmp_path / "T", 2, [(2, "b", 9), (6, "a", 8)])
        put(tmp_path / "S", 1, [(7, "b", 3)])
        with pytest.warns(sw.DataWarning, match='1 late row of "T"'):
            assert running.await_instant(6)
    put(tmp_path / "S", 2, [(8, "a", 4)])
    added = begun(*queries, allow_changes=True, added_from="beginning", follow=False)
    assert added.await_termination()
    session = connect(spark)
    rows = {
        "S": [(1, "a", 1), (2, "b", 2), (4, "a", 2), (7, "b", 3), (8, "a", 4)],
        "T": [(1, "a", 5), (3, "b", 6), (5, "a", 7), (6, "a", 8)],
    }
    for name, own in rows.items():
        session.stream(name, own, time="t", columns=["t", "k", "v"])
    for name, text in queries.items():
        assert changes(tmp_path, name) == sorted(session.query(text).changes().rows(), key=repr), name


def refusal(session: Session, folder: Path, *names: str) -> list[str]:
    with pytest.raises(sw.EngineError, match="cannot-add-query") as caught:
        started(session, folder, *names, added_from="beginning")
    return [str(diagnostic.detail) for diagnostic in caught.value.diagnostics]


def test_a_query_is_not_added_from_the_beginning_where_rows_cannot_be_read_again(
    spark: SparkSession, tmp_path: Path
) -> None:
    stopped_with_a_late_row(spark, tmp_path, "driver")
    before = {path: path.read_bytes() for path in (tmp_path / "state").rglob("*") if path.is_file()}
    session = opened(spark, tmp_path, "driver")
    what = 'Rows of relation "R" do not come from files, and cannot be read again.'
    assert refusal(session, tmp_path, "sums", "named", "count", "pairs") == [what]
    (tmp_path / "names.csv").write_text("k,name\na,Eve\nb,Bob\n", encoding="utf-8")
    what = f'File "{tmp_path}/names.csv" of relation "R" changed since it was read, or cannot be compared.'
    assert refusal(declared(spark, tmp_path, "driver"), tmp_path, "sums", "named", "pairs") == [what]
    put(tmp_path / "in", 1, BATCHES[1])
    os.utime(tmp_path / "in" / "1.parquet", (7, 7))
    what = f'File "{tmp_path}/in/1.parquet" that stream "S" has read changed since.'
    assert refusal(declared(spark, tmp_path, "driver"), tmp_path, "sums", "named", "count") == [what]
    (tmp_path / "in" / "1.parquet").unlink()
    (tmp_path / "in" / "2.parquet").unlink()
    what = f'File "{tmp_path}/in/1.parquet" and 1 more that stream "S" has read changed since.'
    assert refusal(declared(spark, tmp_path, "driver"), tmp_path, "sums", "named", "count") == [what]
    owned = {path for path in before if path.parts[-2] not in ("owners", "state") and path.name != "lock"}
    assert all(path.read_bytes() == before[path] for path in owned)
    assert not (tmp_path / "count").exists()


def test_rows_that_count_by_the_clock_cannot_be_read_again(spark: SparkSession, tmp_path: Path) -> None:
    put(tmp_path / "in", 0, BATCHES[0])

    def begun(*names: str, **options: object) -> Started:
        session = connect(spark, placement="driver")
        session.sql(f"CREATE STREAM S (k STRING, v BIGINT) FROM '{tmp_path / 'in'}' FORMAT parquet")
        queries = [session.query(QUERIES[name], name).into(sw.Memory()) for name in names]
        return session.start(*queries, checkpoint=tmp_path / "state", **options)  # type: ignore[arg-type]

    with begun("sums") as running:
        while not running.progress.epochs:
            assert not running.await_termination(0.1)
    with pytest.raises(sw.EngineError, match='Rows of stream "S" count by the time of their arrival'):
        begun("sums", "count", allow_changes=True, added_from="beginning")


def test_a_query_over_a_relation_whose_rows_no_query_kept_is_refused(
    spark: SparkSession, tmp_path: Path
) -> None:
    """The checkpoint still reads the relation, but its rows left with the last query over it."""
    (tmp_path / "names.csv").write_text("k,name\na,Ada\nb,Bob\n", encoding="utf-8")
    put(tmp_path / "in", 0, BATCHES[0])
    with started(declared(spark, tmp_path, "driver"), tmp_path, "sums", "named") as running:
        assert running.await_instant(1)
    put(tmp_path / "in", 1, BATCHES[1])
    with started(declared(spark, tmp_path, "driver"), tmp_path, "sums") as running:
        assert running.await_instant(3)
    put(tmp_path / "in", 2, BATCHES[2])
    with pytest.raises(sw.EngineError, match="cannot-add-query") as caught:
        started(declared(spark, tmp_path, "driver"), tmp_path, "sums", "pairs")
    assert 'Earlier rows of relation "R" are not stored: no query of the checkpoint reads it' in str(
        caught.value
    )
    names = ("sums", "pairs")
    session = declared(spark, tmp_path, "driver")
    assert started(session, tmp_path, *names, added_from="beginning", follow=False).await_termination()
    pairs = changes(tmp_path, "pairs")
    assert sorted({str(row[2]) for row in pairs}) == ["Ada", "Bob"]
