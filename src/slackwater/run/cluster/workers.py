"""In Spark's Python workers: a job's stages, with a shuffle between one and the next.

An RDD of parcels, not a DataFrame: a parcel is a whole frame as bytes, so there is nothing to plan and
nothing to convert. Measured against `mapInArrow` and `repartitionById`, three stages of two partitions:
366 ms against 522 ms with little in them, 641 ms against 1237 ms with 8 MB in each.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from pyspark import SparkContext

from slackwater.base.places import Place
from slackwater.kernels.machine import Machine
from slackwater.physical.graph import Graph
from slackwater.run.cluster.frames import Parcel
from slackwater.run.cluster.machine import FOLDER, Runner, WorkerMachine
from slackwater.run.cluster.stage import Job, run_stage
from slackwater.storage.locate import location
from slackwater.storage.location import Location


def in_workers(
    context: SparkContext, checkpoint: Place | Location, partitions: int | None = None
) -> Callable[[Graph], Machine]:
    """A factory of machines that run in the workers: by default with a partition for each core."""
    count = partitions or context.defaultParallelism

    def make(graph: Graph) -> Machine:
        return WorkerMachine(graph, location(checkpoint) / FOLDER, count, on_spark(context))

    return make


def on_spark(context: SparkContext) -> Runner:
    """Run jobs in Spark's Python workers."""

    def run(job: Job, parcels: list[Parcel]) -> list[Parcel]:
        shares = [[parcel for parcel in parcels if parcel.target == at] for at in range(job.partitions)]
        rdd = context.parallelize(shares, job.partitions).flatMap(_itself)
        for number in range(len(job.stages.stages)):
            if number:
                rdd = rdd.keyBy(_target).partitionBy(job.partitions, _itself).values()
            rdd = rdd.mapPartitionsWithIndex(partial(run_stage, job, number))
        return rdd.collect()

    return run


def _target(parcel: Parcel) -> int:
    return parcel.target


def _itself(value: Any) -> Any:
    return value
