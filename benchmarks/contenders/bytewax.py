"""Bytewax, with everything written by hand: its own windows do not slide by events.

Events come in the order of their time and a window's length is fixed, so what expires does so in the order
in which it came: one queue for a bucket of keys is enough. Nothing is durable.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from bytewax import operators as op
from bytewax.dataflow import Dataflow
from bytewax.inputs import DynamicSource, StatelessSourcePartition
from bytewax.operators import StatefulBatchLogic
from bytewax.outputs import DynamicSink, StatelessSinkPartition
from bytewax.testing import run_main

from benchmarks import fingerprint
from benchmarks.job import Job, Reporter, read_job

BUCKETS = 8
_SIZE = 10_000
Event = tuple[int, int, int, int]
"""Key, value, microseconds, and which stream it is of."""


class Files(DynamicSource[Event]):
    """Both streams, merged by time while they are read."""

    def __init__(self, job: Job, reporter: Reporter) -> None:
        self.job, self.reporter = job, reporter

    def build(self, step_id: str, worker_index: int, worker_count: int) -> Reading:
        return Reading(self.job, self.reporter)


class Reading(StatelessSourcePartition[Event]):
    def __init__(self, job: Job, reporter: Reporter) -> None:
        self._chunks = _chunks(job, reporter)

    def next_batch(self) -> Iterable[Event]:
        return next(self._chunks)


def _chunks(job: Job, reporter: Reporter) -> Iterator[list[Event]]:
    files = {name: job.files(name) for name in job.streams}
    done = 0
    for place in range(len(files["S"])):
        parts = [_columns(paths[place], side) for side, paths in enumerate(files.values())]
        k, v, ts, side = (np.concatenate(columns) for columns in zip(*parts, strict=True))
        order = np.argsort(ts, kind="stable")
        events = list(zip(*(column[order].tolist() for column in (k, v, ts, side)), strict=True))
        for first in range(0, len(events), _SIZE):
            yield events[first : first + _SIZE]
        done += len(parts[0][0]) * (2 if "U" in files else 1)
        reporter.mark(done)


def _columns(path: str, side: int) -> tuple[Any, ...]:
    table = pq.read_table(path)
    columns = [column.cast("int64").to_numpy() for column in table.columns]
    return *columns, np.full(table.num_rows, side)


class Logic(StatefulBatchLogic[Any, Any, Any]):
    """State of a bucket; `step` and `expire` are what differs."""

    def __init__(self, length: int) -> None:
        self.length = length
        self.queue: deque[Any] = deque()
        self.by_key: dict[int, Any] = {}

    def on_batch(self, values: list[Event]) -> tuple[list[Any], bool]:
        out: list[Any] = []
        self.work(values, out)
        return out, False

    def on_eof(self) -> tuple[list[Any], bool]:
        out: list[Any] = []
        self.work([(-1, 0, 2**62, 0)], out)
        return out, True

    def work(self, values: list[Event], out: list[Any]) -> None:
        raise NotImplementedError

    def snapshot(self) -> Any:
        return None


class Sums(Logic):
    def work(self, values: list[Event], out: list[Any]) -> None:
        queue, by_key, length = self.queue, self.by_key, self.length
        for k, v, ts, _ in values:
            while queue and queue[0][0] <= ts:
                end, old, expired = queue.popleft()
                n, s = by_key[old]
                by_key[old] = n - 1, s - expired
                out.append((old, n - 1, s - expired, end))
            if k >= 0:
                n, s = by_key.get(k, (0, 0))
                by_key[k] = n + 1, s + v
                out.append((k, n + 1, s + v, ts))
                queue.append((ts + length, k, v))


class Distinct(Logic):
    def work(self, values: list[Event], out: list[Any]) -> None:
        queue, by_key, length = self.queue, self.by_key, self.length
        for k, _, ts, _ in values:
            while queue and queue[0][0] <= ts:
                end, old = queue.popleft()
                by_key[old] -= 1
                if not by_key[old]:
                    out.append((old, 0, end))
            if k >= 0:
                n = by_key.get(k, 0)
                by_key[k] = n + 1
                if not n:
                    out.append((k, 1, ts))
                queue.append((ts + length, k))


class Histogram(Logic):
    def __init__(self, length: int) -> None:
        Logic.__init__(self, length)
        self.sizes: dict[int, int] = {}

    def _move(self, k: int, by: int, at: int, out: list[Any]) -> None:
        n = self.by_key.get(k, 0)
        self.by_key[k] = n + by
        for size, change in ((n, -1), (n + by, 1)):
            if size:
                self.sizes[size] = self.sizes.get(size, 0) + change
                out.append((size, self.sizes[size], at))

    def work(self, values: list[Event], out: list[Any]) -> None:
        for k, _, ts, _ in values:
            while self.queue and self.queue[0][0] <= ts:
                end, old = self.queue.popleft()
                self._move(old, -1, end, out)
            if k >= 0:
                self._move(k, 1, ts, out)
                self.queue.append((ts + self.length, k))


class Pairs(Logic):
    def work(self, values: list[Event], out: list[Any]) -> None:
        by_key, length = self.by_key, self.length
        for k, v, ts, side in values:
            if k < 0:
                continue
            sides = by_key.get(k)
            if sides is None:
                sides = by_key[k] = (deque(), deque())
            others = sides[1 - side]
            while others and others[0][1] + length <= ts:
                others.popleft()
            for other, _ in others:
                out.append((k, other, v, ts) if side else (k, v, other, ts))
            sides[side].append((v, ts))


class AsOf(Logic):
    def work(self, values: list[Event], out: list[Any]) -> None:
        by_key = self.by_key
        for k, v, ts, side in values:
            if side:
                by_key[k] = v
            elif k in by_key:
                out.append((k, v, by_key[k], ts))


class Counting(DynamicSink[Any]):
    def __init__(self, keep: bool) -> None:
        self.keep, self.rows = keep, 0
        self.items: list[Any] = []

    def build(self, step_id: str, worker_index: int, worker_count: int) -> Writing:
        return Writing(self)


class Writing(StatelessSinkPartition[Any]):
    def __init__(self, sink: Counting) -> None:
        self._sink = sink

    def write_batch(self, items: list[Any]) -> None:
        self._sink.rows += len(items)
        if self._sink.keep:
            self._sink.items += items


def main() -> None:
    job = read_job()
    reporter, sink = Reporter(job), Counting(job.check)
    name, length = job.workload[0], job.window * 1_000_000 + 1
    flow = Dataflow("benchmark")
    events = op.input("events", flow, Files(job, reporter))
    if name == "c":
        results = op.flat_map_batch(
            "filter", events, lambda batch: [(k, v * 2, ts) for k, v, ts, _ in batch if v >= 500]
        )
    else:
        logic = {"a": Sums, "b": Pairs, "d": Distinct, "e": Histogram, "f": AsOf}[name]
        # One bucket only where there is an answer over all keys: buckets do not keep in step.
        buckets = 1 if name == "e" else BUCKETS
        names = [str(bucket) for bucket in range(buckets)]
        keyed = op.key_on("bucket", events, lambda event: names[event[0] % buckets])
        results = op.key_rm("unkeyed", op.stateful_batch("state", keyed, lambda _: logic(length)))
    op.output("answer", results, sink)
    reporter.began()
    started = time.perf_counter()
    run_main(flow)
    work = time.perf_counter() - started
    checked = _fingerprint(job, sink.items) if job.check else None
    reporter.ended(work=work, rows=sink.rows, promise="exact", fingerprint=checked)


def _fingerprint(job: Job, items: list[Any]) -> int:
    rows = np.array(items, np.int64)
    if job.workload[0] in "bcf":
        return fingerprint.of_stream(list(rows[:, :-1].T), rows[:, -1])
    # Changes of a relation by its first column: each row stays until the next of its key, and of one
    # instant the last one counts.
    rows = rows[np.lexsort((np.arange(len(rows)), rows[:, -1], rows[:, 0]))]
    end = np.append(rows[1:, -1], 0)
    end[np.append(rows[1:, 0] != rows[:-1, 0], True)] = int(job.options["horizon"])
    alive = rows[:, 1] > 0
    columns = rows[alive, : 1 if job.workload == "d" else -1]
    return fingerprint.of_relation(list(columns.T), rows[alive, -1], end[alive], int(job.options["horizon"]))


if __name__ == "__main__":
    main()
