"""Pathway: it answers at the end of each batch, and forgets what had expired when the batch before ended."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pathway as pw
import pyarrow.csv as csv

from benchmarks import fingerprint
from benchmarks.job import Job, Reporter, read_job


class Feeding(pw.io.python.ConnectorSubject):
    """Batches of all streams, each committed as one."""

    def __init__(self, job: Job) -> None:
        super().__init__()
        self._job = job

    def run(self) -> None:
        for k, v, ts, side in _batches(self._job):
            for row in zip(k, v, ts, side, strict=True):
                self.next(k=row[0], v=row[1], ts=row[2], side=row[3])
            self.commit()


class Rows(pw.Schema):
    k: int
    v: int
    ts: int
    side: int


def _batches(job: Job) -> Iterator[tuple[list[int], ...]]:
    """File by file, all streams merged by time."""
    files = {name: job.files(name, "csv") for name in job.streams}
    for place in range(len(files["S"])):
        parts = []
        for side, paths in enumerate(files.values()):
            columns = [column.to_numpy() for column in csv.read_csv(paths[place]).columns]
            parts.append((*columns, np.full(len(columns[0]), side)))
        merged = [np.concatenate(columns) for columns in zip(*parts, strict=True)]
        order = np.argsort(merged[2], kind="stable")
        yield tuple(column[order].tolist() for column in merged)


def _plan(job: Job, events: Any) -> Any:
    length = job.window * 1_000_000 + 1
    alive = events.forget(pw.this.ts, length)
    source = events.filter(pw.this.side == 0)
    match job.workload[0]:
        case "a":
            return alive.groupby(pw.this.k).reduce(
                pw.this.k, n=pw.reducers.count(), s=pw.reducers.sum(pw.this.v)
            )
        case "b":
            left, right = source, events.filter(pw.this.side == 1)
            near = pw.temporal.interval(1 - length, length - 1)
            behavior = pw.temporal.common_behavior(cutoff=length, keep_results=True)
            joined = left.interval_join(right, left.ts, right.ts, near, left.k == right.k, behavior=behavior)
            later = pw.if_else(left.ts > right.ts, left.ts, right.ts)
            return joined.select(left.k, left.v, w=right.v, t=later)
        case "c":
            return source.filter(pw.this.v >= 500).select(pw.this.k, d=pw.this.v * 2, t=pw.this.ts)
        case "d":
            return alive.groupby(pw.this.k).reduce(pw.this.k)
        case "e":
            sizes = alive.groupby(pw.this.k).reduce(n=pw.reducers.count())
            return sizes.groupby(pw.this.n).reduce(pw.this.n, m=pw.reducers.count())
        case "f":
            changes = events.filter(pw.this.side == 1)
            joined = source.asof_join(
                changes, source.ts, changes.ts, source.k == changes.k, how=pw.JoinMode.LEFT
            )
            return joined.select(source.k, source.v, r=pw.unwrap(changes.v), t=source.ts)
    raise ValueError(job.workload)


class Answer:
    """Counts changes, and keeps the current table where it is to be compared."""

    def __init__(self, keep: bool) -> None:
        self.keep, self.rows = keep, 0
        self.table: dict[Any, dict[str, Any]] = {}

    def changed(self, key: Any, row: dict[str, Any], time: int, is_addition: bool) -> None:
        self.rows += 1
        if self.keep:
            if is_addition:
                self.table[key] = row
            elif self.table.get(key) == row:
                del self.table[key]


def main() -> None:
    job = read_job()
    reporter, answer = Reporter(job), Answer(job.check)
    events = pw.io.python.read(Feeding(job), schema=Rows, autocommit_duration_ms=None)
    result = _plan(job, events)
    if job.check:
        pw.io.subscribe(result, on_change=answer.changed)
    else:
        pw.io.null.write(result)
    reporter.began()
    started = time.perf_counter()
    pw.run(monitoring_level=pw.MonitoringLevel.NONE)
    work = time.perf_counter() - started
    # It reads ahead of what it works on, so that only the end says how far it is.
    reporter.mark(job.events)
    promise = "exact" if job.workload[0] in "bcf" else "behind"
    reporter.ended(work=work, rows=answer.rows, promise=promise, fingerprint=_fingerprint(job, answer))


def _fingerprint(job: Job, answer: Answer) -> int | None:
    if not job.check:
        return None
    rows = list(answer.table.values())
    names = {"a": "kns", "b": "kvw", "c": "kd", "d": "k", "e": "nm", "f": "kvr"}[job.workload[0]]
    columns = [np.array([row[name] for row in rows], np.int64) for name in names]
    if job.workload[0] in "bcf":
        return fingerprint.of_stream(columns, np.array([row["t"] for row in rows], np.int64))
    return fingerprint.of_stream(columns, np.zeros(len(rows), np.int64))


if __name__ == "__main__":
    main()
