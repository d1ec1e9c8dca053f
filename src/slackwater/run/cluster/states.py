"""States in files: a log of changes for each site, and a cache in memory.

    state/
      000000012-1-0-5f1e1d4c.arrow     what changed in epoch 12 at the site 1-0, which is stage 1 in
                                       partition 0; the first of a log is a snapshot

A site is where states are computed together: a stage in a partition, or the driver. A file is a sequence of
frames with an index at its end; its checksum is in the log. A task that is retried reads the files up to the
epoch before, and writes a file of its own: the log names the file of the attempt that succeeded.
"""

from __future__ import annotations

import io
import json
import uuid
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from slackwater.kernels.machine import Machine
from slackwater.kernels.state import State
from slackwater.physical.stages.plan import Move, Stages
from slackwater.run.checkpoint.files import reading, write_state
from slackwater.run.cluster.names import Beginning, beginnings, names_of, replicated
from slackwater.run.cluster.parcels import split
from slackwater.storage.location import Location
from slackwater.storage.whole import checksum

_LEAST_SNAPSHOT = 4_000_000
_MOST_FILES = 50
"""A log starts over with a snapshot when its changes outgrow the state, or when it has many files."""
_MOST_BYTES = 1 << 28
"""How much state a process remembers of sites other than the last one."""


@dataclass(frozen=True, slots=True)
class Logged:
    """A file of a log."""

    name: str
    bytes: int
    crc: str

    @property
    def version(self) -> int:
        return int(self.name.split("-", 1)[0])


Log = list[Logged]
Logs = dict[str, Log]
"""By site."""
States = dict[str, State]
"""The states of a site, by names that follow from the graph."""
Share = Callable[[str, str, pl.DataFrame], pl.DataFrame]
"""The part that a site gets of a frame, of the names of a state and of its frame."""


@dataclass(frozen=True, slots=True)
class Past:
    """What another placement left: its logs, the names of its states, and how they are placed."""

    logs: Logs
    states: Sequence[str]
    layout: Sequence[Sequence[Any]] = ()

    @classmethod
    def of(cls, facts: Mapping[str, Any]) -> Past:
        """From what a manifest says of it."""
        logs = {site: [Logged(*file) for file in log] for site, log in facts["logs"].items()}
        return cls(logs, facts["states"], facts.get("layout", ()))

    @property
    def same_frames(self) -> set[tuple[str, str]]:
        """The frames of states that are the same in all its partitions."""
        return replicated(self.states, self.layout)


def file_prefix(version: int, site: str) -> str:
    """The beginning of a file's name."""
    return f"{version:09d}-{site}"


def states_of(machine: Machine) -> States:
    """The states of a machine's steps, and of the elements that wait for them."""
    names = names_of(machine.stages)
    steps = {names[place]: state for place, state in machine.states.items()}
    return steps | {names[move]: state for move, state in machine.waiting.items()}


def adopt(machine: Machine, states: Mapping[str, State]) -> None:
    """Replace states of a machine, by their names in `states_of`."""
    places = {name: at for at, name in names_of(machine.stages).items()}
    for name, state in states.items():
        at = places[name]
        if isinstance(at, Move):
            machine.waiting[at] = state
        else:
            machine.states[at] = state


def share_of(
    stages: Stages, partition: int, partitions: int, state: str, name: str, frame: pl.DataFrame
) -> pl.DataFrame:
    """The rows of a frame of a state that belong to a partition."""
    at = next(at for at, of in names_of(stages).items() if of == state)
    if isinstance(at, Move):
        if at.is_broadcast:
            return frame
        key = at.key
    else:
        works = {work.node: work for stage in stages.stages for work in stage.works}
        key = works[at].key_of(name)
        if key is None:
            return frame
    return split(frame, key, partitions).get(partition, frame.clear())


def read(folder: Location, log: Sequence[Logged], states: States, now: int, after: int = -1) -> None:
    """Bring states of version `after` to the end of the log."""
    for file in log:
        if file.version > after:
            with reading(folder / file.name, file.crc) as content:
                end = len(content) - 8
                pieces = json.loads(bytes(content[end - int.from_bytes(content[end:], "little") : end]))
                for state, name, replaced, start, stop in pieces:
                    if state in states:
                        frame = pl.read_ipc(io.BytesIO(content[start:stop]))
                        states[state].restore(name, frame, replaced)
    for state in states.values():
        state.expire(now)


def write(folder: Location, version: int, site: str, states: States, log: Sequence[Logged]) -> Log:
    """Write the changes, or a snapshot where that is smaller; returns the new log."""
    since, whole = sum(file.bytes for file in log[1:]), sum(state.bytes for state in states.values())
    snapshot = not log or len(log) > _MOST_FILES or since > max(_LEAST_SNAPSHOT, 2 * whole)
    # Where there were rows before, a snapshot without rows has to say so.
    if not log and not any(state.rows for state in states.values()):
        return []
    if not snapshot and not any(state.changes for state in states.values()):
        return list(log)
    name, content = f"{file_prefix(version, site)}-{uuid.uuid4().hex[:8]}.arrow", _content(states, snapshot)
    size = write_state(folder / name, content)
    for state in states.values():
        state.changes.clear()
    return [*([] if snapshot else log), Logged(name, size, checksum(content))]


def _content(states: States, snapshot: bool) -> bytes:
    buffer = io.BytesIO()
    pieces: list[tuple[str, str, bool, int, int]] = []
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


def _whole(state: str, name: str, frame: pl.DataFrame) -> pl.DataFrame:
    return frame


def read_past(
    folder: Location, pasts: Sequence[Past], stages: Stages, states: States, now: int, share: Share = _whole
) -> None:
    """Fill empty states with those that other placements left; each with that of the first that has it."""
    filled: set[str] = set()
    for past in pasts:
        begin = {name: old for name, old in beginnings(stages, past.states).items() if name not in filled}
        _read_all(folder, past.logs.values(), states, now, begin, past.same_frames, share)
        filled |= begin.keys()


def _read_all(
    folder: Location,
    logs: Iterable[Sequence[Logged]],
    states: States,
    now: int,
    begin: Mapping[str, Beginning],
    same: Collection[tuple[str, str]],
    share: Share,
) -> None:
    """Fill empty states with those of all sites, or with a share of each frame; one site after the other.

    `begin` says which of the old states each begins with. The `same` frames, of old states, are equal in all
    sites that have them: they are read once.
    """
    frames: dict[tuple[str, str], list[pl.DataFrame]] = {}
    sources = {name: begin[name] for name in states if name in begin}
    read_before: set[tuple[str, str]] = set()
    for log in logs:
        part = {source.state: State(source.layout) for source in sources.values()}
        read(folder, log, part, now)
        of_site = {name: dict(state.frames) for name, state in part.items()}
        for state, name in read_before:
            of_site[state].pop(name, None)
        for place, source in sources.items():
            for name, frame in source.frames(of_site[source.state], now).items():
                frames.setdefault((place, name), []).append(share(place, name, frame))
        read_before |= {(state, name) for state, name in same if name in of_site.get(state, ())}
    for (place, name), parts in frames.items():
        states[place].replace(name, pl.concat(parts, how="diagonal"))


@dataclass(slots=True)
class Memory:
    """A cache of the machines that a process has run; entries may be missing at any time."""

    known: OrderedDict[tuple[str, str], tuple[int, States]] = field(default_factory=OrderedDict)

    def recall(self, token: str, site: str, version: int) -> tuple[int, Mapping[str, State]] | None:
        """States of that version or an earlier one, as copies that may be changed."""
        cached = self.known.get((token, site))
        if cached is None or cached[0] > version:
            return None
        return cached[0], {name: state.copy() for name, state in cached[1].items()}

    def keep(self, token: str, site: str, version: int, states: States) -> None:
        """Remember states, and forget those that were used least recently if they are too many."""
        self.known[token, site] = version, states
        self.known.move_to_end((token, site))
        sizes = {
            key: sum(state.bytes for state in states_.values()) for key, (_, states_) in self.known.items()
        }
        total = sum(sizes.values()) - sizes[token, site]
        for key in list(self.known)[:-1]:
            if total > _MOST_BYTES:
                total -= sizes[key]
                del self.known[key]


def _bytes_of(states: States) -> int:
    return sum(state.bytes for state in states.values())
