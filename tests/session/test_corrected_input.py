"""Input that is bad halfway: it is reported, nothing before it is lost, and corrected the query resumes.

In `errors`, NAME.txt is the text a user sees.
"""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pytest
from pyspark.sql import SparkSession

import slackwater as sw

FOLDER = Path(__file__).parent / "errors"
GOLDEN = bool(os.environ.get("SLACKWATER_GOLDEN"))
QUERY = "SELECT a, COUNT(*) AS n FROM S [RANGE 3] GROUP BY a"
BAD = 2
"""The file that is bad, of four."""


def rows(number: int) -> pl.DataFrame:
    return pl.DataFrame({"t": [number * 2, number * 2 + 1], "a": [number % 2, 0]})


def good(path: Path, number: int) -> None:
    content = rows(number)
    match path.suffix:
        case ".csv":
            content.write_csv(path)
        case ".gz":
            path.write_bytes(gzip.compress(content.write_csv().encode()))
        case ".json":
            content.write_ndjson(path)
        case _:
            content.write_parquet(path)


def with_text(text: str) -> Callable[[Path], object]:
    return lambda path: path.write_text(text, encoding="utf-8")


def with_frame(**columns: list[object]) -> Callable[[Path], None]:
    return lambda path: pl.DataFrame(columns).write_parquet(path)


def cut_off(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


@dataclass(frozen=True)
class Case:
    ending: str
    spoil: Callable[[Path], object]
    options: str = ""
    corrected: str | None = None
    """Options that correct it; without them the file is replaced."""


CASES = {
    "corrected-csv-row": Case("csv", with_text("t,a\n4,0\nfive,0\n")),
    "corrected-csv-cells": Case("csv", with_text("t,a\n4,0\n5,0,0\n")),
    "corrected-csv-header": Case("csv", with_text("t,b\n4,0\n5,0\n")),
    "corrected-csv-null-time": Case("csv", with_text("t,a\n4,0\n,0\n")),
    "corrected-json-row": Case("json", with_text('{"t": 4, "a": 0}\n{"t": 5, "a": "zero"}\n')),
    "corrected-json-cut": Case("json", with_text('{"t": 4, "a": 0}\n{"t": 5, "a"')),
    "corrected-json-no-time": Case("json", with_text('{"t": 4, "a": 0}\n{"a": 0}\n')),
    "corrected-gzip-cut": Case("csv.gz", cut_off),
    "corrected-parquet-cut": Case("parquet", cut_off),
    "corrected-parquet-type": Case("parquet", with_frame(t=[4, 5], a=["0", "0"])),
    "corrected-parquet-time-type": Case("parquet", with_frame(t=["4", "5"], a=[0, 0])),
    "corrected-parquet-no-time": Case("parquet", with_frame(a=[0, 0])),
    "corrected-parquet-null-time": Case("parquet", with_frame(t=[4, None], a=[0, 0])),
    "corrected-late-row": Case(
        "csv",
        with_text("t,a\n1,0\n4,0\n5,0\n"),
        "late = 'fail', order = 'modified'",
        "late = 'set aside', order = 'modified'",
    ),
    "corrected-by-options": Case(
        "csv", with_text("t,a\n4,0\n5,0\nsix,0\n"), "malformed = 'fail'", "malformed = 'set aside'"
    ),
    "corrected-gone-file": Case("csv", Path.unlink),
}


@pytest.fixture(params=CASES)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def aged(path: Path, number: int) -> None:
    """Spark reads files in the order of their age."""
    if path.exists():
        os.utime(path, (number + 1, number + 1))


def filled(folder: Path, ending: str) -> Path:
    """Four files, an epoch each; the path of the one to spoil."""
    folder.mkdir()
    for number in range(4):
        path = folder / f"{number}.{ending}"
        good(path, number)
        aged(path, number)
    return folder / f"{BAD}.{ending}"


def run(spark: SparkSession, data: Path, folder: Path, options: str = "") -> list[tuple[object, ...]]:
    s = sw.connect(spark)
    kind = {"gz": "csv"}.get(next(data.iterdir()).suffix[1:], next(data.iterdir()).suffix[1:])
    s.sql(
        f"CREATE STREAM S (a BIGINT) TIME t INT FROM '{data}' FORMAT {kind} "
        f"WITH (maxFilesPerTrigger = 1{options and ', '}{options})"
    )
    running = s.query(QUERY, "q").start(
        sw.Files(folder / "out", "parquet"), sw.Callback(_remember), checkpoint=folder / "state", follow=False
    )
    running.await_termination()
    return answers(folder)


def answers(folder: Path) -> list[tuple[object, ...]]:
    frames = [pl.read_parquet(path) for path in sorted((folder / "out").glob("*.parquet"))]
    return sorted(pl.concat(frames).rows()) if frames else []


_fails_at: set[int] = set()


def _remember(frame: pl.DataFrame, number: int) -> None:
    if number in _fails_at:
        raise ValueError("not now")


@pytest.mark.filterwarnings("ignore::slackwater.run.notices.DataWarning")
def test_bad_input_is_reported_and_the_query_resumes_when_corrected(
    spark: SparkSession, tmp_path: Path, name: str
) -> None:
    case = CASES[name]
    bad = filled(tmp_path / "in", case.ending)
    expected = run(spark, tmp_path / "in", tmp_path / "whole")
    if case.spoil is Path.unlink:
        # Spark must have written down that the file is next: fail there once before it goes.
        _fails_at.add(BAD)
        with pytest.raises(sw.EngineError, match="not now"):
            run(spark, tmp_path / "in", tmp_path)
        _fails_at.clear()
    case.spoil(bad)
    aged(bad, BAD)
    with pytest.raises(sw.EngineError) as caught:
        run(spark, tmp_path / "in", tmp_path, case.options)
    text = str(caught.value).replace(str(tmp_path), "FOLDER") + "\n"
    assert bad.name in text or '"S"' in text, text
    assert answers(tmp_path), "what came before it is answered"
    if case.corrected is None:
        good(bad, BAD)
        aged(bad, BAD)
    assert run(spark, tmp_path / "in", tmp_path, case.corrected or case.options) == expected
    golden = FOLDER / f"{name}.txt"
    if GOLDEN:
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")


def test_an_empty_file_in_the_place_of_a_broken_one_leaves_it_out(
    spark: SparkSession, tmp_path: Path
) -> None:
    bad = filled(tmp_path / "in", "parquet")
    cut_off(bad)
    aged(bad, BAD)
    with pytest.raises(sw.EngineError, match="replace it by an empty file"):
        run(spark, tmp_path / "in", tmp_path)
    bad.write_bytes(b"")
    filled(tmp_path / "rest", "parquet").unlink()
    assert run(spark, tmp_path / "in", tmp_path) == run(spark, tmp_path / "rest", tmp_path / "without")
