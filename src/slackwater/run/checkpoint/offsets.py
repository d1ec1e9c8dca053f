"""Spark's own log: which rows make up a batch, written before the batch is computed.

checkpoint/spark/
  offsets/12          up to where batch 12 reads; written before we get it
  commits/12          that it is done; written after our manifest
  sources/0/12        the files that the first source found for it
"""

from __future__ import annotations

import contextlib
import json
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from slackwater.base.diagnostic import Diagnostic, EngineError
from slackwater.base.places import is_remote
from slackwater.run.checkpoint import problems
from slackwater.run.checkpoint.files import numbered
from slackwater.run.input.misfits import file_name
from slackwater.run.problems import GONE_PATH
from slackwater.storage.local import Local
from slackwater.storage.location import Location
from slackwater.storage.whole import broken_checkpoint

_HADOOP = b"crc\0"
"""How a file of checksums begins; then the bytes per checksum, and the checksums."""


def compare(log: Path, epochs: Location, done: int) -> None:
    """Refuse a checkpoint in which Spark's log and our manifests disagree; `done` is our last epoch, or -1.

        offsets      … 11  12  13      written first: a crash has interrupted 13
        manifests    … 11  12
        commits      … 11              written last: 12 is missing after a crash, or there

    Spark resumes after its own last commit. With a manifest missing, the rows of its batch would be skipped,
    and committed answers taken for drafts. Without Spark's log, batches would be counted anew.
    """
    offsets, commits = (_last(log / name) for name in ("offsets", "commits"))
    if commits > done or offsets > done + 1:
        raise EngineError(missing_manifest(epochs, done, max(commits, offsets - 1)))
    if commits < done - 1 or offsets < done:
        raise EngineError(missing_batches(log, done, min(commits + 1, offsets)))
    for path in _read_again(log, done):
        _content(path)


def _read_again(log: Path, done: int) -> Iterator[Path]:
    """The files of Spark's log from which it resumes."""
    yield log / "metadata"
    for name in ("offsets", "commits"):
        yield from (log / name / str(number) for number in numbered(Local(log / name)) if number >= done - 1)
    for folder in (log / "sources").glob("[0-9]*"):
        yield from (path for path in folder.glob("[0-9]*") if path.name.removesuffix(".compact").isdecimal())


def _last(folder: Path) -> int:
    return max(numbered(Local(folder)), default=-1)


def prepare_log(log: Path, following: int) -> None:
    """Prepare Spark's log for a restart.

    Spark leaves drafts when it is killed or the disk is full, and refuses to start where it finds one of its
    first batch. Files of a batch to be repeated that no longer exist would be skipped without an error.
    """
    for draft in log.rglob(".*.tmp*"):
        with contextlib.suppress(OSError):
            draft.unlink()
    last = _last(log / "offsets")
    if last >= following:
        for path in files_of(log, last):
            if not is_remote(path) and not Path(path).exists():
                raise EngineError(GONE_PATH.at(path=path))


@dataclass(slots=True)
class FilesRead:
    """The files that each source has read, up to a batch."""

    log: Path
    files: dict[int, set[str]] = field(default_factory=dict)
    modified: dict[str, int] = field(default_factory=dict)
    """When each file was modified before Spark read it, in milliseconds."""
    _ends: dict[int, int] = field(default_factory=dict)

    def is_cut(self, batch: int) -> bool:
        """Whether Spark has logged what the batch reads."""
        return (self.log / "offsets" / str(batch)).exists()

    def upto(self, batch: int) -> list[set[str]]:
        """By source of Spark's, its files in this batch and those before it."""
        for source, end in _ends(self.log / "offsets" / str(batch)).items():
            files = self.files.setdefault(source, set())
            folder = self.log / "sources" / str(source)
            names = {path.name.removesuffix(".compact") for path in folder.glob("[0-9]*")}
            for number in (int(name) for name in names if name.isdecimal()):
                if self._ends.get(source, -1) < number <= end:
                    entries = _lines(folder / str(number))
                    files.update(file_name(entry["path"]) for entry in entries)
                    self.modified |= {file_name(entry["path"]): entry["timestamp"] for entry in entries}
            self._ends[source] = end
        return list(self.files.values())


def files_of(log: Path, batch: int) -> Iterator[str]:
    """All files that a batch reads; none if Spark's log does not have the format that is known here."""
    files: list[str] = []
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        for source, (first, last) in entries_of(log, batch).items():
            for number in range(first, last + 1):
                entries = _lines(log / "sources" / str(source) / str(number))
                new = [file_name(entry["path"]) for entry in entries if entry["batchId"] == number]
                if not new:
                    return
                files += new
        yield from files


def entries_of(log: Path, batch: int) -> dict[int, tuple[int, int]]:
    """By source of Spark's, the first and the last entry of its own log that the batch reads."""
    ends, starts = _ends(log / "offsets" / str(batch)), _ends(log / "offsets" / str(batch - 1))
    return {source: (starts.get(source, -1) + 1, end) for source, end in ends.items()}


def files_by_entry(log: Path, batch: int, source: int) -> dict[int, dict[str, int]]:
    """The files of a source of Spark's in the batches up to this one, by entry, with their dates."""
    end = _ends(log / "offsets" / str(batch)).get(source, -1)
    folder = log / "sources" / str(source)
    entries: dict[int, dict[str, int]] = {}
    for path in folder.glob("[0-9]*"):
        for entry in _lines(folder / path.name.removesuffix(".compact")):
            if entry["batchId"] <= end:
                entries.setdefault(entry["batchId"], {})[file_name(entry["path"])] = entry["timestamp"]
    if missing := set(range(end + 1)) - entries.keys():
        raise EngineError(broken_checkpoint(folder / str(min(missing))))
    return dict(sorted(entries.items()))


def _ends(path: Path) -> dict[int, int]:
    """The last entry of its own log that each source of files has read, by its place."""
    _, *sources = _lines(path) or [{}]
    return {
        at: source["logOffset"]
        for at, source in enumerate(sources)
        if isinstance(source, dict) and "logOffset" in source
    }


def _lines(path: Path) -> list[Any]:
    """The entries of a file of the log, compacted or not; none where there is no file."""
    existing = next(
        (candidate for candidate in (path, path.with_name(f"{path.name}.compact")) if candidate.exists()),
        None,
    )
    lines = [] if existing is None else _content(existing).decode().splitlines()[1:]
    return [{} if line == "-" else json.loads(line) for line in lines]


def _content(path: Path) -> bytes:
    """The content of a file of the log, empty where there is none; EngineError where it is damaged."""
    content = path.read_bytes() if path.is_file() else b""
    try:
        _check(content, path.with_name(f".{path.name}.crc"))
    except (ValueError, struct.error) as error:
        raise EngineError(broken_checkpoint(path)) from error
    return content


def _check(content: bytes, seal: Path) -> None:
    """Compare with the checksums that Hadoop has put beside the file; ValueError where they differ."""
    if not seal.is_file():
        return
    checksums = seal.read_bytes()
    magic, size, *sums = struct.unpack(f">4sI{max(len(checksums) // 4 - 2, 0)}I", checksums)
    pieces = [content[at : at + size] for at in range(0, len(content), size or 1)]
    if magic != _HADOOP or sums != [zlib.crc32(piece) for piece in pieces]:
        raise ValueError("its checksum does not fit")


def missing_manifest(epochs: Location, done: int, committed: int) -> Diagnostic:
    newest = f"the newest manifest is that of epoch {done}" if done >= 0 else "there is no manifest"
    return problems.MISSING_MANIFEST.at(
        where=str(epochs / f"{committed:09d}.json"), committed=committed, newest=newest
    )


def missing_batches(log: object, done: int, known: int) -> Diagnostic:
    newest = f"Spark's log ends with batch {known}" if known >= 0 else "Spark's log is empty"
    return problems.MISSING_BATCHES.at(where=str(log), done=done, newest=newest)
