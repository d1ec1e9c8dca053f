"""What is measured: the streams that each query reads, what contenders refuse, and the right answers."""

from __future__ import annotations

import duckdb

from benchmarks.nexmark.answers import digest
from benchmarks.nexmark.events import SIDE, events, large
from benchmarks.nexmark.texts import HERE, SCHEMAS, queries_in, texts

NAMES = tuple(texts("flink"))
_TWO = ("auction", "bid")
_STREAMS = {
    "q3": ("auction", "person"), "q4": _TWO, "q6": _TWO, "q8": ("auction", "person"), "q9": _TWO, "q20": _TWO,
}  # fmt: skip
BY_THE_CLOCK = "windows by the clock"
UNCHECKED = {
    "flink": {
        "q9": "changes without the rows that they replace",
        "q12": BY_THE_CLOCK,
        "q21": "REGEXP_EXTRACT is NULL without a match",
    },
    "spark": {
        "q8": "only of windows that are over",
        "q11": "only of windows that are over",
        "q12": "only of windows that are over",
    },
}
"""Answers that are not the others', and why."""
REFUSED = {
    "flink": {
        "q6": "refused: OVER needs an order by time over a table that only grows",
        "q13": "refused: files are no table that can be looked up",
    },
    "spark": {
        "q4": "refused: an aggregate over an aggregate without windows",
        "q5": "not written for Spark: a join of aggregates of windows",
        "q6": "refused: a window function that is not over time",
        "q7": "not written for Spark: a join of a stream with its aggregate",
        "q9": "refused: a window function that is not over time",
        "q15": "refused: COUNT(DISTINCT …)",
        "q16": "refused: COUNT(DISTINCT …)",
        "q18": "refused: a window function that is not over time",
        "q19": "refused: a window function that is not over time",
    },
}


def streams_of(name: str) -> tuple[str, ...]:
    """The streams that a query reads."""
    return _STREAMS.get(name, ("bid",))


def right_answer(name: str, count: int) -> int:
    """The digest of the answer over all of so many events, by DuckDB."""
    texts_of = queries_in(HERE / "duckdb.sql")
    with duckdb.connect() as db:
        for stream, rows in events(large(count)).items():
            db.register(f"{stream}_rows", rows.to_arrow())
            columns = SCHEMAS[stream].replace("STRING", "VARCHAR")
            db.execute(f"CREATE TABLE {stream} ({columns})")
            db.execute(f"INSERT INTO {stream} SELECT * FROM {stream}_rows")
        db.execute("CREATE TABLE side_input (key BIGINT, value VARCHAR)")
        db.executemany("INSERT INTO side_input VALUES (?, ?)", SIDE)
        return digest(db.execute(texts_of.get(f"{name} flink") or texts_of[name]).fetchall())
