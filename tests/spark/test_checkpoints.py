"""Checkpoints on a real Spark: one run at a time, whole or refused, and nothing committed is lost."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from pyspark.sql import SparkSession

import slackwater as sw
from slackwater.run.started import Started
from spark.test_following import BATCHES, QUERY, opened, put


@pytest.fixture
def data(tmp_path: Path) -> Path:
    for number, rows in enumerate(BATCHES):
        put(tmp_path / "in", number, rows)
    return tmp_path / "in"


def started(spark: SparkSession, folder: Path, *, follow: bool = True, overwrite: bool = False) -> Started:
    q = opened(spark, folder / "in").query(QUERY, "q")
    sink = sw.Files(folder / "out", "parquet", overwrite=overwrite)
    return q.start(sink, checkpoint=folder / "state", follow=follow)


def await_commit(running: Started, folder: Path, number: int) -> None:
    """Wait until Spark, too, has written down that the batch is done."""
    while not (folder / "state" / "spark" / "commits" / f".{number}.crc").exists():
        assert not running.await_termination(0.05)


def rows(folder: Path) -> list[tuple[object, ...]]:
    frames = [pl.read_parquet(path) for path in sorted((folder / "out").glob("*.parquet"))]
    return sorted(pl.concat(frames).rows())


def contents(folder: Path) -> dict[str, bytes]:
    """Every file but those that say who runs the checkpoint."""
    files = [path for path in folder.rglob("*") if path.is_file() and path.parent.name != "owners"]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def test_a_second_start_is_refused_and_harms_nothing(spark: SparkSession, data: Path, tmp_path: Path) -> None:
    with started(spark, tmp_path) as first:
        await_commit(first, tmp_path, 3)
        before = contents(tmp_path)
        for overwrite in (False, True):
            with pytest.raises(sw.EngineError, match="checkpoint-in-use") as caught:
                started(spark, tmp_path, overwrite=overwrite)
            assert "This process has owned it since" in str(caught.value)
        assert contents(tmp_path) == before
        put(data, len(BATCHES), [(12, "a", 1)])
        assert first.await_instant(11)
    assert started(spark, tmp_path, follow=False).await_termination()
    alone = tmp_path / "alone"
    shutil.copytree(data, alone / "in")
    assert started(spark, alone, follow=False).await_termination()
    assert rows(tmp_path) == rows(alone)


def lose_the_newest_manifest(state: Path) -> None:
    max((state / "epochs").glob("*.json")).unlink()


def lose_all_manifests(state: Path) -> None:
    for path in (state / "epochs").iterdir():
        path.unlink()


def lose_the_identity(state: Path) -> None:
    (state / "query.json").unlink()


def lose_sparks_log(state: Path) -> None:
    shutil.rmtree(state / "spark")


def lose_sparks_last_commits(state: Path) -> None:
    for path in sorted((state / "spark" / "commits").glob("[0-9]*"))[-2:]:
        path.unlink()


def damage_sparks_offsets(state: Path) -> None:
    _flip(max((state / "spark" / "offsets").glob("[0-9]*")))


def damage_sparks_files(state: Path) -> None:
    _flip(max((state / "spark" / "sources" / "0").glob("[0-9]*")))


def _flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[-9] ^= 1
    path.write_bytes(content)


LOSSES: dict[str, list[Callable[[Path], None]]] = {
    "missing-manifest": [lose_the_newest_manifest, lose_all_manifests],
    "missing-batches": [lose_sparks_log, lose_sparks_last_commits],
    "broken-checkpoint": [lose_the_identity, damage_sparks_offsets, damage_sparks_files],
}


def test_a_checkpoint_of_which_a_part_is_missing_is_refused_and_left_as_it_is(
    spark: SparkSession, data: Path, tmp_path: Path
) -> None:
    with started(spark, tmp_path) as first:
        await_commit(first, tmp_path, 3)
    shutil.copytree(tmp_path / "state", tmp_path / "copy")
    for code, losses in LOSSES.items():
        for lose in losses:
            lose(tmp_path / "state")
            before = contents(tmp_path)
            with pytest.raises(sw.EngineError, match=code):
                started(spark, tmp_path, follow=False, overwrite=True)
            assert contents(tmp_path) == before, lose
            shutil.rmtree(tmp_path / "state")
            shutil.copytree(tmp_path / "copy", tmp_path / "state")
    assert started(spark, tmp_path, follow=False).await_termination()
    alone = tmp_path / "alone"
    shutil.copytree(data, alone / "in")
    assert started(spark, alone, follow=False).await_termination()
    assert rows(tmp_path) == rows(alone)


def table_started(spark: SparkSession, folder: Path, *more: sw.Memory, follow: bool = True) -> Started:
    q = opened(spark, folder / "in").query("SELECT k, SUM(v) AS n FROM S [RANGE UNBOUNDED] GROUP BY k", "q")
    table = sw.Files(folder / "out", "parquet", mode="table")
    return q.start(table, *more, checkpoint=folder / "state", follow=follow)


def lose_the_table(state: Path) -> None:
    max((state / "tables" / "q 0").glob("*.parquet")).unlink()


def lose_all_tables(state: Path) -> None:
    shutil.rmtree(state / "tables")


def damage_the_table(state: Path) -> None:
    _flip(max((state / "tables" / "q 0").glob("*.parquet")))


def test_a_table_that_is_missing_damaged_or_new_is_noticed_when_the_query_is_started(
    spark: SparkSession, data: Path, tmp_path: Path
) -> None:
    with table_started(spark, tmp_path) as first:
        await_commit(first, tmp_path, 3)
    shutil.copytree(tmp_path / "state", tmp_path / "copy")
    for lose in (lose_the_table, lose_all_tables, damage_the_table):
        lose(tmp_path / "state")
        before = contents(tmp_path)
        with pytest.raises(sw.EngineError, match="broken-checkpoint"):
            table_started(spark, tmp_path)
        assert contents(tmp_path) == before, lose
        shutil.rmtree(tmp_path / "state")
        shutil.copytree(tmp_path / "copy", tmp_path / "state")
    before = contents(tmp_path)
    with pytest.raises(sw.EngineError, match="new-table"):
        table_started(spark, tmp_path, sw.Memory("table"))
    assert contents(tmp_path) == before
    put(data, len(BATCHES), [(12, "c", 1)])
    assert table_started(spark, tmp_path, follow=False).await_termination()
    table = pl.read_parquet(tmp_path / "out" / "table.parquet")
    assert sorted(table.rows()) == [("a", 9), ("b", 4), ("c", 1)]


def test_stray_files_in_a_checkpoint_are_left_alone(spark: SparkSession, data: Path, tmp_path: Path) -> None:
    with started(spark, tmp_path) as first:
        assert first.await_instant(2)
    state = tmp_path / "state"
    folders = [state, *(path for path in state.rglob("*") if path.is_dir())]
    stray = [
        folder / name for folder in folders for name in (".DS_Store", "x.tmp", "x.json", "notes 1.arrow")
    ]
    for path in stray:
        path.write_bytes(b"\0")
    for folder in folders:
        (folder / "a folder").mkdir()
    assert started(spark, tmp_path, follow=False).await_termination()
    assert all(path.exists() for path in stray)


def test_places_may_be_uris_of_files(spark: SparkSession, tmp_path: Path) -> None:
    folder = tmp_path / "a b"
    folder.mkdir()
    for number, batch in enumerate(BATCHES[:2]):
        put(folder / "in", number, batch)
    session = opened(spark, (folder / "in").as_uri())  # type: ignore[arg-type]
    short = f"file:{folder / 'state'}".replace(" ", "%20")
    sink = sw.Files((folder / "out").as_uri(), "parquet")
    assert session.query(QUERY, "q").start(sink, checkpoint=short, follow=False).await_termination()
    assert (folder / "state" / "spark" / "offsets" / "0").exists()
    assert rows(folder)
    assert [path.name for path in tmp_path.iterdir()] == ["a b"]
