"""Where a graph is computed: in the driver, as one partition, or in the partitions of Spark's workers.

    driver     rows ─► machine, all stages, one partition ─► outputs
    workers    scans ═► stage 0 ═► stage 1 ═► … ─► reports, and the outputs that the driver wants

Both run the same stages and keep the same states, so that each can resume from the other.
"""

from __future__ import annotations

import json
import pickle
import uuid
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import astuple, dataclass, field, replace
from functools import partial
from itertools import product
from typing import Any, Protocol

import polars as pl

from slackwater.base.diagnostic import SlackwaterError
from slackwater.kernels.frames import concatenated, empty
from slackwater.kernels.machine import Machine
from slackwater.physical.graph import Graph
from slackwater.physical.stages.plan import Stages
from slackwater.run.checkpoint.files import make_folder
from slackwater.run.cluster.job import Job, Plan, packed_logs, site_of
from slackwater.run.cluster.names import all_states
from slackwater.run.cluster.packing import unpacked
from slackwater.run.cluster.parcels import HASHING, Parcel
from slackwater.run.cluster.past import Past, divide, pasts_of, read_past, succeed
from slackwater.run.cluster.scan import FAILURE, SCANS, move_in
from slackwater.run.cluster.stage import OUTPUT, REPORT
from slackwater.run.cluster.states import Logged, Logs, read, states_of, write
from slackwater.run.cluster.workers import Cluster, InProcess, Scans
from slackwater.run.input.intake import Seen
from slackwater.run.watermarks import SourceTime
from slackwater.storage.locate import delete_all
from slackwater.storage.location import Location

DRIVER = "driver"


@dataclass(frozen=True, slots=True)
class Computed:
    """An epoch: its end, the outputs that were collected, what was seen, and the parts of sinks."""

    hi: int
    outputs: dict[str, pl.DataFrame]
    seen: dict[str, Seen] = field(default_factory=dict)
    parts: dict[int, list[str]] = field(default_factory=dict)
    """The drafts that tasks wrote, by the place of their sink in the plan."""
    driver_bytes: int = 0
    """What the driver was given."""


class Placement(Protocol):
    """Computes epochs, and keeps the state in files."""

    @property
    def where(self) -> str:
        """Where it computes, in words."""

    @property
    def stages(self) -> Stages:
        """The graph in stages."""

    @property
    def sizes(self) -> dict[int, tuple[int, int]]:
        """The rows and bytes of each step's state."""

    @property
    def waiting(self) -> dict[int, int]:
        """How many elements of each move from beside the sources wait for their epoch."""

    def compute(self, number: int, lo: int, hi: int, frames: Mapping[str, pl.DataFrame]) -> Computed:
        """Compute an epoch from elements of the sources that are in this process."""

    def save(self, number: int) -> dict[str, Any]:
        """Write the state after an epoch; the facts from which a run resumes."""

    def forget_changes(self) -> None:
        """Where no state is written, its changes are not needed."""

    def resume(self, facts: Mapping[str, Any], now: int, backfilled: Mapping[str, Any] | None = None) -> None:
        """Resume from the facts of a placement of any kind.

        States that a backfill has are taken from it.
        """

    @property
    def in_sums(self) -> set[int]:
        """The steps whose elements may wait as partial sums."""

    def succeed(self, before: Placement, now: int) -> None:
        """Begin with the states of the placement before it in this run, between two epochs."""


class InDriver:
    """All stages in this process."""

    def __init__(self, graph: Graph, folder: Location | None = None, memory: int | None = None) -> None:
        self._machine = Machine(graph, memory=memory)
        self._states = all_states(self._machine.stages)
        self._folder = folder
        """Where states are written, if anywhere."""
        self._log: list[Logged] = []

    @property
    def where(self) -> str:
        return "in the driver"

    @property
    def stages(self) -> Stages:
        return self._machine.stages

    @property
    def sizes(self) -> dict[int, tuple[int, int]]:
        return self._machine.sizes

    @property
    def waiting(self) -> dict[int, int]:
        return self._machine.waiting_rows

    def compute(self, number: int, lo: int, hi: int, frames: Mapping[str, pl.DataFrame]) -> Computed:
        return Computed(hi, self._machine.epoch(frames, lo, hi, number))

    def save(self, number: int) -> dict[str, Any]:
        assert self._folder is not None
        self._log = write(self._folder, number, DRIVER, states_of(self._machine), self._log)
        logs = {DRIVER: [astuple(file) for file in self._log]}
        return {"place": DRIVER, "states": self._states, "logs": logs}

    def forget_changes(self) -> None:
        for state in states_of(self._machine).values():
            state.changes.clear()

    def resume(self, facts: Mapping[str, Any], now: int, backfilled: Mapping[str, Any] | None = None) -> None:
        assert self._folder is not None
        states = states_of(self._machine)
        if facts["place"] == DRIVER and facts["states"] == self._states:
            self._log = logs_of(facts)[DRIVER]
            read(self._folder, self._log, states, now)
        else:
            read_past(self._folder, pasts_of(facts, backfilled), self._machine.stages, states, now)

    @property
    def in_sums(self) -> set[int]:
        waiting = self._machine.waiting.items()
        return {move.node for move, state in waiting if move.sums_for is not None and state.rows}

    def succeed(self, before: Placement, now: int) -> None:
        """States are taken over in memory; the next epoch writes all of them."""
        assert isinstance(before, InDriver)
        succeed(self._machine, before._machine, now)


class InWorkers:
    """Stages in partitions; the states are in files that the tasks write."""

    def __init__(self, plan: Plan, folder: Location, partitions: int, cluster: Cluster | None = None) -> None:
        self._plan, self._cluster = plan, cluster or InProcess()
        self._folder, self.partitions = folder, partitions
        self._token = uuid.uuid4().hex
        self._bytes = pickle.dumps(plan)
        self._logs: Logs = {}
        self._reports: dict[str, dict[str, Any]] = {}
        make_folder(folder)

    @property
    def where(self) -> str:
        return f"in the workers, {self.partitions} partition{'s' * (self.partitions != 1)}"

    @property
    def stages(self) -> Stages:
        return self._plan.stages

    @property
    def sizes(self) -> dict[int, tuple[int, int]]:
        sizes: dict[int, tuple[int, int]] = {}
        for report in self._reports.values():
            for place, rows, size in report["sizes"]:
                before = sizes.get(place, (0, 0))
                sizes[place] = before[0] + rows, before[1] + size
        return sizes

    @property
    def waiting(self) -> dict[int, int]:
        counts: dict[int, list[int]] = {}
        for report in self._reports.values():
            for place, rows in report["waiting"]:
                counts.setdefault(place, []).append(rows)
        moves = self._plan.stages.moves
        # What moves to every partition waits in all of them.
        return {place: (max if moves[place].is_broadcast else sum)(rows) for place, rows in counts.items()}

    def compute(self, number: int, lo: int, hi: int, frames: Mapping[str, pl.DataFrame]) -> Computed:
        job = self._job(number, lo, hi)
        return self._computed(self._cluster.run(job, [], list(move_in(job, frames, -SCANS))))

    def scan(
        self,
        number: int,
        lo: int,
        times: Sequence[SourceTime],
        scans: Scans,
        hi: int | None = None,
        filtered: Collection[str] = (),
    ) -> Computed:
        """Compute an epoch from rows that scans read; its end, if not known, follows from what they see."""
        job = replace(self._job(number, lo, hi, tuple(times)), filtered=frozenset(filtered))
        return self._computed(self._cluster.run(job, scans, []))

    def _job(self, number: int, lo: int, hi: int | None, times: tuple[SourceTime, ...] = ()) -> Job:
        where = self._folder.uri
        return Job(
            self._bytes, self._token, where, number, self.partitions, lo, hi, times, packed_logs(self._logs)
        )  # fmt: skip

    def _computed(self, results: list[Parcel]) -> Computed:
        failures = [parcel for parcel in results if parcel.what == FAILURE]
        for failure in sorted(failures, key=lambda parcel: (parcel.place, parcel.sender)):
            raise pickle.loads(failure.content)
        reports = [json.loads(parcel.content) for parcel in results if parcel.what == REPORT]
        parts: dict[int, list[str]] = {}
        seen: dict[str, Seen] = {}
        for report in reports:
            self._logs[report["site"]] = [Logged(*file) for file in report["log"]]
            self._reports[report["site"]] = report
            for place, name in report["parts"]:
                parts.setdefault(place, []).append(name)
            seen |= {name: Seen.of(values) for name, values in report["seen"].items()}
        (hi,) = {report["hi"] for report in reports}
        size = sum(len(parcel.content) for parcel in results)
        return Computed(hi, self._outputs(results), seen, parts, size)

    def _outputs(self, results: Sequence[Parcel]) -> dict[str, pl.DataFrame]:
        graph = self._plan.stages.graph
        outputs: dict[str, pl.DataFrame] = {}
        for name in self._plan.collected:
            parts = [unpacked(parcel.content) for parcel in results if parcel.what == OUTPUT + name]
            outputs[name] = concatenated([*parts, empty(graph.nodes[graph.outputs[name]].schema)])
        return outputs

    def save(self, number: int) -> dict[str, Any]:
        logs = {site: [astuple(file) for file in log] for site, log in self._logs.items()}
        return {**self._identity, "logs": logs}

    def forget_changes(self) -> None:
        """Tasks have written the changes; files that the next epoch does not need are deleted."""
        needed = {file.name for log in self._logs.values() for file in log}
        with suppress(OSError):  # tried again after the next epoch
            delete_all(self._folder / name for name in self._folder.files() if name not in needed)

    @property
    def _identity(self) -> dict[str, Any]:
        layout = self._plan.stages.layout()
        return {
            "place": "workers", "hashing": HASHING, "partitions": self.partitions,
            "layout": json.loads(json.dumps(layout)), "states": all_states(self._plan.stages),
        }  # fmt: skip

    def resume(self, facts: Mapping[str, Any], now: int, backfilled: Mapping[str, Any] | None = None) -> None:
        if all(facts.get(key) == value for key, value in self._identity.items()):
            self._logs = logs_of(facts)
        else:
            self._logs = self._divided(pasts_of(facts, backfilled), now)

    @property
    def in_sums(self) -> set[int]:
        adds_up = self._plan.adds_up
        return {move.node for move in self._plan.stages.entries if adds_up and move.sums_for is not None}

    def succeed(self, before: Placement, now: int) -> None:
        assert isinstance(before, InWorkers)
        self.resume(before.save(-1), now)

    def _divided(self, pasts: Sequence[Past], now: int) -> Logs:
        """The states of other partitions, or of the driver, divided over these."""
        sites = list(product(range(len(self._plan.stages.stages)), range(self.partitions)))
        task = partial(divide, self._bytes, self._folder.uri, pasts, self.partitions, now)
        logs: Logs = {}
        for site, result in zip(sites, self._cluster.spread(task, sites), strict=True):
            if isinstance(result, SlackwaterError):
                raise result
            logs[site_of(*site)] = result
        return logs


def logs_of(facts: Mapping[str, Any]) -> Logs:
    return Past.of(facts).logs
