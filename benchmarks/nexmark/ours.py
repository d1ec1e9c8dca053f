"""Nexmark on this engine, in Flink's wording, with a checkpoint, to the end of the input."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path

import polars as pl

from benchmarks.contenders.slackwater import Answer, files_at_once, mark_epochs, session_of
from benchmarks.job import Reporter, read_job
from benchmarks.nexmark.answers import Row, digest
from benchmarks.nexmark.texts import COUNT_CHAR, SCHEMAS, camel, texts
from slackwater.algebra import Kind


def main() -> None:
    job = read_job()
    reporter = Reporter(job)
    session = session_of(job)
    for name, folder in job.streams.items():
        session.sql(f"CREATE STREAM {name} ({camel(SCHEMAS[name])}) TIME dateTime")
        session.stream(name, folder, format="parquet", **files_at_once(job), pathGlobFilter="*.parquet")
    session.sql("CREATE RELATION side_input (key BIGINT, value STRING)")
    session.relation("side_input", job.options["side"], format="parquet")
    session.sql(COUNT_CHAR)
    query = session.query(texts("flink")[job.workload], job.workload)
    answer = Answer("stream" if query.kind is Kind.STREAM else "elements", job.check)
    session.spark.range(1).collect()  # Spark is up before the clock runs
    reporter.began()
    started = time.perf_counter()
    checkpoint = Path(job.work) / "checkpoint"
    running = session.start(query.into(answer), checkpoint=checkpoint, follow=False)
    finished = running.await_termination(job.limit)
    seconds = time.perf_counter() - started
    mark_epochs(running, reporter)
    checked = digest(_last_answer(answer)) if job.check else None
    reporter.ended(work=seconds, finished=finished, rows=answer.rows, promise="exact", fingerprint=checked)
    running.stop()
    session.stop()


def _last_answer(answer: Answer) -> Counter[Row]:
    """The rows at the end: of a stream all, of a relation those without an end."""
    rows: Counter[Row] = Counter()
    for frame in answer.frames:
        if answer.mode == "stream":
            rows.update(frame[:, 1:].iter_rows())
            continue
        end = pl.nth(frame.width - 2)
        for *row, _, _, n in frame.filter(end.is_null()).iter_rows():
            rows[tuple(row)] += n
    return rows


if __name__ == "__main__":
    main()
