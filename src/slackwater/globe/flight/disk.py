"""Logs of epochs and small facts on disk.

    data/logs/source-photons      frames: edge, size, checksum, items; the first says where the log begins
    data/facts/profile            whole files

A frame that was not written to its end is dropped at the next start: it was never acknowledged.
"""

from __future__ import annotations

import fcntl
import os
import struct
import zlib
from bisect import bisect_right
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from slackwater.base.diagnostic import EngineError
from slackwater.base.filenames import file_name_of
from slackwater.globe.compute.computation import START
from slackwater.globe.flight import problems
from slackwater.globe.protocol.messages import Epoch
from slackwater.globe.protocol.store import OVERHEAD, Log
from slackwater.storage.whole import write_whole

_HEAD = struct.Struct(">8sq")
_FRAME = struct.Struct(">qII")
_MAGIC = b"epochs 1"
_WASTE = 4 << 20
"""So many bytes of dropped epochs are borne before a log is written anew."""


class DiskLog:
    """A log in one file, which grows; with `syncs`, epochs survive a power failure, too."""

    def __init__(self, path: Path, *, syncs: bool) -> None:
        self._path, self._syncs = path, syncs
        self.low = self.position = START
        self.size = 0
        self._edges: list[int] = []
        self._places: list[tuple[int, int]] = []
        """Where the items of each epoch are, and how many bytes."""
        self._end = 0
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = open(path, "r+b" if path.exists() else "w+b", buffering=0)  # noqa: SIM115
        self._read()

    def _read(self) -> None:
        head = self._file.read(_HEAD.size)
        if len(head) < _HEAD.size:
            self.reset(START)
            return
        magic, self.low = _HEAD.unpack(head)
        if magic != _MAGIC:
            self._file.close()
            raise EngineError(problems.BROKEN_LOG.at(file=self._path.name))
        self.position, self._end = self.low, _HEAD.size
        whole = os.fstat(self._file.fileno()).st_size
        while (frame := self._file.read(_FRAME.size)) and len(frame) == _FRAME.size:
            edge, size, check = _FRAME.unpack(frame)
            if self._end + _FRAME.size + size > whole:
                break
            items = self._file.read(size)
            if zlib.crc32(items) != check or edge <= self.position:
                break
            self._add(edge, size)
        self._file.truncate(self._end)

    def _add(self, edge: int, size: int) -> None:
        self._edges.append(edge)
        self._places.append((self._end + _FRAME.size, size))
        self._end += _FRAME.size + size
        self.size += size + OVERHEAD
        self.position = edge

    def append(self, epochs: Sequence[Epoch]) -> None:
        if not epochs:
            return
        frames = [
            part
            for epoch in epochs
            for part in (
                _FRAME.pack(epoch.edge, len(epoch.items), zlib.crc32(epoch.items)), epoch.items
            )
        ]  # fmt: skip
        os.pwrite(self._file.fileno(), b"".join(frames), self._end)
        if self._syncs:
            os.fdatasync(self._file.fileno())
        for epoch in epochs:
            self._add(epoch.edge, len(epoch.items))

    def after(self, edge: int, most: int) -> list[Epoch]:
        chosen: list[Epoch] = []
        for place in range(bisect_right(self._edges, edge), len(self._edges)):
            at, size = self._places[place]
            most -= size + OVERHEAD
            if most < 0 and chosen:
                break
            chosen.append(Epoch(self._edges[place], os.pread(self._file.fileno(), size, at)))
        return chosen

    def trim(self, edge: int) -> None:
        place = bisect_right(self._edges, edge)
        if edge <= self.low or not place:
            self.low = max(self.low, min(edge, self.position))
            return
        self.low = min(edge, self.position)
        self.size -= sum(size + OVERHEAD for _, size in self._places[:place])
        del self._edges[:place], self._places[:place]
        begin = self._places[0][0] - _FRAME.size if self._places else self._end
        if begin - _HEAD.size > _WASTE:
            self._rewrite(self.after(self.low, 1 << 62))

    def reset(self, edge: int) -> None:
        self.low = edge
        self._rewrite([])

    def _rewrite(self, epochs: list[Epoch]) -> None:
        """Begin a new file, which takes the place of this one once it is whole."""
        low = self.low
        write_whole(self._path, _HEAD.pack(_MAGIC, low))
        self._file.close()
        self._file = open(self._path, "r+b", buffering=0)  # noqa: SIM115
        self._edges, self._places, self._end, self.size = [], [], _HEAD.size, 0
        self.position = low
        self.append(epochs)

    def close(self) -> None:
        self._file.close()


class DiskStore:
    """A folder with logs and facts, for one peer at a time."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._logs: dict[str, DiskLog] = {}
        (folder / "facts").mkdir(parents=True, exist_ok=True)
        self._lock = open(folder / "lock", "w")  # noqa: SIM115
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._lock.close()
            raise EngineError(problems.DATA_IN_USE.at(folder=folder)) from None

    def log(self, key: str) -> Log:
        if key not in self._logs:
            # What is published or delivered here exists nowhere else; the rest can be sent again.
            self._logs[key] = DiskLog(self._path(key), syncs=key.startswith(("source ", "result ")))
        return self._logs[key]

    def _path(self, key: str) -> Path:
        return self._folder / "logs" / file_name_of(key)

    def drop(self, key: str) -> None:
        if key in self._logs:
            self._logs.pop(key).close()
        self._path(key).unlink(missing_ok=True)

    def load(self, name: str) -> bytes | None:
        with suppress(FileNotFoundError):
            return (self._folder / "facts" / file_name_of(name)).read_bytes()
        return None

    def save(self, name: str, content: bytes) -> None:
        write_whole(self._folder / "facts" / file_name_of(name), content)

    def close(self) -> None:
        for log in self._logs.values():
            log.close()
        self._logs.clear()
        self._lock.close()
