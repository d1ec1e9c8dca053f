"""What limits a cluster: costs of an event, a task and an epoch, measured here, and a model made of them.

    seconds of an epoch = epoch                         the driver plans, commits and logs
                        + tasks x start                 the driver starts one task after the other
                        + 2 x (task + scans x parcel)   a scan task, then a stage task that hears from all
                        + events / cores x event        scans and kernels, spread over all cores
                        + bytes sent / bandwidth        what leaves a node

The costs are processor time on `local-cluster[2,1,2048]`, whose executors are processes, of (a) with 1,000
keys, without Java's compiler, which a long run does not need. Other work on the machine changes them little.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from rich.table import Table

from benchmarks.cluster import MASTER
from benchmarks.data import write_stream
from benchmarks.suite import ROOT
from benchmarks.workloads import WORKLOADS

WORKLOAD = "a-1k"
SMALL, LARGE = 100, 500_000
"""Events of an epoch."""
FILES = 25
"""In a large epoch, so that it can have as many scan tasks."""
FEW, SOME, MANY = 2, 8, 16
"""Partitions: of both kinds of epochs, of small ones, and of large ones."""
EPOCHS = {SMALL: 16, LARGE: 6}
"""How many of each kind; the first quarter is for warming up."""
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
    """Epochs of so many events with so many partitions and tasks: means in seconds."""

    events: int
    partitions: int
    scans: int
    clock: float
    driver: float
    """Processor time of the driver."""
    executors: float
    compiling: float
    """Processor time of Java's compiler, in all processes; not in the others."""

    @property
    def tasks(self) -> int:
        return self.scans + self.partitions


@dataclass(frozen=True, slots=True)
class Costs:
    """In seconds."""

    epoch: float
    """The driver's for an epoch."""
    start: float
    """The driver's for a task."""
    task: float
    """An executor's for a task."""
    parcel: float
    """An executor's for an exchange of a scan task with a partition."""
    event: float
    """The executors' for an event."""

    def parts(self, nodes: int, events: int, cores: int = CORES) -> dict[str, float]:
        """The seconds of an epoch, by what takes them."""
        partitions = nodes * cores
        return {
            "the driver, for an epoch": self.epoch,
            "the driver, for tasks": 2 * partitions * self.start,
            "tasks": 2 * self.task,
            "parcels": partitions * self.parcel,
            "events": events / partitions * self.event,
            "network": events * SENT * (1 - 1 / nodes) / nodes / BANDWIDTH,
        }

    def seconds(self, nodes: int, events: int, cores: int = CORES) -> float:
        """How long an epoch takes."""
        return sum(self.parts(nodes, events, cores).values())

    def rate(self, nodes: int, events_a_core: int, cores: int = CORES) -> float:
        """Events a second."""
        events = nodes * cores * events_a_core
        return events / self.seconds(nodes, events, cores)

    def share(self, nodes: int, events_a_core: int, cores: int = CORES) -> float:
        """The share of the driver in all processor time."""
        partitions = nodes * cores
        driver = self.epoch + 2 * partitions * self.start
        task = 2 * self.task + partitions * self.parcel + events_a_core * self.event
        return driver / (driver + partitions * task)


def epochs(cache: Path) -> Iterator[Epoch]:
    """Small and large epochs on a cluster of processes, each with few and with many partitions."""
    cache.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="run-", dir=cache))
    try:
        kinds = [
            _kind(cache, LARGE, FEW, FEW), _kind(cache, SMALL, FEW, 1),
            _kind(cache, SMALL, SOME, 1), _kind(cache, LARGE, MANY, MANY),
        ]  # fmt: skip
        job = {"folder": str(folder), "master": MASTER, "workload": WORKLOAD, "kinds": kinds}
        (folder / "job.json").write_text(json.dumps(job), encoding="utf-8")
        yield from _run(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _kind(cache: Path, events: int, partitions: int, scans: int) -> dict[str, object]:
    files = 1 if events == SMALL else FILES
    shape = WORKLOADS[WORKLOAD].shape(events * EPOCHS[events], events // files)
    data = write_stream("S", shape, cache, csv=False)
    return {"events": events, "partitions": partitions, "scans": scans, "files": files, "data": str(data)}


def _run(folder: Path) -> Iterator[Epoch]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "src")])}
    command = [sys.executable, "-m", "benchmarks.scale_run", str(folder / "job.json")]
    with (folder / "log.txt").open("wb") as log:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, env=environment, text=True)
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("{"):
                facts = json.loads(line)
                yield Epoch(**{name: facts[name] for name in Epoch.__dataclass_fields__})
    if process.wait():
        text = (folder / "log.txt").read_text(encoding="utf-8", errors="replace")
        raise RuntimeError(text[-2_000:])


def costs(measured: Sequence[Epoch]) -> Costs:
    """The costs that explain epochs: in the order of `epochs`."""
    large, small, more, many = measured
    start = max((more.driver - small.driver) / (more.tasks - small.tasks), 0.0)
    task = max((more.executors - small.executors) / (more.tasks - small.tasks), 0.0)
    event = (large.executors - large.tasks * task) / large.events
    apart = many.executors - large.executors - (many.tasks - large.tasks) * task
    parcel = max(apart / (many.scans * many.partitions - large.scans * large.partitions), 0.0)
    return Costs(small.driver - small.tasks * start, start, task, parcel, event)


def tables(measured: Sequence[Epoch], model: Costs) -> list[Table]:
    """What was measured, and what follows from it."""
    made = Table(title=f"An epoch on {MASTER}")
    names = ("clock, ms", "driver's CPU, ms", "executors' CPU, ms", "compiler, ms")
    for name in ("events", "partitions", "scans", *names):
        made.add_column(name, justify="right")
    for epoch in measured:
        values = (epoch.clock, epoch.driver, epoch.executors, epoch.compiling)
        counts = (f"{epoch.events:,}", str(epoch.partitions), str(epoch.scans))
        made.add_row(*counts, *(f"{value * 1e3:,.0f}" for value in values))
    expected = Table(title=f"Expected: million events a second, nodes of {CORES} cores")
    expected.add_column("nodes", justify="right")
    for events in EVENTS_A_CORE:
        expected.add_column(f"{events:,} events a core", justify="right")
    for name in ("the epoch, s", "driver's share of CPU"):
        expected.add_column(f"{name} (500,000)", justify="right")
    for nodes in NODES:
        rates = [f"{model.rate(nodes, events) / 1e6:,.1f}" for events in EVENTS_A_CORE]
        seconds = model.seconds(nodes, nodes * CORES * EVENTS_A_CORE[1])
        share = model.share(nodes, EVENTS_A_CORE[1])
        expected.add_row(str(nodes), *rates, f"{seconds:.2f}", f"{share:.3f}")
    return [made, expected, _parts_table(model)]


def _parts_table(model: Costs) -> Table:
    made = Table(title=f"Seconds of an epoch with {EVENTS_A_CORE[1]:,} events a core")
    made.add_column("nodes", justify="right")
    for name in model.parts(1, 1):
        made.add_column(name, justify="right")
    for nodes in (1, 10, 100):
        parts = model.parts(nodes, nodes * CORES * EVENTS_A_CORE[1])
        made.add_row(str(nodes), *(f"{seconds:.3f}" for seconds in parts.values()))
    return made


def save(path: Path, measured: Sequence[Epoch], model: Costs) -> None:
    facts = {"epochs": [asdict(epoch) for epoch in measured], "costs": asdict(model)}
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
