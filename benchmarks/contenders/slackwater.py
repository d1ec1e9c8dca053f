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
from benchmarks.local_cluster import local_cluster
from benchmarks.workloads import DECLARED, WORKLOADS
from slackwater.run.started import Started


@dataclass(slots=True)
class Answer:
    """Counts rows, and keeps them where they are to be compared. A sink of a query."""

    mode: str | None
    keep: bool
    rows: int = 0
    frames: list[pl.DataFrame] = field(default_factory=list)

    def prepare(self, first: int | None) -> None:
        assert first is None

    def put(self, number: int, frame: pl.DataFrame) -> None:
        self.rows += frame.height
        if self.keep:
            self.frames.append(frame)

    def replace(self, number: int, frame: pl.DataFrame) -> None:
        raise AssertionError("not a table")


def main() -> None:
    job = read_job()
    workload, reporter = WORKLOADS[job.workload], Reporter(job)
    session = session_of(job)
    for name, folder in job.streams.items():
        session.sql(DECLARED[name])
        add = session.relation if name == "R" else session.stream
        add(name, folder, format="parquet", **files_at_once(job), pathGlobFilter="*.parquet")
    mode = "stream" if workload.is_stream else "elements"
    answer = Answer(mode, job.check)
    files = sw.Files(Path(job.work) / "out", "parquet", mode)
    sink = files if job.options.get("sink") == "files" else answer
    query = session.query(workload.query.format(window=job.window)).into(sink)
    session.spark.range(1).collect()  # Spark is up before the clock runs
    reporter.began()
    started = time.perf_counter()
    running = session.start(query, checkpoint=Path(job.work) / "checkpoint", follow=False)
    finished = running.await_termination(job.limit)
    seconds = time.perf_counter() - started
    if sink is files:
        answer.frames = [pl.read_parquet(path) for path in sorted(files.folder.glob("*.parquet"))]
        answer.rows = sum(frame.height for frame in answer.frames)
    mark_epochs(running, reporter)
    checked = _fingerprint(job, answer) if job.check else None
    reporter.ended(work=seconds, finished=finished, rows=answer.rows, promise="exact", fingerprint=checked)
    running.stop()
    session.stop()


def session_of(job: Job) -> sw.Session:
    placement, master = job.options["placement"], job.options.get("master")
    partitions = int(job.options["partitions"]) if "partitions" in job.options else None
    if master is None:
        return sw.connect(placement=placement, cores=job.cores, partitions=partitions)
    return sw.connect(local_cluster(Path(job.work), master), placement=placement, partitions=partitions)


def mark_epochs(running: Started, reporter: Reporter) -> None:
    """Report the epochs, each at the time of its commit."""
    done = 0
    for progress in running.drive.runtime.progress:
        done += progress.events
        reporter.mark(
            done, progress.ended, state=progress.state_bytes, rows=progress.state_rows,
            kernels=progress.seconds, driver=progress.driver_bytes,
        )  # fmt: skip


def files_at_once(job: Job) -> dict[str, int]:
    """So many files as asked for, or file by file where batches are to be small; else the engine chooses."""
    if "files" in job.options:
        return {"maxFilesPerTrigger": int(job.options["files"])}
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
