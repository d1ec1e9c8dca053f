"""Locations on this machine, and on what is mounted there."""

from __future__ import annotations

import contextlib
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from slackwater.storage.location import Content, Location
from slackwater.storage.whole import write_whole


@dataclass(frozen=True, slots=True)
class Local(Location):
    """A file or folder of this machine."""

    path: Path

    def __str__(self) -> str:
        return str(self.path)

    @property
    def name(self) -> str:
        return self.path.name

    @property
    def uri(self) -> str:
        return str(self.path.absolute())

    @property
    def is_exclusive(self) -> bool:
        return True

    def __truediv__(self, name: str) -> Local:
        return Local(self.path / name)

    def read(self) -> bytes:
        return self.path.read_bytes()

    def write(self, content: Content, mark: str = "", *, is_new: bool = False) -> int:
        return write_whole(self.path, content, mark, is_new=is_new)

    def exists(self) -> bool:
        return self.path.exists()

    def size(self) -> int:
        return self.path.stat().st_size

    def modified(self) -> float:
        """Opened, because network filesystems may cache an old date."""
        try:
            with open(self.path, "rb") as file:
                return os.fstat(file.fileno()).st_mtime
        except FileNotFoundError:
            return 0.0

    def names(self) -> list[str]:
        with _missing_is_empty():
            return sorted(path.name for path in self.path.iterdir())
        return []

    def files(self) -> list[str]:
        with _missing_is_empty():
            return sorted(path.name for path in self.path.iterdir() if path.is_file())
        return []

    def make(self) -> None:
        self.path.mkdir(parents=True, exist_ok=True)

    def delete(self) -> None:
        self.path.unlink(missing_ok=True)

    def delete_all(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)


def _missing_is_empty() -> contextlib.suppress:
    return contextlib.suppress(FileNotFoundError, NotADirectoryError)
