"""A job on Spark: scan tasks beside the rows, then the stages, with an exchange before each.

    scan ─ mapInArrow ═ repartitionById ═ mapInArrow ═ … ─► reports, and the outputs that the driver wants

Rows become parcels where they are read. What is collected in the end are the reports of the tasks.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from itertools import count
from typing import Protocol, TypeVar

import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql import DataFrame, SparkSession

from slackwater.run.cluster.job import Job
from slackwater.run.cluster.parcels import COLUMNS, Parcel, from_arrow, to_arrow
from slackwater.run.cluster.scan import SCANS, scan_files, scan_rows
from slackwater.run.cluster.stage import run_stage
from slackwater.run.input.arrow import map_in_arrow
from slackwater.run.input.row_groups import Share

_tasks = count(1)
"""The tasks of this process."""
_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class Scan:
    """Rows of some sources, to be read by Spark; the sources by their places in the plan."""

    frame: DataFrame
    sources: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class FileScan:
    """Row groups of files, to be read by the tasks; a task for each share."""

    shares: tuple[Share, ...]


Scans = Sequence[Scan | FileScan]


class Cluster(Protocol):
    """Runs the tasks of jobs."""

    def run(self, job: Job, scans: Scans, parcels: list[Parcel]) -> list[Parcel]:
        """Run a job on rows to scan, and on parcels that were made elsewhere; the last stage's parcels."""

    def spread(self, task: Callable[[_Item], _Result], items: Sequence[_Item]) -> list[_Result]:
        """Run a task for each item; the results in their order."""


_SETTINGS = {
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}
"""The JVM handles a few parcels for each task: to plan a job again while it runs, or to compile code for it,
takes longer than that."""


class OnSpark:
    """Tasks in Spark's Python workers."""

    def __init__(self, spark: SparkSession) -> None:
        # A session beside that of the user, with settings of its own.
        self.spark = spark.newSession()
        for name, value in _SETTINGS.items():
            self.spark.conf.set(name, value)

    def run(self, job: Job, scans: Scans, parcels: list[Parcel]) -> list[Parcel]:
        frames = [self._scanned(replace(job, logs={}), place, one) for place, one in enumerate(scans)]
        if parcels or not frames:
            frames.append(self.spark.range(0, 1, 1, 1).mapInArrow(partial(_emit, parcels), COLUMNS))
        whole = reduce(DataFrame.union, frames)
        for number in range(len(job.plan.stages.stages)):
            placed = whole.repartitionById(job.partitions, whole.target)
            whole = placed.mapInArrow(partial(_stage, job.for_stage(number), number), COLUMNS)
        return from_arrow(whole.toArrow().to_batches())

    def _scanned(self, job: Job, place: int, scan: Scan | FileScan) -> DataFrame:
        """The parcels of a scan."""
        if isinstance(scan, Scan):
            return map_in_arrow(scan.frame, partial(_scan_rows, job, scan.sources, place), COLUMNS)
        numbers = self.spark.range(0, len(scan.shares), 1, len(scan.shares))
        return numbers.mapInArrow(partial(_scan_files, job, scan.shares, place), COLUMNS)

    def spread(self, task: Callable[[_Item], _Result], items: Sequence[_Item]) -> list[_Result]:
        context = self.spark.sparkContext
        return context.parallelize(items, max(len(items), 1)).map(task).collect()


def _scan_rows(
    job: Job, sources: tuple[int, ...], place: int, batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    return to_arrow(scan_rows(job, sources, place * SCANS + _partition(), batches))


def _scan_files(
    job: Job, shares: tuple[Share, ...], place: int, batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        for number in batch.column(0).to_pylist():
            yield from to_arrow(scan_files(job, shares[number], place * SCANS + _partition()))


def _stage(job: Job, number: int, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    return to_arrow(run_stage(job, number, _partition(), from_arrow(batches)))


def _emit(parcels: list[Parcel], batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for _ in batches:
        yield from to_arrow(parcels)


def _partition() -> int:
    _freeze_objects(next(_tasks))
    task = TaskContext.get()
    assert task is not None
    return int(task.partitionId())


def _freeze_objects(tasks: int) -> None:
    """Take what exists out of the garbage collection, after 1, 2, 4, … tasks of a worker.

    Spark collects after every task, which takes 15 to 40 ms for the objects of all modules and of the plan.
    What is in a cycle when it is frozen is never freed, so it is done at a few tasks only.
    """
    if tasks & (tasks - 1) == 0:
        gc.freeze()


class InProcess:
    """Tasks in this process, one after the other."""

    def run(self, job: Job, scans: Scans, parcels: list[Parcel]) -> list[Parcel]:
        for place, one in enumerate(scans):
            assert isinstance(one, FileScan)
            for at, share in enumerate(one.shares):
                parcels += scan_files(job, share, place * SCANS + at)
        for number in range(len(job.plan.stages.stages)):
            shares = [[parcel for parcel in parcels if parcel.target == at] for at in range(job.partitions)]
            parcels = [
                result
                for at, share in enumerate(shares)
                for result in run_stage(job, number, at, sorted(share, key=lambda parcel: parcel.order))
            ]
        return sorted(parcels, key=lambda parcel: parcel.order)

    def spread(self, task: Callable[[_Item], _Result], items: Sequence[_Item]) -> list[_Result]:
        return [task(item) for item in items]
