"""The suite: which contenders run which workloads, and whether their answers are right."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks import data, oracle
from benchmarks.job import Job
from benchmarks.measure import Measurement, measure
from benchmarks.workloads import WORKLOADS, Workload

ROOT = Path(__file__).resolve().parent.parent
US = "slackwater"


@dataclass(frozen=True, slots=True)
class Contender:
    """An engine that runs workloads: a module, the Python that runs it, and its options."""

    name: str
    module: str
    workloads: tuple[str, ...]
    python: str = sys.executable
    options: tuple[tuple[str, str], ...] = ()
    refused: tuple[tuple[str, str], ...] = ()
    """Workloads it cannot run, and why."""
    csv: bool = False

    def can(self, workload: Workload) -> bool:
        return workload.name[0] in self.workloads


@dataclass(frozen=True, slots=True)
class Sizes:
    events: int = 2_000_000
    batch: int = 100_000
    limit: float = 240.0
    cores: int = os.cpu_count() or 1
    check_events: int = 50_000
    check_window: int = 10


@dataclass(slots=True)
class Result:
    """One contender's run of one workload."""

    title: str
    contender: str
    workload: str
    window: int
    batch: int
    promise: str | None = None
    right: bool | None = None
    measurement: Measurement | None = None
    refusal: str | None = None


OURS = Contender(US, "benchmarks.contenders.slackwater", tuple("abcdefg"), options=(("placement", "driver"),))
IN_WORKERS = replace(OURS, name=f"{US}, workers", options=(("placement", "workers"),))
_NO_SPARK = (
    ("d", "refused: no distinct rows of a sliding window"),
    ("e", "refused: an aggregate over an aggregate without windows of its own"),
    ("f", "refused: no join as of an instant with a relation that changes"),
    ("g", "refused: no outer join of aggregates without windows"),
)
SPARK = tuple(
    Contender(
        f"spark, {store}, {batch // 1_000} k a batch", "benchmarks.contenders.spark", workloads,
        options=(("store", store), ("batch", str(batch))), refused=refused,
    )
    for store, batch, workloads, refused in (
        ("hdfs", 100_000, tuple("abc"), _NO_SPARK),
        ("hdfs", 500_000, tuple("abc"), ()),
        ("rocksdb", 100_000, tuple("ab"), ()),
    )
)  # fmt: skip
"""With its two state stores; the size of its batches has to be configured."""

Say = Callable[[str], None]


class Suite:
    """Runs contenders, each in a process of its own, on data in the cache folder."""

    def __init__(self, cache: Path, sizes: Sizes, say: Say) -> None:
        self.cache, self.sizes, self._say = cache, sizes, say
        prepare(cache)
        self._promises: dict[tuple[str, str], tuple[str | None, bool | None]] = {}

    def compare(self, workloads: list[str], contenders: list[Contender]) -> Iterator[Result]:
        """Every workload by every contender, checked first on a small part of the data."""
        for name in workloads:
            workload = WORKLOADS[name]
            for contender in contenders:
                reason = dict(contender.refused).get(name[0])
                if reason is not None:
                    yield self._result(workload, contender, refusal=reason)
                elif contender.can(workload):
                    yield self._checked_run(workload, contender)

    def run(self, name: str, contender: Contender = OURS, **change: int) -> Result:
        """One run with other sizes: `events`, `batch`, `window`."""
        workload = WORKLOADS[name]
        window = change.pop("window", workload.window)
        sizes = replace(self.sizes, **change)
        measurement = self._measure(workload, contender, sizes, window, check=False)
        result = self._result(workload, contender, measurement=measurement)
        result.window, result.batch = window, sizes.batch
        return result

    def _checked_run(self, workload: Workload, contender: Contender) -> Result:
        promise, right = self._check(workload, contender)
        self._say(f"{workload.title}: {contender.name}")
        measurement = self._measure(workload, contender, self.sizes, workload.window, check=False)
        if measurement.has_no_pace:
            self._pace(workload, contender, measurement)
        return self._result(workload, contender, measurement=measurement, promise=promise, right=right)

    def _pace(self, workload: Workload, contender: Contender, measurement: Measurement) -> None:
        """Time a contender without intermediate marks on the first quarter alone, too."""
        sizes = replace(self.sizes, events=self.sizes.events // 4)
        measurement.pace(self._measure(workload, contender, sizes, workload.window, check=False))

    def _result(self, workload: Workload, contender: Contender, **facts: object) -> Result:
        result = Result(workload.title, contender.name, workload.name, workload.window, self.sizes.batch)
        for name, value in facts.items():
            setattr(result, name, value)
        return result

    def _check(self, workload: Workload, contender: Contender) -> tuple[str | None, bool | None]:
        """The promise of a contender, and whether its answer on small data keeps it."""
        self._say(f"{workload.title}: {contender.name}, the answer")
        sizes = replace(self.sizes, events=self.sizes.check_events, batch=self.sizes.check_events // 5)
        measurement = self._measure(workload, contender, sizes, self.sizes.check_window, check=True)
        if measurement.ended is None:
            return None, None
        promise, actual = measurement.ended["promise"], measurement.ended.get("fingerprint")
        if not measurement.ended.get("finished", True):
            return promise, None
        shape = workload.shape(sizes.events, sizes.batch)
        return promise, actual == oracle.answer(workload, shape, self.sizes.check_window, promise)

    def _measure(
        self, workload: Workload, contender: Contender, sizes: Sizes, window: int, *, check: bool
    ) -> Measurement:
        shape = workload.shape(sizes.events, sizes.batch)
        streams = {
            name: str(data.write_stream(name, shape, self.cache, csv=contender.csv))
            for name in workload.streams
        }
        options = {**dict(contender.options), "horizon": str(oracle.horizon(shape, window))}
        total = workload.total(sizes.events)
        return measured(contender, self.cache, lambda folder: Job(
            workload.name, contender.name, streams, str(folder), str(folder / "report.jsonl"), total,
            sizes.batch, window, sizes.cores, sizes.limit, check, options,
        ))  # fmt: skip


def measured(contender: Contender, cache: Path, job_in: Callable[[Path], Job]) -> Measurement:
    """A run of a contender, with a job in a folder that is deleted afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="run-", dir=cache))
    environment = {"PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "src")])}
    try:
        return measure(job_in(folder), [contender.python, "-m", contender.module], folder, environment)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def prepare(cache: Path) -> None:
    """Make the cache folder, which git does not see."""
    cache.mkdir(parents=True, exist_ok=True)
    (cache / ".gitignore").write_text("*\n", encoding="utf-8")
