"""`python -m benchmarks.scale_run JOB`: epochs of several kinds, on one cluster of processes.

One process, so that Java is warm when the later ones run. The job is JSON, and so is each line of the output.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import slackwater as sw
from benchmarks.local_cluster import local_cluster
from benchmarks.measure import compiling, is_driver, processes, usage
from benchmarks.workloads import DECLARED, WORKLOADS
from slackwater.run.started import Started

_EVERY = 0.05
Use = tuple[float, float, float]
"""Processor time of the driver and of the executors, without Java's compiler, and of that."""


def main() -> None:
    job = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    folder = Path(job["folder"])
    spark = local_cluster(folder, job["master"])
    for number, kind in enumerate(job["kinds"]):
        session = sw.connect(spark, placement="workers", partitions=kind["partitions"])
        session.sql(DECLARED["S"])
        session.stream("S", kind["data"], format="parquet", maxFilesPerTrigger=kind["files"])
        sink = sw.Files(folder / f"out-{number}", "parquet", "elements")
        query = session.query(WORKLOADS[job["workload"]].query.format(window=60)).into(sink)
        began = time.perf_counter()
        running = session.start(query, checkpoint=folder / f"checkpoint-{number}", follow=False)
        print(json.dumps({**kind, **_steady(running, began)}), flush=True)
    spark.stop()


def _steady(running: Started, began: float) -> dict[str, Any]:
    """What an epoch takes, after the first quarter of them; the last one only ends time."""
    done, uses = running.drive.runtime.progress, [(0, began, _used())]
    while not running.await_termination(_EVERY):
        if len(done) > uses[-1][0]:
            uses.append((len(done), time.perf_counter(), _used()))
    full = [one for one in uses if one[0] <= sum(epoch.events > 0 for epoch in done)]
    first, last = next(one for one in full if one[0] * 4 >= full[-1][0]), full[-1]
    count = last[0] - first[0]
    driver, executors, compiler = ((b - a) / count for a, b in zip(first[2], last[2], strict=True))
    clock = (last[1] - first[1]) / count
    return {"clock": clock, "driver": driver, "executors": executors, "compiling": compiler, "epochs": count}


def _used() -> Use:
    driver = executors = compiler = 0.0
    for pid in processes(os.getpid()):
        own = compiling(pid)
        seconds = usage(pid)[1] - own
        compiler += own
        if pid == os.getpid() or is_driver(pid):
            driver += seconds
        else:
            executors += seconds
    return driver, executors, compiler


if __name__ == "__main__":
    main()
