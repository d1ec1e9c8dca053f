"""Whether queries are computed in the driver or in the workers, and how the workers are set up."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Protocol

from slackwater.physical.graph import Graph
from slackwater.physical.stages.cut import cut
from slackwater.run.checkpoint.files import STATE
from slackwater.run.cluster.job import Plan
from slackwater.run.cluster.placement import InDriver, InWorkers, Placement
from slackwater.run.cluster.workers import OnSpark
from slackwater.run.delivery import Delivery
from slackwater.run.input.aside import Aside
from slackwater.run.query import Owner
from slackwater.run.receivers import ElementSink
from slackwater.storage.location import Location

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from slackwater.run.input.feeds import Feed


Make = Callable[[Graph, Location | None], Placement]
"""Makes a placement, with the folder of its states."""
Parts = Sequence[tuple[str, Delivery]]
"""The sinks that tasks write, each with its output."""
Sinks = Mapping[str, Sequence[ElementSink]]

_WIDTH = 2
_SHALLOW_WIDTH = 3
"""Widths of batches for each core, with and without exchanges between stages."""


class Place(Protocol):
    """Where queries are computed that read these feeds and write these sinks.

    `adds_up` is whether scans may send partial sums in place of elements.
    """

    def __call__(
        self, feeds: Sequence[Feed], aside: Aside, sinks: Sinks, parts: Parts, *, adds_up: bool = True
    ) -> Make: ...


class Setting(Protocol):
    """A Spark session, and where kernels run on it, if that was chosen."""

    @property
    def spark(self) -> SparkSession: ...

    @property
    def placement(self) -> str | None: ...


def is_in_workers(owner: Setting) -> bool:
    """Where a graph is computed: in the driver on one machine, in the workers of a cluster, or as chosen."""
    if owner.placement is not None:
        return owner.placement == "workers"
    master = str(owner.spark.conf.get("spark.master", "local"))
    # local-cluster[…] is a cluster whose machines are processes.
    return master.startswith("local-cluster") or not master.startswith("local")


def batch_width(owner: Setting, graph: Graph | None = None) -> int:
    """How many times as many rows of a backlog a batch has as in the driver.

    The driver takes a quarter of a second for an epoch, however large, and the share of that in all work is
    to be small (decision 0051). Where rows are exchanged once at most, tasks do little with each row, so that
    a batch needs more of them; where stages follow each other, larger batches cost memory and time.
    """
    if not is_in_workers(owner):
        return 1
    is_shallow = graph is not None and len(cut(graph).stages) <= 1
    return (_SHALLOW_WIDTH if is_shallow else _WIDTH) * owner.spark.sparkContext.defaultParallelism


def in_driver(
    owner: Owner, feeds: Sequence[Feed], aside: Aside, sinks: Sinks, parts: Parts, *, adds_up: bool = True
) -> Make:
    """A factory of placements in the driver."""
    return partial(InDriver, memory=owner.match_memory)


def workers_of(
    owner: Owner,
    folder: Location,
    feeds: Sequence[Feed],
    aside: Aside,
    sinks: Sinks,
    parts: Parts,
    *,
    adds_up: bool = True,
) -> Make:
    """A factory of placements in Spark's workers, with a partition for each core."""

    def make(graph: Graph, states: Location | None) -> Placement:
        intakes = tuple(feed.intake for feed in feeds)
        plan = Plan(cut(graph), intakes, aside, frozenset(sinks), tuple(parts), adds_up, owner.match_memory)
        # Without a store the states are in the run's own folder all the same: tasks need one.
        where = states or folder / STATE
        partitions = owner.partitions or owner.spark.sparkContext.defaultParallelism
        return InWorkers(plan, where, partitions, OnSpark(owner.spark))

    return make
