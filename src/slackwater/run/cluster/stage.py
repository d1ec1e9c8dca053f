"""A stage task: one stage in one partition. Independent of Spark; workers and tests call it.

parcels ─► frames of what moved ─► steps, with their states ─► parcels for later stages
   │                                     │                  ─► outputs: to the driver, or part files
   └ the end of the epoch                └─ the change of the state is written to a file, and reported
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import astuple

import polars as pl

from slackwater.base.diagnostic import SlackwaterError
from slackwater.kernels.machine import Machine, together
from slackwater.kernels.partial import outgoing
from slackwater.physical.stages.plan import Move
from slackwater.run.cluster.host_cache import cache_of
from slackwater.run.cluster.job import Job, site_of
from slackwater.run.cluster.packing import packed, unpacked
from slackwater.run.cluster.parcels import MOST_ROWS, Parcel
from slackwater.run.cluster.scan import FAILURE, SEEN, failure, send, what_moves
from slackwater.run.cluster.states import Log, StateCache, adopt, read, states_of, write
from slackwater.run.input.intake import Seen
from slackwater.storage.locate import location

OUTPUT, REPORT, END = "output ", "report", "end"

_memory = StateCache()


def run_stage(job: Job, number: int, partition: int, parcels: Iterable[Parcel]) -> Iterator[Parcel]:
    """Run a stage in a partition: the parcels it produces, and those it passes on."""
    arrived = list(parcels)
    stages = job.plan.stages
    waiting = {move for move in stages.entries if stages.first_takers[move] == number}
    # What waits here is passed on by `_compute`, without the elements after the epoch.
    passed = {what_moves(job, move) for move in stages.stages[number].passes if move not in waiting}
    for parcel in arrived:
        if parcel.what in passed or not _is_for_stage(parcel):
            yield Parcel(partition, parcel.sender, parcel.place, parcel.what, parcel.content)
    if any(parcel.what == FAILURE for parcel in arrived):
        return
    try:
        yield from _compute(job, number, partition, arrived)
    except SlackwaterError as error:
        yield failure(partition, partition, number, error)


def _is_for_stage(parcel: Parcel) -> bool:
    return parcel.what.startswith("move ") or parcel.what in (SEEN, END)


def _compute(job: Job, number: int, partition: int, arrived: list[Parcel]) -> Iterator[Parcel]:
    stage, site = job.plan.stages.stages[number], site_of(number, partition)
    hi, seen = _end(job, arrived)
    machine = Machine(job.plan.stages, [number], partition, job.plan.memory)
    log = job.log(site)
    _restore(job, machine, site, log)
    frames = machine.run(_received(job, machine, arrived), job.lo, hi, job.number)
    states = states_of(machine)
    if states:
        folder = location(job.folder)
        log = write(folder, job.number, site, states, log, cache_of(folder))
        _memory.put(job.token, site, job.number, states)
    if number + 1 < len(job.plan.stages.stages):
        yield Parcel(partition, partition, 0, END, str(hi).encode())
    place = 0
    for move, frame in outgoing(job.plan.stages, stage.gives, frames):
        for parcel in send(job, frame, move, partition, place, partition):
            place += 1
            yield parcel
    for move in stage.passes:
        if move in machine.arrived and move in machine.waiting:
            for rows in machine.arrived[move].iter_slices(MOST_ROWS):
                yield Parcel(partition, partition, place, what_moves(job, move), packed(rows))
                place += 1
    parts: list[list[object]] = []
    for name, frame in machine.outputs(frames).items():
        parts += _parts(job, name, partition, frame)
        yield from _outputs(job, name, partition, frame)
    yield _report(machine, number, partition, site, log, hi, seen, parts)


def _end(job: Job, arrived: Iterable[Parcel]) -> tuple[int, dict[str, Seen]]:
    """The end of the epoch: as an earlier stage says, or from what all scans have seen."""
    seen: dict[str, Seen] = {}
    for parcel in arrived:
        if parcel.what == END:
            return int(parcel.content), {}
        if parcel.what == SEEN:
            for name, values in json.loads(parcel.content).items():
                seen[name] = seen.get(name, Seen()) + Seen.of(values)
    return job.end(seen), seen


def _restore(job: Job, machine: Machine, site: str, log: Log) -> None:
    """The states of the epoch before: from memory, brought up to date from the files."""
    version, states = _memory.get(job.token, site, job.number - 1) or (-1, {})
    adopt(machine, states)
    folder = location(job.folder)
    read(folder, log, states_of(machine), job.lo, version, cache_of(folder))


def _received(job: Job, machine: Machine, arrived: Iterable[Parcel]) -> dict[Move, pl.DataFrame]:
    frames: dict[str, list[pl.DataFrame]] = {what_moves(job, move): [] for move in machine.takes}
    for parcel in arrived:
        if parcel.what in frames:
            frames[parcel.what].append(unpacked(parcel.content))
    return {
        move: together(move, [*frames[what_moves(job, move)], machine.empty(move)]) for move in machine.takes
    }


def _outputs(job: Job, name: str, partition: int, frame: pl.DataFrame) -> Iterator[Parcel]:
    if name in job.plan.collected:
        for place, rows in enumerate(frame.iter_slices(MOST_ROWS)):
            if rows.height:
                yield Parcel(partition, partition, place, OUTPUT + name, packed(rows))


def _parts(job: Job, name: str, partition: int, frame: pl.DataFrame) -> list[list[object]]:
    """Write the parts of sinks that tasks write: the place of each sink, and the name of the file."""
    drafts: list[list[object]] = []
    for place, (output, sink) in enumerate(job.plan.parts):
        if output == name and (path := sink.write_part(job.number, partition, frame)):
            drafts.append([place, path])
    return drafts


def _report(
    machine: Machine,
    number: int,
    partition: int,
    site: str,
    log: Log,
    hi: int,
    seen: Mapping[str, Seen],
    parts: list[list[object]],
) -> Parcel:
    content = {
        "site": site,
        "log": [astuple(file) for file in log],
        "sizes": [[place, *size] for place, size in machine.sizes.items()],
        "waiting": list(machine.waiting_rows.items()),
        "hi": hi,
        "parts": parts,
        "seen": {name: astuple(one) for name, one in seen.items()} if not (number or partition) else {},
    }
    return Parcel(partition, partition, 0, REPORT, json.dumps(content).encode())
