"""Sessions in the workers: what users see is what they see in the driver, and rows do not pass the driver."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from pyspark.sql import SparkSession

import slackwater as sw
from slackwater.base.span import Text
from slackwater.run.started import Started
from slackwater.session import Session, connect
from slackwater.testing.cqt import parse
from slackwater.testing.on_spark import Spark
from slackwater.testing.report import report
from slackwater.testing.runner import run

pytestmark = pytest.mark.slow

STORIES = Path(__file__).parents[1] / "queries"
SAMPLE = (
    "bank",
    "cql-query-06-toll-stream",
    "relation-keys-and-updates",
    "cql-example-07-partitioned-window",
    "all-pairs",
    "bestmatch-streams",
    "first-rows",
    "structs",
    "arrays",
    "maps",
)
"""Joins and sums in several stages, a stream from views, changes by key, the last rows of each partition,
joins without equal columns, best matches by strips, first rows, nested types as keys and in exchanges."""


@pytest.mark.parametrize("name", SAMPLE)
def test_a_story_in_the_workers(spark: SparkSession, name: str) -> None:
    path, engine = STORIES / f"{name}.cqt", Spark(spark, "workers")
    outcomes = [run(case, [engine], 0) for case in parse(Text(path.name, path.read_text(encoding="utf-8")))]
    failed = [report(outcome) for outcome in outcomes if not outcome.passed]
    assert not failed, "\n".join(failed)


def csv(folder: Path, **files: str) -> str:
    folder.mkdir()
    for name, text in files.items():
        (folder / f"{name}.csv").write_text(text, encoding="utf-8")
    return str(folder / "*.csv")


def bad_rows(s: Session, folder: Path) -> tuple[Started, sw.Memory]:
    """Malformed, late and waiting rows, from files that are read one by one in the order of their names."""
    rows = csv(
        folder / "rows",
        a="ts,k,v\n1,x,1\n2,y,two\n9,x,3\n",
        b="ts,k,v\n3,y,4\n,x,5\n12,x,6\n",
        c="ts,k,v\n14,y,7\n20,x,8\n",
    )
    s.sql(
        f"CREATE STREAM S (k STRING, v INT) TIME ts BIGINT FROM '{rows}' "
        "WITH (malformed = 'set aside', \"order\" = 'modified', maxFilesPerTrigger = 1)"
    )
    seen = sw.Memory()
    query = s.query("SELECT k, COUNT(*) AS n, SUM(v) AS s FROM S [RANGE 5] GROUP BY k")
    running = query.start(seen, checkpoint=folder / "state", follow=False)
    with pytest.warns(sw.DataWarning):
        running.await_termination()
    return running, seen


def aside(folder: Path, kind: str) -> list[dict[str, Any]]:
    files = sorted((folder / "state" / kind).rglob("*.jsonl"))
    rows = [json.loads(line) for path in files for line in path.read_text(encoding="utf-8").splitlines()]
    return [{key: value for key, value in row.items() if key != "file"} for row in rows]


def in_both(
    spark: SparkSession, folder: Path, ask: Callable[[Session, Path], tuple[Started, sw.Memory]]
) -> dict[str, tuple[Started, sw.Memory]]:
    answers: dict[str, tuple[Started, sw.Memory]] = {}
    for placement in ("driver", "workers"):
        (folder / placement).mkdir()
        answers[placement] = ask(connect(spark, placement=placement), folder / placement)
    return answers


def test_rows_that_cannot_enter_are_counted_and_set_aside_in_the_partitions(
    spark: SparkSession, tmp_path: Path
) -> None:
    answers = in_both(spark, tmp_path, bad_rows)
    (driver, in_driver), (workers, in_workers) = answers["driver"], answers["workers"]
    assert sorted(in_workers.rows, key=repr) == sorted(in_driver.rows, key=repr)
    for kind in ("late", "malformed"):
        assert aside(tmp_path / "workers", kind) == aside(tmp_path / "driver", kind) != []
    assert workers.notices == driver.notices
    of_driver, of_workers = driver.progress, workers.progress
    assert (of_workers.late, of_workers.malformed) == (of_driver.late, of_driver.malformed) == (1, 2)
    assert [one.events for one in of_workers.sources] == [one.events for one in of_driver.sources]


def changing_relation(s: Session, folder: Path) -> tuple[Started, sw.Memory]:
    """A stream and a relation that changes, each ahead of the other for a while."""
    rates = csv(
        folder / "rates",
        a="ts,op,k,r\n0,+,x,1\n0,+,y,2\n30,u,x,3\n",
        b="ts,op,k,r\n40,-,y,2\n41,+,z,9\n",
    )
    rows = csv(folder / "rows", a="ts,k\n5,x\n20,y\n", b="ts,k\n35,x\n50,z\n60,y\n")
    one = "WITH (maxFilesPerTrigger = 1)"
    s.sql(f"CREATE RELATION R (k STRING, r INT) KEY (k) TIME ts BIGINT OP op FROM '{rates}' {one}")
    s.sql(f"CREATE STREAM S (k STRING) TIME ts BIGINT FROM '{rows}' {one}")
    seen = sw.Memory()
    query = s.query("SELECT RSTREAM(S.k, r) FROM S [NOW], R WHERE S.k = R.k")
    running = query.start(seen, checkpoint=folder / "state", follow=False)
    running.await_termination()
    return running, seen


def test_a_relation_that_changes_is_partitioned_by_its_key(spark: SparkSession, tmp_path: Path) -> None:
    answers = in_both(spark, tmp_path, changing_relation)
    assert sorted(answers["workers"][1].rows) == sorted(answers["driver"][1].rows)
    assert sorted(answers["driver"][1].rows) == [(5, "x", 1), (20, "y", 2), (35, "x", 3), (50, "z", 9)]


def test_rows_do_not_pass_the_driver_and_tasks_write_the_files(spark: SparkSession, tmp_path: Path) -> None:
    count = 20_000
    (tmp_path / "rows").mkdir()
    times = pl.int_range(count, eager=True)
    frame = pl.DataFrame({"ts": times // 10, "k": times % 100, "v": times % 7})
    frame.write_parquet(tmp_path / "rows" / "a.parquet")
    s = connect(spark, placement="workers", partitions=3)
    s.sql(f"CREATE STREAM S (k BIGINT, v BIGINT) TIME ts BIGINT FROM '{tmp_path}/rows/*.parquet'")
    out = sw.Files(tmp_path / "out", "parquet", mode="changes")
    query = s.query("SELECT k, SUM(v) AS s FROM S [RANGE 60] GROUP BY k")
    running = query.start(out, checkpoint=tmp_path / "state", follow=False)
    running.await_termination()
    passed = sum(epoch.driver_bytes for epoch in running.drive.runtime.progress)
    assert running.progress.events == count
    assert passed < count
    parts = sorted(path.name for path in (tmp_path / "out").glob("*.parquet"))
    assert parts[:3] == ["000000000-0.parquet", "000000000-1.parquet", "000000000-2.parquet"]
    answer = pl.concat([pl.read_parquet(tmp_path / "out" / name) for name in parts])
    expected = connect(spark, placement="driver")
    expected.stream("S", frame, time="ts")
    changes = expected.query("SELECT k, SUM(v) AS s FROM S [RANGE 60] GROUP BY k").changes()
    assert sorted(answer.rows()) == sorted(changes.rows())


def few_groups_and_all_pairs(s: Session, folder: Path) -> tuple[Started, sw.Memory]:
    """Three groups with hundreds of rows at an instant, joined by no equal column, in three batches."""
    at = pl.int_range(3_000, eager=True)
    rows = pl.DataFrame({"ts": at // 100, "k": at % 3, "v": (at * 7 % 11).cast(pl.Float64) / 10})
    files = {
        name: rows[start : start + 1_000].write_csv()
        for name, start in (("a", 0), ("b", 1_000), ("c", 2_000))
    }
    s.sql(
        f"CREATE STREAM S (k INT, v DOUBLE) TIME ts BIGINT FROM '{csv(folder / 'rows', **files)}' "
        "WITH (\"order\" = 'modified', maxFilesPerTrigger = 1)"
    )
    seen = sw.Memory()
    query = s.query(
        "SELECT x.k, x.n, x.s, y.m FROM "
        "(SELECT k, COUNT(*) AS n, SUM(v) AS s FROM S [RANGE 9 SLIDE 5] GROUP BY k) AS x "
        "LEFT JOIN (SELECT COUNT(*) AS m FROM S [RANGE 3]) AS y ON y.m > x.n"
    )
    running = query.start(seen, checkpoint=folder / "state", follow=False)
    running.await_termination()
    return running, seen


def test_few_groups_and_all_pairs_in_several_partitions(spark: SparkSession, tmp_path: Path) -> None:
    answers = in_both(spark, tmp_path, few_groups_and_all_pairs)
    in_driver, (workers, in_workers) = answers["driver"][1], answers["workers"]
    assert sorted(in_workers.rows, key=repr) == sorted(in_driver.rows, key=repr)
    assert len(in_driver.rows) > 20
    assert [one.events for one in workers.progress.sources] == [3_000]


def test_an_error_in_a_scan_is_that_of_the_driver(spark: SparkSession, tmp_path: Path) -> None:
    rows = csv(tmp_path / "rows", a="ts,k\n1,x\n2,y\nnow,z\n")
    texts: dict[str, str] = {}
    for placement in ("driver", "workers"):
        s = connect(spark, placement=placement)
        s.sql(f"CREATE STREAM S (k STRING) TIME ts BIGINT FROM '{rows}'")
        with pytest.raises(sw.EngineError) as caught:
            s.query("SELECT k FROM S [NOW]").start(
                sw.Memory(), checkpoint=tmp_path / placement, follow=False
            ).await_termination()
        texts[placement] = str(caught.value)
    assert texts["workers"] == texts["driver"]
    assert "malformed-row" in texts["driver"]


def test_an_error_in_a_stage_is_that_of_the_driver(spark: SparkSession) -> None:
    texts: dict[str, str] = {}
    for placement in ("driver", "workers"):
        s = connect(spark, placement=placement)
        for name in ("R", "S"):
            s.relation(name, [("A", 10), ("B", 36)], columns=["name", "y"])
        with pytest.raises(sw.EngineError) as caught:
            s.query("SELECT CAST(R.name AS INT) AS r FROM R JOIN S ON R.y < S.y").at(0)
        texts[placement] = str(caught.value)
    assert texts["workers"] == texts["driver"]
    assert "bad-cast" in texts["driver"]
