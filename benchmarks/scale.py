"""What limits a cluster: costs of an event, a task and an epoch, measured here, and a model made of them.

    seconds of an epoch = floor                         planning, commit, one wave of tasks
                        + tasks x driver                the driver starts one task after the other
                        + partitions x parcel           every scan task sends something to every partition
                        + events / cores x event        scans and kernels, spread over all cores
                        + bytes sent / bandwidth        what leaves a node

The costs come from `local-cluster[2,1,2048]`, whose executors are processes, on (a) with 1,000 keys.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
from rich.table import Table

from benchmarks.cluster import MASTER
from benchmarks.measure import Measurement
from benchmarks.suite import OURS, Suite

WORKLOAD = "a-1k"
PARTITIONS = (2, 8, 32)
SMALL = 100
EPOCHS = 16
CORES = 8
"""The cores of a node in the model."""
BANDWIDTH = 1.25e9
"""Bytes a second that a node of the model can send: ten gigabits."""
SENT = 8.0
"""Bytes of an event of (a) between tasks, as `run/cluster/packing.py` packs it."""
NODES = (1, 2, 5, 10, 20, 50, 100)
EVENTS_A_CORE = (100_000, 500_000, 2_000_000)


@dataclass(frozen=True, slots=True)
class Epoch:
    """Small epochs with so many partitions: medians and means, in seconds."""

    partitions: int
    clock: float
    driver: float
    """Processor time of the driver."""
    executors: float


@dataclass(frozen=True, slots=True)
class Costs:
    """In seconds."""

    floor: float
    """The clock's for the smallest epoch."""
    driver: float
    """The driver's for a task."""
    task: float
    """An executor's for a task."""
    parcel: float
    """An executor's for an exchange of one task with one partition."""
    event: float
    """The executors' for an event."""

    def seconds(self, nodes: int, events: int, cores: int = CORES) -> float:
        """How long an epoch takes."""
        partitions = nodes * cores
        sent = events * SENT * (1 - 1 / nodes)
        return (
            self.floor
            + 2 * partitions * self.driver
            + 2 * (self.task + partitions * self.parcel)
            + events / partitions * self.event
            + sent / nodes / BANDWIDTH
        )

    def rate(self, nodes: int, events_a_core: int, cores: int = CORES) -> float:
        """Events a second."""
        events = nodes * cores * events_a_core
        return events / self.seconds(nodes, events, cores)


def epochs(suite: Suite) -> Iterator[Epoch]:
    """Small epochs on a cluster of processes, with more and more partitions."""
    for partitions in PARTITIONS:
        cluster = replace(OURS, options=(*_options(), ("partitions", str(partitions))))
        measured = suite.run(WORKLOAD, cluster, events=SMALL * EPOCHS, batch=SMALL).measurement
        assert measured is not None
        assert measured.steady_cpu is not None, measured.failure
        count = len(measured.marks) - len(measured.marks) // 4
        whole, driver = measured.steady_cpu
        yield Epoch(partitions, measured.per_batch or 0.0, driver / count, (whole - driver) / count)


def _options() -> tuple[tuple[str, str], ...]:
    return (("placement", "workers"), ("sink", "files"), ("master", MASTER))


def costs(small: Sequence[Epoch], large: Measurement) -> Costs:
    """Lines through the small epochs, and what is left of the large ones."""
    count = np.array([epoch.partitions for epoch in small], dtype=float)
    driver = np.polyfit(2 * count, [epoch.driver for epoch in small], 1)
    square = np.polyfit(count, [epoch.executors for epoch in small], 2)
    assert large.steady_cpu is not None
    events = large.events * (1 - (len(large.marks) // 4) / len(large.marks))
    # Each executor has one core: their processor time is the time that cores work.
    event = (large.steady_cpu[0] - large.steady_cpu[1]) / events
    return Costs(
        small[0].clock, max(float(driver[0]), 0.0), max(float(square[1]) / 2, 0.0),
        max(float(square[0]) / 2, 0.0), event,
    )  # fmt: skip


def run(suite: Suite, events: int) -> tuple[list[Epoch], Costs]:
    small = list(epochs(suite))
    cluster = replace(OURS, options=_options())
    large = suite.run(WORKLOAD, cluster, events=events).measurement
    assert large is not None
    return small, costs(small, large)


def tables(small: Sequence[Epoch], model: Costs) -> list[Table]:
    """What was measured, and what follows from it."""
    measured = Table(title=f"An epoch of {SMALL} events on {MASTER}")
    for name in ("partitions", "clock, ms", "driver's CPU, ms", "executors' CPU, ms"):
        measured.add_column(name, justify="right")
    for epoch in small:
        values = (epoch.clock, epoch.driver, epoch.executors)
        measured.add_row(str(epoch.partitions), *(f"{value * 1e3:,.0f}" for value in values))
    expected = Table(title=f"Expected: million events a second, nodes of {CORES} cores")
    expected.add_column("nodes", justify="right")
    for events in EVENTS_A_CORE:
        expected.add_column(f"{events:,} events a core", justify="right")
    expected.add_column("the epoch, s", justify="right")
    for nodes in NODES:
        rates = [f"{model.rate(nodes, events) / 1e6:,.1f}" for events in EVENTS_A_CORE]
        seconds = model.seconds(nodes, nodes * CORES * EVENTS_A_CORE[1])
        expected.add_row(str(nodes), *rates, f"{seconds:.2f}")
    return [measured, expected]


def save(path: Path, small: Sequence[Epoch], model: Costs) -> None:
    facts = {"epochs": [asdict(epoch) for epoch in small], "costs": asdict(model)}
    path.write_text(json.dumps(facts, indent=1), encoding="utf-8")


def plot(path: Path, model: Costs) -> None:
    """Rates by the number of nodes."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "slackwater"
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 4.5))
    nodes = np.unique(np.logspace(0, 2.1, 60).astype(int))
    ideal = [count * CORES / model.event / 1e6 for count in nodes]
    axes.plot(nodes, ideal, color="0.6", linestyle="--", label="only the work of events")
    for events in reversed(EVENTS_A_CORE):
        rates = [model.rate(int(count), events) / 1e6 for count in nodes]
        axes.plot(nodes, rates, label=f"{events / 1e6:g} million events a core and epoch")
    axes.set(xscale="log", yscale="log", xlabel=f"nodes of {CORES} cores", ylabel="million events a second")
    axes.grid(visible=True, which="both", alpha=0.25)
    axes.legend()
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
