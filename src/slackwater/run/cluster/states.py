"""States in the workers: one log of files for each stage and partition, and a cache in memory.

    workers/
      000000012-1-0-5f1e1d4c.arrow     what changed in epoch 12 in stage 1, partition 0;
                                       the first of a log is a snapshot

A file is a sequence of frames with an index at its end; its checksum is in the log. A task that is retried
reads the files up to the epoch before, and writes a file of its own: the log names the file of the attempt
that succeeded.
"""

from __future__ import annotations

import io
import json
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

import polars as pl

from slackwater.kernels.execute import state_layout
from slackwater.kernels.state import State
from slackwater.physical.graph import Graph
from slackwater.physical.stages import Stages, Work
from slackwater.run.checkpoint.files import reading, write_state
from slackwater.run.cluster.frames import split
from slackwater.sinks.whole import checksum

_LEAST_SNAPSHOT = 4_000_000
_MOST_FILES = 50
"""A log starts over with a snapshot when its changes outgrow the state, or when it has many files."""


@dataclass(frozen=True, slots=True)
class Logged:
    """A file of a log."""

    name: str
    bytes: int
    crc: str

    @property
    def version(self) -> int:
        return int(self.name.split("-", 1)[0])


States = dict[int, State]
"""The states of a stage's steps in one partition, by their places in the graph."""


def file_prefix(version: int, stage: int, partition: int) -> str:
    """The beginning of a file's name."""
    return f"{version:09d}-{stage}-{partition}"


def state_files(folder: Path) -> set[str]:
    """The names of all files that workers wrote there, including drafts of killed ones."""
    name = "[0-9]" * 9 + "-*-*-*.arrow"
    return {path.name for pattern in (name, f".{name}.tmp") for path in folder.glob(pattern)}


def empty_states(graph: Graph, works: Iterable[Work]) -> States:
    layouts = {work.node: state_layout(graph.nodes[work.node]) for work in works}
    return {place: State(layout) for place, layout in layouts.items() if layout}


def read(folder: Path, log: Sequence[Logged], states: States, now: int, after: int = -1) -> None:
    """Bring states of version `after` to the end of the log."""
    for file in log:
        if file.version > after:
            with reading(folder / file.name, file.crc) as content:
                end = len(content) - 8
                pieces = json.loads(bytes(content[end - int.from_bytes(content[end:], "little") : end]))
                for place, name, replaced, start, stop in pieces:
                    states[place].restore(name, pl.read_ipc(io.BytesIO(content[start:stop])), replaced)
    for state in states.values():
        state.expire(now)


def write(folder: Path, about: str, states: States, log: Sequence[Logged]) -> list[Logged]:
    """Write the changes, or a snapshot where that is smaller; returns the new log."""
    since, whole = sum(file.bytes for file in log[1:]), sum(state.bytes for state in states.values())
    snapshot = not log or len(log) > _MOST_FILES or since > max(_LEAST_SNAPSHOT, 2 * whole)
    if not snapshot and not any(state.changes for state in states.values()):
        return list(log)
    name, content = f"{about}-{uuid.uuid4().hex[:8]}.arrow", _content(states, snapshot)
    size = write_state(folder / name, content)
    for state in states.values():
        state.changes.clear()
    return [*([] if snapshot else log), Logged(name, size, checksum(content))]


def _content(states: States, snapshot: bool) -> bytes:
    buffer = io.BytesIO()
    pieces: list[tuple[int, str, bool, int, int]] = []
    for place, state in states.items():
        changes = [(name, change.replaced, change.rows) for name, change in state.changes.items()]
        for name, replaced, rows in (
            [(name, True, [frame]) for name, frame in state.frames.items()] if snapshot else changes
        ):
            start = buffer.tell()
            pl.concat(rows, how="diagonal").write_ipc(buffer)
            pieces.append((place, name, replaced, start, buffer.tell()))
    listing = json.dumps(pieces).encode()
    buffer.write(listing)
    buffer.write(len(listing).to_bytes(8, "little"))
    return buffer.getvalue()


@dataclass(slots=True)
class Memory:
    """A cache of the states that a process has computed; entries may be missing at any time."""

    token: str = ""
    known: dict[tuple[int, int], tuple[int, States]] = field(default_factory=dict)

    def recall(self, token: str, stage: int, partition: int, version: int) -> tuple[int, States] | None:
        """States of that version or an earlier one, as copies that may be changed."""
        if token != self.token:
            self.token, self.known = token, {}
        cached = self.known.get((stage, partition))
        if cached is None or cached[0] > version:
            return None
        return cached[0], {place: state.copy() for place, state in cached[1].items()}

    def keep(self, token: str, stage: int, partition: int, version: int, states: States) -> None:
        if token == self.token:
            self.known[stage, partition] = version, states


Logs = list[list[list[Logged]]]
"""By stage and partition."""


def scatter(stages: Stages, whole: Mapping[int, State], folder: Path, version: int, partitions: int) -> Logs:
    """States of one process, split over partitions: each log begins with a file of its share."""
    logs: Logs = []
    for number, stage in enumerate(stages.stages):
        parts = [empty_states(stages.graph, stage.works) for _ in range(partitions)]
        for work in stage.works:
            state = whole.get(work.node)
            for name, frame in (state.frames if state else {}).items():
                shares = split(frame, work.key_of(name), partitions)
                for at, part in enumerate(parts):
                    part[work.node].restore(name, shares.get(at, frame.clear()), True)
        names = [file_prefix(version, number, at) for at in range(partitions)]
        logs.append([write(folder, name, part, []) for name, part in zip(names, parts, strict=True)])
    return logs


def gather(graph: Graph, logs: Logs, folder: Path, now: int) -> States:
    """The states of all partitions, combined."""
    states = {
        place: State(layout) for place, node in enumerate(graph.nodes) if (layout := state_layout(node))
    }
    frames: dict[tuple[int, str], list[pl.DataFrame]] = {}
    for log in chain.from_iterable(logs):
        part = {place: State(state.layout) for place, state in states.items()}
        read(folder, log, part, now)
        for place, state in part.items():
            for name, frame in state.frames.items():
                frames.setdefault((place, name), []).append(frame)
    for (place, name), parts in frames.items():
        states[place].replace(name, pl.concat(parts, how="diagonal"))
    return states
