"""A machine in partitions: one job of stages for each epoch, the states in files that the workers write.

    driver ─► stage 0 ══ by key ══► stage 1 ══ … ──► driver
              └ state 0/p           └ state 1/p

Steps without state and key run beside the sources, in the driver, and each partition gets its share. A
function runs the stages of a job: `workers.on_spark`, or `in_process`.
"""

from __future__ import annotations

import contextlib
import json
import pickle
import uuid
from collections.abc import Callable, Mapping
from dataclasses import astuple
from itertools import chain
from typing import Any

import polars as pl

from slackwater.base.places import Place
from slackwater.kernels.execute import state_layout
from slackwater.kernels.frames import concatenated, empty, frame_schema
from slackwater.kernels.machine import Machine
from slackwater.kernels.state import State
from slackwater.physical.graph import Graph
from slackwater.physical.stages import BESIDE_SOURCES, Stages, cut
from slackwater.physical.steps import Read
from slackwater.run.checkpoint.files import make_folder
from slackwater.run.cluster.frames import HASHING, Parcel, unpacked
from slackwater.run.cluster.stage import FAILURE, OUTPUT, REPORT, Job, run_stage, run_steps, send
from slackwater.run.cluster.states import Logged, Logs, gather, scatter, state_files
from slackwater.storage.locate import location
from slackwater.storage.location import Location

Runner = Callable[[Job, list[Parcel]], list[Parcel]]
"""Runs all stages of a job on the parcels of the driver; returns those of the last stage."""

FACT = "workers"
FOLDER = "workers"


class WorkerMachine(Machine):
    """Runs a graph in partitions. Its answers are those of `Machine`, and each can resume from the other.

    `states` are empty here: the states of the steps are in files. They hold rows only after a store has
    filled them from a `Machine`, until `resume` has split them over the partitions.
    """

    def __init__(self, graph: Graph, place: Place | Location, partitions: int, run: Runner) -> None:
        super().__init__(graph)
        self.stages = cut(graph)
        self.partitions = partitions
        self._sizes: dict[tuple[int, int], list[list[int]]] = {}
        self._folder, self._run = location(place), run
        self._token = uuid.uuid4().hex
        self._plan = pickle.dumps(
            Stages(Graph(graph.nodes, graph.outputs), self.stages.beside, self.stages.stages)
        )
        self._version = -1
        self._logs: Logs = [[[] for _ in range(partitions)] for _ in self.stages.stages]
        self._previous: set[str] = set()
        self._unused: set[str] = set()
        make_folder(self._folder)

    @property
    def sizes(self) -> list[tuple[int, int]]:
        """The rows and bytes of each step's state in all partitions, as last reported."""
        sizes = [(0, 0) for _ in self.graph.nodes]
        for place, rows, size in chain.from_iterable(self._sizes.values()):
            sizes[place] = (sizes[place][0] + rows, sizes[place][1] + size)
        return sizes

    def epoch(self, inputs: Mapping[str, pl.DataFrame], lo: int, hi: int) -> dict[str, pl.DataFrame]:
        self._clean()
        version = self._version + 1
        job = Job(self._plan, self._token, self._folder.uri, version, self.partitions, lo, hi, self._logs)
        beside = self._beside(job, inputs)
        parcels = [
            parcel for move in self.stages.beside.gives
            for parcel in send(beside[move.node], move, BESIDE_SOURCES, self.partitions)
        ]  # fmt: skip
        results = sorted(
            self._run(job, parcels) if self.stages.stages else [], key=lambda parcel: parcel.order
        )
        for failure in (parcel for parcel in results if parcel.what == FAILURE):
            kind, diagnostics = pickle.loads(failure.content)
            raise kind(diagnostics)
        self._note(version, results)
        return self._outputs(beside, results)

    def _beside(self, job: Job, inputs: Mapping[str, pl.DataFrame]) -> dict[int, pl.DataFrame]:
        """The elements of the steps beside the sources."""
        read: dict[int, pl.DataFrame] = {}
        for place, node in enumerate(self.graph.nodes):
            if isinstance(node.step, Read):
                frame = inputs.get(node.step.name)
                columns = list(frame_schema(node.schema))
                read[place] = empty(node.schema) if frame is None else frame.select(columns)
        return run_steps(job, self.stages.beside, {}, {}, BESIDE_SOURCES, read)

    def _outputs(self, beside: Mapping[int, pl.DataFrame], results: list[Parcel]) -> dict[str, pl.DataFrame]:
        outputs: dict[str, pl.DataFrame] = {}
        for name, place in self.graph.outputs.items():
            parts = [unpacked(parcel.content) for parcel in results if parcel.what == OUTPUT + name]
            nothing = empty(self.graph.nodes[place].schema)
            outputs[name] = beside[place] if place in beside else concatenated([*parts, nothing])
        return outputs

    def _note(self, version: int, results: list[Parcel]) -> None:
        before = _names(self._logs)
        for report in (parcel for parcel in results if parcel.what == REPORT):
            content = json.loads(report.content)
            self._logs[content["stage"]][report.sender] = [Logged(*file) for file in content["log"]]
            self._sizes[content["stage"], report.sender] = content["sizes"]
        self._version = version
        self._previous, self._unused = before, self._previous - before - _names(self._logs)

    def _clean(self) -> None:
        """Delete files that neither the last epoch nor the one before it needs."""
        for name in self._unused:
            with contextlib.suppress(OSError):
                (self._folder / name).delete()
        self._unused = set()

    @property
    def fact(self) -> dict[str, Any]:
        """The facts from which a run resumes."""
        logs = [[[astuple(file) for file in log] for log in stage] for stage in self._logs]
        return {**self._identity, "version": self._version, "logs": logs}

    @property
    def _identity(self) -> dict[str, Any]:
        return {"hashing": HASHING, "partitions": self.partitions, "layout": self.stages.layout()}

    def resume(self, fact: Mapping[str, Any] | None, now: int) -> None:
        """Resume from a commit: of workers, with the same partitions or others, or of a driver."""
        if fact is None:
            self._scatter(dict(enumerate(self.states)), 0)
        elif all(fact[key] == value for key, value in self._identity.items()):
            self._version, self._logs = fact["version"], _logs(fact)
        else:
            self._scatter(gather(self.graph, _logs(fact), self._folder, now), fact["version"] + 1)
        self.states = [State(state_layout(node)) for node in self.graph.nodes]
        self._previous = set()
        alive = _names(self._logs) | (_names(_logs(fact)) if fact else set())
        self._unused = state_files(self._folder) - alive

    def _scatter(self, states: Mapping[int, State], version: int) -> None:
        self._version = version
        self._logs = scatter(self.stages, states, self._folder, version, self.partitions)


def _logs(fact: Mapping[str, Any]) -> Logs:
    return [[[Logged(*file) for file in log] for log in stage] for stage in fact["logs"]]


def _names(logs: Logs) -> set[str]:
    return {file.name for stage in logs for log in stage for file in log}


def facts_of(machine: Machine) -> dict[str, Any]:
    """The facts for a manifest on states that are not in the machine itself."""
    return {FACT: machine.fact} if isinstance(machine, WorkerMachine) else {}


def resume_states(machine: Machine, folder: Location, facts: Mapping[str, Any], now: int) -> None:
    """Move states between driver and workers, after a machine is filled from a store."""
    fact = facts.get(FACT)
    if isinstance(machine, WorkerMachine):
        machine.resume(fact, now)
    elif fact is not None:
        for place, state in gather(machine.graph, _logs(fact), folder / FOLDER, now).items():
            machine.states[place] = state


def in_process(job: Job, parcels: list[Parcel]) -> list[Parcel]:
    """Run a job in this process, stage after stage and partition after partition."""
    for number in range(len(job.stages.stages)):
        shares = [[parcel for parcel in parcels if parcel.target == at] for at in range(job.partitions)]
        parcels = [result for at, share in enumerate(shares) for result in run_stage(job, number, at, share)]
    return parcels
