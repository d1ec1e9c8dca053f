"""Rows that the JVM drops, or Arrow reads: answers, counts and rows set aside are as without."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

import slackwater as sw
from slackwater.run import batches
from slackwater.run.input import filtered
from slackwater.session import connect

pytestmark = pytest.mark.slow

READERS = {"read_here": batches.read_here, "shares_of": batches.shares_of}
"""What reads files by Arrow, in the driver and for scan tasks."""
LEFT = dict.fromkeys(READERS, lambda *arguments: None)
WAYS: tuple[tuple[str, int, dict[str, Any]], ...] = (
    ("whole", 1 << 60, LEFT),
    ("filtered", 0, LEFT),
    ("by Arrow", 0, READERS),
)
Row = tuple[int | None, int | None, int | None, float | None, bytes | None]
"""Time, a, b, d and s."""

PREDICATES = (
    "a >= 2",
    "s = 'x'",
    "d > 0.5 OR a IS NULL",
    "b IN (1, 2, 9223372036854775807)",
    "NOT (d = 0) AND a < 3",
    "starts_with(s, 'x') AND length(s) < 3",
    "a > 1 AND s LIKE 'x%'",
    "a > 1 AND b + 1 > 2",
)
"""Of the last but one the JVM computes a part, of the last nothing, since it may fail."""
QUERIES = (
    "SELECT a, b FROM S WHERE {p}",
    "SELECT a, COUNT(*) AS n, MAX(d) AS m FROM S [RANGE 4] WHERE {p} GROUP BY a",
    "SELECT DISTINCT s FROM S [RANGE 3] WHERE {p}",
    "SELECT a FROM S [ROWS 2] WHERE {p}",
)
"""The rows that the last one needs do not depend on its predicate."""

small = st.none() | st.integers(0, 4)
numbers = st.sampled_from([None, 0.0, -0.0, 0.25, 0.75, float("nan"), float("inf")])
bigs = st.sampled_from([None, 0, 1, 2, 9])
texts = st.sampled_from([None, b"x", b"xy", b"xyz", b"", b"\xc3\xa9"])
good = st.tuples(st.integers(0, 12), small, bigs, numbers, texts)
bad = st.tuples(st.sampled_from([None, -1, 3, 11]), small, bigs, numbers, st.sampled_from([b"x", b"n\xf6"]))


@st.composite
def inputs(draw: st.DrawFn) -> list[list[Row]]:
    """Files with growing times; some rows are late, and in some files rows are malformed."""
    files: list[list[Row]] = []
    for place in range(draw(st.integers(1, 3))):
        rows = draw(st.lists(good, min_size=1, max_size=12))
        rows += draw(st.lists(bad, max_size=1)) if draw(st.booleans()) else []
        step = place * draw(st.sampled_from([4, 9]))
        files.append([(None if row[0] is None else row[0] + step, *row[1:]) for row in rows])
    return files


def write(folder: Path, files: Sequence[Sequence[Row]]) -> str:
    folder.mkdir()
    for place, rows in enumerate(files):
        times, a, b, d, s = (list(column) for column in zip(*rows, strict=True))
        columns = {
            "ts": pa.array(times, pa.int64()),
            "a": pa.array(a, pa.int32()),
            "b": pa.array(b, pa.int64()),
            "d": pa.array(d, pa.float64()),
            # A view is not checked: bytes that are not UTF-8 stay what they are.
            "s": pa.array(s, pa.binary()).view(pa.string()),
        }
        path = folder / f"{place}.parquet"
        pq.write_table(pa.table(columns), path, row_group_size=5)
        os.utime(path, (1_000_000 + place, 1_000_000 + place))
    return str(folder)


def outcome(
    spark: SparkSession, folder: Path, data: str, queries: Sequence[str], placement: str
) -> dict[str, Any]:
    s = connect(spark, placement=placement)
    s.sql(
        f"CREATE STREAM S (a INT, b BIGINT, d DOUBLE, s STRING) TIME ts BIGINT FROM '{data}/*.parquet' "
        "WITH (malformed = 'set aside', \"order\" = 'modified', maxFilesPerTrigger = 1, delay = '2')"
    )
    sinks = [sw.Memory() for _ in queries]
    bound = [s.query(text).into(sink) for text, sink in zip(queries, sinks, strict=True)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sw.DataWarning)
        running = s.start(*bound, checkpoint=folder, follow=False)
        running.await_termination()
    aside = {
        str(path.relative_to(folder).parent): [
            {key: value for key, value in json.loads(line).items() if key != "file"}
            for path in sorted(path.parent.glob("*.jsonl"))
            for line in path.read_text(encoding="utf-8").splitlines()
        ]
        for path in sorted(folder.rglob("*.jsonl"))
    }
    progress = running.progress
    return {
        "answers": [sorted(map(repr, sink.rows)) for sink in sinks],
        "epochs": [
            (one.number, one.lo, one.hi, one.events, one.late, one.state_rows)
            for one in running.drive.runtime.progress
        ],
        "aside": aside,
        "counts": (progress.events, progress.late, progress.malformed),
        "waiting": [(one.events, one.watermark, one.waiting, one.late) for one in progress.sources],
        "notices": str(running.notices),
    }


LATE: list[list[Row]] = [
    [(1, 1, 1, 0.5, b"x"), (9, 3, 1, 0.5, b"x"), (12, 0, 2, 0.75, b"y")],
    [(2, 0, 1, 0.5, b"late, and not needed"), (3, 3, 1, 0.5, b"late"), (14, 4, 1, 0.0, b"")],
    [(20, 0, 1, -0.0, b"x"), (30, 1, None, None, None)],
    [(18, 3, 1, 0.25, b"late again")],
]
"""No row of the third file is needed, and its largest time makes the last row late."""
MALFORMED: list[list[Row]] = [
    [(1, 1, 1, 0.5, b"x"), (5, 3, 1, 0.5, b"x"), (90, 0, 2, 0.75, b"n\xf6")],
    [(6, 3, 1, 0.5, b"x"), (7, 0, 1, 0.5, b"y")],
]
"""The largest time in the footer of the first file is that of a malformed row."""
ABOVE = [(QUERIES[0], "a >= 2"), (QUERIES[2], "a >= 2")]


@pytest.mark.parametrize(("placement", "count"), [("driver", 10), ("workers", 1)])
def test_what_users_see_does_not_depend_on_the_filter(
    spark: SparkSession,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    placement: str,
    count: int,
) -> None:
    runs, used = [0], [0]
    real = batches.filtered

    def noted(*arguments: Any) -> filtered.Filtered:
        result = real(*arguments)
        used[0] += bool(result.known)
        return result

    @settings(
        max_examples=count,
        deadline=None,
        phases=(Phase.explicit, Phase.generate),
        suppress_health_check=list(HealthCheck),
    )
    @example(LATE, ABOVE)
    @example(MALFORMED, ABOVE)
    @given(inputs(), st.lists(st.tuples(st.sampled_from(QUERIES), st.sampled_from(PREDICATES)), min_size=1,
                              max_size=2))  # fmt: skip
    def holds(files: list[list[Row]], pairs: list[tuple[str, str]]) -> None:
        runs[0] += 1
        here = tmp_path / str(runs[0])
        here.mkdir()
        data = write(here / "data", files)
        queries = [query.format(p=predicate) for query, predicate in pairs]
        outcomes = []
        for name, least, readers in WAYS:
            monkeypatch.setattr(filtered, "LEAST_ROWS", least)
            for function, read in readers.items():
                monkeypatch.setattr(batches, function, read)
            outcomes.append(outcome(spark, here / name, data, queries, placement))
        assert outcomes[1:] == outcomes[:1] * 2

    monkeypatch.setattr(batches, "filtered", noted)
    holds()
    assert used[0] >= len(LATE) + len(MALFORMED)
