"""One stage in one partition: parcels in, parcels out. Independent of Spark; workers and tests call it.

parcels ─► frames of what moved ─► steps, with their states ─► parcels for later stages
                                        │                   ─► outputs
                                        └─ version i of the state is written, and reported
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import astuple, dataclass

import polars as pl

from slackwater.base.diagnostic import SlackwaterError
from slackwater.kernels.execute import execute
from slackwater.kernels.frames import concatenated, empty
from slackwater.kernels.state import State
from slackwater.physical.stages import Move, Stage, Stages
from slackwater.run.cluster.frames import Parcel, packed, split, unpacked
from slackwater.run.cluster.states import Logged, Logs, Memory, States, empty_states, file_prefix, read, write
from slackwater.storage.locate import location

OUTPUT, REPORT, FAILURE = "=", "report", "failure"

_memory = Memory()
_plans: dict[str, Stages] = {}


@dataclass(frozen=True, slots=True)
class Job:
    """An epoch, as the workers get it."""

    plan: bytes
    token: str
    """One start of a query: what a process cached under another token is dropped."""
    folder: str
    version: int
    partitions: int
    lo: int
    hi: int
    logs: Logs

    @property
    def stages(self) -> Stages:
        if self.token not in _plans:
            _plans.clear()
            _plans[self.token] = pickle.loads(self.plan)
        return _plans[self.token]


def run_stage(job: Job, number: int, partition: int, parcels: Iterable[Parcel]) -> Iterator[Parcel]:
    """Run a stage in a partition: the parcels it produces, and those it passes on."""
    arrived = sorted(parcels, key=lambda parcel: parcel.order)
    stage = job.stages.stages[number]
    is_last = number == len(job.stages.stages) - 1
    for parcel in arrived:
        if is_last and not isinstance(parcel.what, Move):
            yield parcel
        elif not isinstance(parcel.what, Move) or parcel.what in stage.passes:
            yield Parcel(partition, parcel.sender, parcel.what, parcel.content)
    if any(parcel.what == FAILURE for parcel in arrived):
        return
    try:
        yield from _compute(job, number, stage, partition, arrived)
    except SlackwaterError as error:
        yield Parcel(partition, partition, FAILURE, pickle.dumps((type(error), error.diagnostics)))


def _compute(job: Job, number: int, stage: Stage, partition: int, arrived: list[Parcel]) -> Iterator[Parcel]:
    graph = job.stages.graph
    log = job.logs[number][partition]
    states = _states(job, number, stage, partition, log)
    moved = _receive(job, stage, arrived)
    frames = run_steps(job, stage, states, moved, partition)
    folder = location(job.folder)
    if states:
        log = write(folder, file_prefix(job.version, number, partition), states, log)
        _memory.keep(job.token, number, partition, job.version, states)
    yield _report(number, partition, log, states)
    for move in stage.gives:
        yield from send(frames[move.node], move, partition, job.partitions)
    for name, place in graph.outputs.items():
        if place in frames and frames[place].height:
            yield Parcel(partition, partition, OUTPUT + name, packed(frames[place]))


def run_steps(
    job: Job,
    stage: Stage,
    states: States,
    moved: Mapping[Move, pl.DataFrame],
    partition: int,
    known: Mapping[int, pl.DataFrame] | None = None,
) -> dict[int, pl.DataFrame]:
    """The elements of each step of the stage in the epoch; `known` are already computed."""
    nodes = job.stages.graph.nodes
    frames: dict[int, pl.DataFrame] = dict(known or {})
    for work in stage.works:
        node = nodes[work.node]
        if work.node in frames:
            continue
        if work.is_single and partition:
            frames[work.node] = empty(node.schema)
            continue
        inputs = [frames[i] if isinstance(i, int) else moved[i] for i in work.inputs]
        state = states.get(work.node) or State({})
        frames[work.node] = execute(node.step, node, state, inputs, job.lo, job.hi)
        state.expire(job.hi)
    return frames


def send(frame: pl.DataFrame, move: Move, partition: int, partitions: int) -> Iterator[Parcel]:
    """The parcels of a frame: from a partition, or from beside the sources, if that is -1."""
    if move.key is None and partition >= 0:
        shares = {partition: frame} if frame.height else {}
    else:
        shares = split(frame, move.key, partitions)
    for at, share in shares.items():
        yield Parcel(at, partition, move, packed(share))


def _receive(job: Job, stage: Stage, arrived: list[Parcel]) -> dict[Move, pl.DataFrame]:
    frames: dict[Move, list[pl.DataFrame]] = {
        move: [empty(job.stages.graph.nodes[move.node].schema)] for move in stage.takes
    }
    for parcel in arrived:
        if isinstance(parcel.what, Move) and parcel.what in frames:
            frames[parcel.what].append(unpacked(parcel.content))
    return {move: concatenated(parts) for move, parts in frames.items()}


def _states(job: Job, number: int, stage: Stage, partition: int, log: list[Logged]) -> States:
    """The states of the version before: from memory, brought up to date from the files."""
    remembered = _memory.recall(job.token, number, partition, job.version - 1)
    version, states = remembered or (-1, empty_states(job.stages.graph, stage.works))
    if states:
        read(location(job.folder), log, states, job.lo, version)
    return states


def _report(number: int, partition: int, log: list[Logged], states: States) -> Parcel:
    sizes = [[place, state.rows, state.bytes] for place, state in states.items()]
    content = {"stage": number, "log": [astuple(file) for file in log], "sizes": sizes}
    return Parcel(partition, partition, REPORT, json.dumps(content).encode())
