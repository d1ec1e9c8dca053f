"""Spark's log on other filesystems: Spark writes it on this machine, and each epoch copies what is new.

    this machine    offsets/12   commits/11   sources/0/12   metadata
    checkpoint      spark/000000012-8.json    these files, with their names and dates; by owner 8

Spark writes what batch 12 reads before it is computed. The copy is written before the manifest, which lists
it: so the rows of a committed epoch are known. After `_MOST_COPIES` copies, the next one has everything that
Spark resumes from, and the earlier ones are deleted.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from slackwater.base.diagnostic import EngineError
from slackwater.run.checkpoint.files import (
    MANIFEST,
    SPARK,
    listed,
    read_json,
    unwritable_checkpoint,
    write_json,
)
from slackwater.storage.location import Location
from slackwater.storage.whole import broken_checkpoint

_MOST_COPIES = 20
_NAMED_BY_BATCH = ("offsets", "commits")
File = tuple[int, str]
"""The date of a file, in nanoseconds, and its text."""


@dataclass(slots=True)
class Mirror:
    """The copies of Spark's log in a checkpoint."""

    checkpoint: Location
    log: Path
    """Where Spark writes it."""
    term: int
    names: list[str] = field(default_factory=list)
    """The copies from which the log can be restored, in order."""
    _copied: set[str] = field(default_factory=set)

    @property
    def folder(self) -> Location:
        return self.checkpoint / SPARK

    def restore(self, names: list[str]) -> None:
        """Make the log what it was when the last of these copies was written."""
        files: dict[str, File] = {}
        for name in names:
            files |= self._read(self.folder / name)
        try:
            shutil.rmtree(self.log, ignore_errors=True)
            for path, file in files.items():
                _write(self.log / path, file)
        except OSError as error:
            raise EngineError(unwritable_checkpoint(self.log, error)) from error
        self.names, self._copied = list(names), set(files)

    def copy(self, number: int) -> list[str]:
        """Copy what is new before the epoch is committed; returns the copies that the log consists of."""
        is_whole = not self.names or len(self.names) >= _MOST_COPIES
        paths = {path for path in self._paths() if is_whole or path not in self._copied}
        if is_whole:
            paths = {path for path in paths if _is_needed(path, number)}
        if paths or is_whole:
            name = f"{number:09d}-{self.term}.json"
            write_json(self.folder / name, self._contents(paths))
            self.names = [name] if is_whole else [*self.names, name]
            self._copied |= paths
        return list(self.names)

    def all(self) -> list[Location]:
        """The copies of this term and earlier ones."""
        matches = [match for name in listed(self.folder) if (match := MANIFEST.fullmatch(name))]
        return [self.folder / match[0] for match in matches if int(match[2] or 0) <= self.term]

    @property
    def newest(self) -> int:
        """The last epoch that was to be committed; -1 where there was none."""
        return max((int(path.name[:9]) for path in self.all()), default=-1)

    def _paths(self) -> list[str]:
        """The files of the log, without drafts and checksums."""
        paths = [Path(folder) / name for folder, _, names in os.walk(self.log) for name in names]
        return [path.relative_to(self.log).as_posix() for path in paths if not path.name.startswith(".")]

    def _contents(self, paths: set[str]) -> dict[str, File]:
        contents: dict[str, File] = {}
        for path in sorted(paths):
            with contextlib.suppress(FileNotFoundError):  # Spark deletes old files meanwhile
                date = (self.log / path).stat().st_mtime_ns
                contents[path] = (date, (self.log / path).read_text(encoding="utf-8"))
        return contents

    def _read(self, path: Location) -> dict[str, Any]:
        content = read_json(path)
        if not isinstance(content, dict):
            raise EngineError(broken_checkpoint(path))
        return content


def _is_needed(path: str, number: int) -> bool:
    """Whether Spark needs the file to resume after the epoch: of old batches it does not read the offsets."""
    folder, _, name = path.rpartition("/")
    return folder not in _NAMED_BY_BATCH or not name.isdecimal() or int(name) >= number - 1


def _write(path: Path, file: File) -> None:
    date, text = file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    os.utime(path, ns=(date, date))
