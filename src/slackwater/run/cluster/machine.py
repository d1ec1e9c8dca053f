"""A machine in partitions: one job of stages for each epoch, the states in files that the workers write.

    driver ─► stage 0 ══ by key ══► stage 1 ══ … ──► driver
              └ state 0/p           └ state 1/p

Steps that keep nothing and need nothing run beside the sources, here, and each partition is sent its
share. Who takes a job through its stages is a function: `workers.on_spark`, or `in_process`.
"""

from __future__ import annotations

import contextlib
import json
import pickle
import uuid
from collections.abc import Callable, Mapping
from dataclasses import astuple
from pathlib import Path
from typing import Any

import polars as pl

from slackwater.kernels.execute import state_layout
from slackwater.kernels.frames import concatenated, empty, frame_schema
from slackwater.kernels.machine import Machine
from slackwater.kernels.state import State
from slackwater.physical.graph import Graph
from slackwater.physical.stages import BESIDE_SOURCES, Stages, cut
from slackwater.physical.steps import Read
from slackwater.run.checkpoint.files import make_folder
from slackwater.run.cluster.frames import HASHING, Parcel, unpacked
from slackwater.run.cluster.stage import FAILURE, OUTPUT, REPORT, Job, run_steps, sent, work
from slackwater.run.cluster.states import Logged, Logs, gathered, scattered, written_in

Runner = Callable[[Job, list[Parcel]], list[Parcel]]
"""Takes what the driver sends through all stages of a job; what comes out at the end."""

FACT = "workers"
FOLDER = "workers"


class WorkerMachine(Machine):
    """Runs a graph in partitions. Its answers are those of `Machine`, and each can go on from the other.

    `states` are empty here: what the steps keep is in files. Only after a store has filled them, from what
    a `Machine` left, do they hold anything, until `resume` has split it over the partitions.
    """

    def __init__(self, graph: Graph, folder: Path, partitions: int, run: Runner) -> None:
        super().__init__(graph)
        self.stages = cut(graph)
        self.partitions = partitions
        self._sizes: dict[tuple[int, int], list[list[int]]] = {}
        self._folder, self._run = folder, run
        self._token = uuid.uuid4().hex
        self._plan = pickle.dumps(
            Stages(Graph(graph.nodes, graph.outputs), self.stages.beside, self.stages.stages)
        )
        self._version = -1
        self._logs: Logs = [[[] for _ in range(partitions)] for _ in self.stages.stages]
        self._former: set[str] = set()
        self._doomed: set[str] = set()
        make_folder(folder)

    @property
    def sizes(self) -> list[tuple[int, int]]:
        """What each step keeps in all partitions, as they last reported it."""
        found = [(0, 0) for _ in self.graph.nodes]
        for place, rows, size in (each for report in self._sizes.values() for each in report):
            found[place] = (found[place][0] + rows, found[place][1] + size)
        return found

    def epoch(self, inputs: Mapping[str, pl.DataFrame], lo: int, hi: int) -> dict[str, pl.DataFrame]:
        self._clean()
        version = self._version + 1
        job = Job(self._plan, self._token, str(self._folder), version, self.partitions, lo, hi, self._logs)
        beside = self._beside(job, inputs)
        parcels = [
            parcel for move in self.stages.beside.gives
            for parcel in sent(beside[move.node], move, BESIDE_SOURCES, self.partitions)
        ]  # fmt: skip
        found = sorted(self._run(job, parcels) if self.stages.stages else [], key=lambda each: each.order)
        for failure in (each for each in found if each.what == FAILURE):
            kind, diagnostics = pickle.loads(failure.content)
            raise kind(diagnostics)
        self._note(version, found)
        return self._outputs(beside, found)

    def _beside(self, job: Job, inputs: Mapping[str, pl.DataFrame]) -> dict[int, pl.DataFrame]:
        """What the steps beside the sources give."""
        read: dict[int, pl.DataFrame] = {}
        for place, node in enumerate(self.graph.nodes):
            if isinstance(node.step, Read):
                given = inputs.get(node.step.name)
                columns = list(frame_schema(node.schema))
                read[place] = empty(node.schema) if given is None else given.select(columns)
        return run_steps(job, self.stages.beside, {}, {}, BESIDE_SOURCES, read)

    def _outputs(self, beside: Mapping[int, pl.DataFrame], found: list[Parcel]) -> dict[str, pl.DataFrame]:
        outputs: dict[str, pl.DataFrame] = {}
        for name, place in self.graph.outputs.items():
            parts = [unpacked(each.content) for each in found if each.what == OUTPUT + name]
            nothing = empty(self.graph.nodes[place].schema)
            outputs[name] = beside[place] if place in beside else concatenated([*parts, nothing])
        return outputs

    def _note(self, version: int, found: list[Parcel]) -> None:
        before = _names(self._logs)
        for report in (each for each in found if each.what == REPORT):
            said = json.loads(report.content)
            self._logs[said["stage"]][report.sender] = [Logged(*each) for each in said["log"]]
            self._sizes[said["stage"], report.sender] = said["sizes"]
        self._version = version
        self._former, self._doomed = before, self._former - before - _names(self._logs)

    def _clean(self) -> None:
        """Delete what neither the last epoch nor the one before it needs."""
        for name in self._doomed:
            with contextlib.suppress(OSError):
                (self._folder / name).unlink()
        self._doomed = set()

    @property
    def fact(self) -> dict[str, Any]:
        """What must be known to go on from here."""
        logs = [[[astuple(file) for file in log] for log in stage] for stage in self._logs]
        return {**self._identity, "version": self._version, "logs": logs}

    @property
    def _identity(self) -> dict[str, Any]:
        return {"hashing": HASHING, "partitions": self.partitions, "layout": self.stages.layout()}

    def resume(self, fact: Mapping[str, Any] | None, now: int) -> None:
        """Go on from what was committed: by workers, with their partitions or others, or by a driver."""
        if fact is None:
            self._scatter(dict(enumerate(self.states)), 0)
        elif all(fact[key] == value for key, value in self._identity.items()):
            self._version, self._logs = fact["version"], _logs(fact)
        else:
            self._scatter(gathered(self.graph, _logs(fact), self._folder, now), fact["version"] + 1)
        self.states = [State(state_layout(node)) for node in self.graph.nodes]
        self._former = set()
        alive = _names(self._logs) | (_names(_logs(fact)) if fact else set())
        self._doomed = written_in(self._folder) - alive

    def _scatter(self, states: Mapping[int, State], version: int) -> None:
        self._version = version
        self._logs = scattered(self.stages, states, self._folder, version, self.partitions)


def _logs(fact: Mapping[str, Any]) -> Logs:
    return [[[Logged(*file) for file in log] for log in stage] for stage in fact["logs"]]


def _names(logs: Logs) -> set[str]:
    return {file.name for stage in logs for log in stage for file in log}


def facts_of(machine: Machine) -> dict[str, Any]:
    """What a manifest must say of where a machine's states are, beside those it has itself."""
    return {FACT: machine.fact} if isinstance(machine, WorkerMachine) else {}


def resumed(machine: Machine, folder: Path, facts: Mapping[str, Any], now: int) -> None:
    """Give a machine, filled from a store, what workers have left, or the workers what a driver has."""
    fact = facts.get(FACT)
    if isinstance(machine, WorkerMachine):
        machine.resume(fact, now)
    elif fact is not None:
        for place, state in gathered(machine.graph, _logs(fact), folder / FOLDER, now).items():
            machine.states[place] = state


def in_process(job: Job, parcels: list[Parcel]) -> list[Parcel]:
    """Run a job here, stage after stage and partition after partition, as the workers would."""
    for number in range(len(job.stages.stages)):
        sent_to = [[each for each in parcels if each.target == at] for at in range(job.partitions)]
        parcels = [found for at, given in enumerate(sent_to) for found in work(job, number, at, given)]
    return parcels
