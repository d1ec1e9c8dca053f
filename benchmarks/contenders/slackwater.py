"""This engine, through its session, as a user would run it: with a checkpoint, to the end of the input."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import polars as pl

import slackwater as sw
from benchmarks import fingerprint
from benchmarks.job import Job, Reporter, read_job
from benchmarks.workloads import DECLARED, WORKLOADS


@dataclass(slots=True)
class Answer:
    """Counts rows, and keeps them where they are to be compared. A target of a query."""

    mode: str | None
    keep: bool
    rows: int = 0
    frames: list[pl.DataFrame] = field(default_factory=list)
    times: dict[int, float] = field(default_factory=dict)

    def prepare(self, first: int | None) -> None:
        assert first is None

    def put(self, number: int, frame: pl.DataFrame) -> None:
        self.rows += frame.height
        if self.keep:
            self.frames.append(frame)
        self.times[number] = time.perf_counter()

    def replace(self, number: int, frame: pl.DataFrame) -> None:
        raise AssertionError("not a table")


def main() -> None:
    job = read_job()
    workload, reporter = WORKLOADS[job.workload], Reporter(job)
    session = sw.connect(placement=job.options["placement"], cores=job.cores)
    for name, folder in job.streams.items():
        session.sql(DECLARED[name])
        add = session.relation if name == "R" else session.stream
        add(name, folder, format="parquet", **_batches(job), pathGlobFilter="*.parquet")
    answer = Answer("stream" if workload.is_stream else "elements", job.check)
    query = session.query(workload.query.format(window=job.window)).into(answer)
    session.spark.range(1).collect()  # Spark is up before the clock runs
    reporter.began()
    started = time.perf_counter()
    running = session.start(query, checkpoint=Path(job.work) / "checkpoint", follow=False)
    finished = running.await_termination(job.limit)
    seconds = time.perf_counter() - started
    done = 0
    for progress in running.drive.runtime.progress:
        done += progress.events
        at = answer.times.get(progress.number)
        if at is not None:
            reporter.mark(
                done, at, state=progress.state_bytes, rows=progress.state_rows, kernels=progress.seconds
            )
    checked = _fingerprint(job, answer) if job.check else None
    reporter.ended(work=seconds, finished=finished, rows=answer.rows, promise="exact", fingerprint=checked)
    running.stop()
    session.stop()


def _batches(job: Job) -> dict[str, int]:
    """File by file where batches are to be small; else the engine chooses."""
    return {"maxFilesPerTrigger": 1} if job.check or job.batch < 100_000 else {}


def _fingerprint(job: Job, answer: Answer) -> int:
    workload, horizon = WORKLOADS[job.workload], int(job.options["horizon"])
    whole = pl.concat(answer.frames)
    if workload.is_stream:
        columns = [whole[name].to_numpy() for name in workload.answer]
        return fingerprint.of_stream(columns, _instants(whole.to_series(0), horizon))
    begin, end = (_instants(whole.to_series(place), horizon) for place in (-3, -2))
    columns = [whole.to_series(place).to_numpy() for place in range(whole.width - 3)]
    copies = whole.to_series(-1).to_numpy()
    if workload.name == "b":
        return fingerprint.of_stream(columns, begin, copies)
    return fingerprint.of_relation(columns, begin, end, horizon, copies)


def _instants(column: pl.Series, horizon: int) -> np.ndarray:
    whole = column.dt.epoch("us") if column.dtype.is_temporal() else column
    return whole.fill_null(horizon).to_numpy()


if __name__ == "__main__":
    main()
