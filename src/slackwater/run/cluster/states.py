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
import mmap
import tempfile
import uuid
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import IO, NamedTuple

import polars as pl
import pyarrow as pa

from slackwater.kernels.machine import Machine
from slackwater.kernels.state import State
from slackwater.physical.stages.plan import Move
from slackwater.run.checkpoint.files import reading, write_state
from slackwater.run.cluster.host_cache import HostCache
from slackwater.run.cluster.names import names_of
from slackwater.storage.location import Location
from slackwater.storage.mapped import local_folder
from slackwater.storage.whole import checksum

_LEAST_SNAPSHOT = 4_000_000
_MOST_FILES = 50
"""A log starts over with a snapshot when its changes outgrow the state, or when it has many files."""
_MOST_BYTES = 1 << 28
"""How much state a process remembers of sites other than the last one."""
_ALIGNED = 64
"""Frames begin at multiples of this in a file: Arrow's arrays can then be used where they are."""


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


def read(
    folder: Location,
    log: Sequence[Logged],
    states: States,
    now: int,
    after: int = -1,
    cache: HostCache | None = None,
) -> None:
    """Bring states of version `after` to the end of the log."""
    for file in log:
        if file.version > after:
            with _opened(folder, file, cache) as content:
                end = len(content) - 8
                pieces = json.loads(bytes(content[end - int.from_bytes(content[end:], "little") : end]))
                for state, name, replaced, start, stop in pieces:
                    if state in states:
                        states[state].restore(name, frame_of(content[start:stop]), replaced)
    for state in states.values():
        state.expire(now)


@contextmanager
def _opened(folder: Location, file: Logged, cache: HostCache | None) -> Iterator[memoryview]:
    """The content of a file of a log: of its copy on this host, or from the store, and then with a copy."""
    copy = cache.get(file.name, file.crc) if cache is not None else None
    if copy is not None:
        yield copy
        return
    with reading(folder / file.name, file.crc) as content:
        if cache is not None:
            cache.put(file.name, file.crc, content)
        yield content


def frame_of(content: memoryview) -> pl.DataFrame:
    """The frame of an Arrow file. It uses the content where it is, without a copy, as far as PyArrow can."""
    try:
        frame = pl.from_arrow(pa.ipc.open_file(pa.py_buffer(content)).read_all())
    except pa.ArrowNotImplementedError:  # a type of Polars only, such as Int128
        return pl.read_ipc(io.BytesIO(content))
    assert isinstance(frame, pl.DataFrame)
    return frame


def write(
    folder: Location,
    version: int,
    site: str,
    states: States,
    log: Sequence[Logged],
    cache: HostCache | None = None,
) -> Log:
    """Write the changes, or a snapshot where that is smaller; returns the new log."""
    since, whole = sum(file.bytes for file in log[1:]), sum(state.bytes for state in states.values())
    snapshot = not log or len(log) > _MOST_FILES or since > max(_LEAST_SNAPSHOT, 2 * whole)
    # Where there were rows before, a snapshot without rows has to say so.
    if not log and not any(state.rows for state in states.values()):
        return []
    if not snapshot and not any(state.changes for state in states.values()):
        return list(log)
    name = f"{file_prefix(version, site)}-{uuid.uuid4().hex[:8]}.arrow"
    with _draft(snapshot and any(state.is_spilled for state in states.values())) as buffer:
        content = _content(buffer, states, snapshot)
        size, crc = write_state(folder / name, content), checksum(content)
        if cache is not None:
            cache.put(name, crc, content)
    for state in states.values():
        state.changes.clear()
    return [*([] if snapshot else log), Logged(name, size, crc)]


def _draft(is_large: bool) -> IO[bytes]:
    """Where a file is written before its checksum is known: in memory, or on disk, as such a state."""
    return tempfile.TemporaryFile(dir=local_folder()) if is_large else io.BytesIO()


def _content(buffer: IO[bytes], states: States, snapshot: bool) -> bytes | memoryview:
    pieces: list[tuple[str, str, bool, int, int]] = []
    for place, state in states.items():
        changes = [(name, change.replaced, change.rows) for name, change in state.changes.items()]
        for name, replaced, rows in (
            [(name, True, [frame]) for name, frame in state.frames.items()] if snapshot else changes
        ):
            buffer.write(bytes(-buffer.tell() % _ALIGNED))
            start = buffer.tell()
            _write_frame(rows[0] if len(rows) == 1 else pl.concat(rows, how="diagonal"), buffer)
            pieces.append((place, name, replaced, start, buffer.tell()))
    listing = json.dumps(pieces).encode()
    buffer.write(listing)
    buffer.write(len(listing).to_bytes(8, "little"))
    if isinstance(buffer, io.BytesIO):
        return buffer.getvalue()
    buffer.flush()
    return memoryview(mmap.mmap(buffer.fileno(), 0, access=mmap.ACCESS_READ))


def _write_frame(frame: pl.DataFrame, buffer: IO[bytes]) -> None:
    """Write an Arrow file. PyArrow does it in this thread, in a tenth of the time for a few rows."""
    try:
        table = frame.to_arrow()
    except pa.ArrowInvalid:  # a type of Polars only, such as Int128
        frame.write_ipc(buffer)
        return
    with pa.ipc.new_file(buffer, table.schema) as writer:
        writer.write_table(table)


class Cached(NamedTuple):
    """The states of a partition after an epoch, and their bytes in memory."""

    version: int
    states: States
    size: int


@dataclass(slots=True)
class StateCache:
    """A cache of the states that a process has computed; entries may be evicted at any time."""

    known: OrderedDict[tuple[str, str], Cached] = field(default_factory=OrderedDict)
    size: int = 0
    """Of all entries, in bytes."""

    def get(self, token: str, site: str, version: int) -> tuple[int, Mapping[str, State]] | None:
        """States of that version or an earlier one, as copies that may be changed."""
        cached = self.known.get((token, site))
        if cached is None or cached.version > version:
            return None
        return cached.version, {name: state.copy() for name, state in cached.states.items()}

    def put(self, token: str, site: str, version: int, states: States) -> None:
        """Remember states, and forget those that were used least recently if they are too many."""
        size = sum(state.memory for state in states.values())
        before = self.known.pop((token, site), None)
        self.size += size - (0 if before is None else before.size)
        self.known[token, site] = Cached(version, states, size)
        while self.size - size > _MOST_BYTES:
            _, oldest = self.known.popitem(last=False)
            self.size -= oldest.size

    def clear(self) -> None:
        """Evict all entries."""
        self.known.clear()
        self.size = 0
