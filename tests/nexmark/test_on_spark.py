"""All queries of Nexmark in one run on Spark: the last answer of each is DuckDB's."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from pathlib import Path

import polars as pl
import pytest

import slackwater as sw
from benchmarks.nexmark.events import SIDE, events, instant
from benchmarks.nexmark.texts import COUNT_CHAR, SCHEMAS, camel, texts
from nexmark.test_nexmark import EXPECTED, duckdbs, plain
from slackwater.algebra import Kind

END = instant(datetime(2024, 3, 1))


def write(folder: Path) -> None:
    """The streams as Parquet files, two for each, and the table."""
    for name, rows in events().items():
        rows = rows.rename(camel)
        place, half = folder / name, len(rows) // 2
        place.mkdir()
        rows[:half].write_parquet(place / "1.parquet")
        rows[half:].write_parquet(place / "2.parquet")
    pl.DataFrame(SIDE, schema=["key", "value"], orient="row").write_parquet(folder / "side.parquet")


@pytest.mark.slow
def test_the_last_answers_of_one_run_are_duckdbs(s: sw.Session, tmp_path: Path) -> None:
    write(tmp_path)
    for name, columns in SCHEMAS.items():
        s.sql(
            f"CREATE STREAM {name} ({camel(columns)}) TIME dateTime FROM '{tmp_path / name}' FORMAT parquet "
            "WITH (maxFilesPerTrigger = 1)"
        )
    s.sql(f"CREATE RELATION side_input (key BIGINT, value STRING) FROM '{tmp_path / 'side.parquet'}'")
    s.sql(COUNT_CHAR)
    sinks: dict[str, sw.Memory] = {}
    started: list[sw.Query] = []
    for heading, text in texts("flink").items():
        query = s.query(text, heading)
        sinks[heading] = sw.Memory(None if query.kind is Kind.STREAM else "table")
        started.append(query.into(sinks[heading]))
    with s.start(*started, follow=False) as running:
        assert running.await_termination(300)
    for query in started:
        is_stream = query.kind is Kind.STREAM
        rows = [row[is_stream:] for row in sinks[query.name].rows]
        seen = Counter(tuple(map(plain, row)) for row in rows)
        text = EXPECTED.get(f"{query.name} flink") or EXPECTED[query.name]
        assert seen == duckdbs(text, END), query.name
