"""Copies of state files on this host, for a checkpoint that is elsewhere.

    $SPARK_LOCAL_DIRS/slackwater-states-1000/
      000000012-1-0-5f1e1d4c.arrow-9b2f10ac     a state file, with its checksum in its name

A task that reads or writes a state file of a remote checkpoint leaves a copy here. A Python worker that has
lost its memory, or gets a partition of another worker of the host, maps the copy into its memory instead of
reading the store; the pages are shared by all workers of the host. A copy may be missing or damaged at any
time: it is compared with the checksum in the log, and the store has the truth.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import stat
import uuid
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from slackwater.storage.local import Local
from slackwater.storage.location import Content, Location
from slackwater.storage.mapped import local_folder
from slackwater.storage.whole import checksum

MOST_BYTES = 2 << 30
LIMIT = "SLACKWATER_CACHE_BYTES"
"""The variable of the environment that sets another limit; 0 is no cache."""
_PUTS = 16
"""The folder is looked through after so many files, or that part of the limit."""


@dataclass(slots=True)
class HostCache:
    """A folder of copies, for all processes of a user on this host."""

    folder: Path
    most_bytes: int = MOST_BYTES
    _puts: int = field(default=0, init=False)
    _bytes: int = field(default=0, init=False)
    """Put since the folder was last looked through."""

    def get(self, name: str, crc: str) -> memoryview | None:
        """The content of a state file, mapped into memory, if there is a copy with that checksum."""
        path = self._path(name, crc)
        try:
            with path.open("rb") as file:
                content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError):  # none, or one without bytes
            return None
        with contextlib.suppress(OSError):
            if checksum(memoryview(content)) != crc:
                path.unlink()
                return None
            os.utime(path)
        return memoryview(content)

    def put(self, name: str, crc: str, content: Content) -> None:
        """Keep a copy, unless there is no place for it; no process sees a part of a file."""
        if len(content) > self.most_bytes // 2:
            return
        draft = self.folder / f".{uuid.uuid4().hex}.tmp"
        try:
            self._make()
            draft.write_bytes(content)
            draft.replace(self._path(name, crc))
        except OSError:
            with contextlib.suppress(OSError):
                draft.unlink(missing_ok=True)
            return
        self._puts, self._bytes = self._puts + 1, self._bytes + len(content)
        if self._puts >= _PUTS or self._bytes > self.most_bytes // _PUTS:
            self.shrink()

    def shrink(self) -> None:
        """Delete the copies that were used least recently, as far as there are too many."""
        self._puts = self._bytes = 0
        files: list[tuple[int, int, str]] = []
        with contextlib.suppress(OSError), os.scandir(self.folder) as entries:
            for entry in entries:
                with contextlib.suppress(OSError):  # deleted by another process
                    files.append((entry.stat().st_mtime_ns, entry.stat().st_size, entry.path))
        total = sum(size for _, size, _ in files)
        for _, size, path in sorted(files):
            if total <= self.most_bytes:
                break
            total -= size
            with contextlib.suppress(OSError):
                os.unlink(path)

    def _path(self, name: str, crc: str) -> Path:
        return self.folder / f"{name}-{crc}"

    def _make(self) -> None:
        """Create the folder, or raise OSError where it is another user's: states have the data of queries."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = self.folder.lstat()
        if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid():
            raise PermissionError(f"{self.folder} is not ours")


def cache_of(folder: Location) -> HostCache | None:
    """The cache for states in that folder; a folder of this machine needs none."""
    return None if isinstance(folder, Local) else _host_cache(*_settings())


def _settings() -> tuple[str, str]:
    return local_folder(), os.environ.get(LIMIT, "")


@lru_cache(maxsize=8)
def _host_cache(place: str, limit: str) -> HostCache | None:
    most = int(limit) if limit.isdecimal() else MOST_BYTES
    return HostCache(Path(place) / f"slackwater-states-{os.getuid()}", most) if most else None
