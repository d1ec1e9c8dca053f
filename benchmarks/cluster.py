"""The driver beside the workers: what passes the driver, and what it costs; answers are written to files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rich.table import Table

from benchmarks.suite import OURS, Contender, Result

MASTER = "local-cluster[2,1,2048]"
WORKLOADS = ("a-1k", "a-100k", "b", "d", "e", "f")


def contenders() -> list[Contender]:
    """This engine in the driver, in the workers of a local Spark, and on a cluster of processes."""
    files = ("sink", "files")
    workers = ("placement", "workers")
    return [
        replace(OURS, options=(("placement", "driver"), files)),
        replace(OURS, name="workers, local", options=(workers, files)),
        replace(OURS, name=f"workers, {MASTER}", options=(workers, files, ("master", MASTER))),
    ]


def table(results: Sequence[Result]) -> Table:
    """Rates, the share of the driver's processes in all processor time, and the bytes that reach it."""
    made = Table(title="In the driver and in the workers")
    made.add_column("workload")
    made.add_column("placement")
    for name in (
        "steady /s",
        "beside the driver",
        "bytes to the driver per event",
        "driver's share of CPU, steady",
    ):
        made.add_column(name, justify="right")
    made.add_column("answer")
    for result in results:
        made.add_row(*_row(result, next(one for one in results if one.workload == result.workload)))
    return made


def _row(result: Result, driver: Result) -> list[str]:
    measured, beside = result.measurement, driver.measurement
    if measured is None or not measured.marks:
        return [
            result.title,
            result.contender,
            "–",
            "–",
            "–",
            "–",
            (measured.failure if measured else "") or "–",
        ]
    rate = measured.steady or measured.overall or 0.0
    base = (beside.steady or beside.overall) if beside else None
    per_event = sum(mark["driver"] for mark in measured.marks) / max(measured.events, 1)
    cpu = measured.steady_cpu if "cluster" in result.contender else None
    share = cpu[1] / cpu[0] if cpu and cpu[0] else None
    return [
        result.title,
        result.contender,
        f"{rate / 1000:,.0f} k",
        f"{rate / base:.2f}" if base else "–",
        f"{per_event:.3f}",
        "–" if share is None else f"{share:.2f}",
        {True: "exact", False: "WRONG", None: "not checked"}[result.right],
    ]
