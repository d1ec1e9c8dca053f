"""What Spark writes down of its own: which rows make up a batch, before the batch is computed.

checkpoint/spark/
  offsets/12          up to where batch 12 reads; written before it is ours
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
from slackwater.run.checkpoint.files import EPOCHS, SPARK, numbered
from slackwater.run.input.misfits import file_name
from slackwater.run.problems import GONE_PATH
from slackwater.sinks.whole import broken_checkpoint

_HADOOP = b"crc\0"
"""How a file of checksums begins: then the bytes that each is of, and the checksums."""


def compare(folder: Path, done: int) -> None:
    """Refuse a checkpoint in which Spark's log and our manifests do not fit; `done` is our last epoch, or -1.

        offsets      … 11  12  13      written first: 13 is what a crash has cut off
        manifests    … 11  12
        commits      … 11              written last: 12 is missing after a crash, or there

    Spark goes on after its own last commit. With a manifest missing, the rows of its batch would be skipped,
    and committed answers taken for drafts. Without Spark's log, batches would be counted anew.
    """
    offsets, commits = (max(numbered(folder / SPARK / each), default=-1) for each in ("offsets", "commits"))
    if commits > done or offsets > done + 1:
        raise EngineError(missing_manifest(folder / EPOCHS, done, max(commits, offsets - 1)))
    if commits < done - 1 or offsets < done:
        raise EngineError(missing_batches(folder / SPARK, done, min(commits + 1, offsets)))
    for path in _read_again(folder / SPARK, done):
        _content(path)


def _read_again(log: Path, done: int) -> Iterator[Path]:
    """The files of Spark's log that it goes on from."""
    yield log / "metadata"
    for each in ("offsets", "commits"):
        yield from (log / each / str(number) for number in numbered(log / each) if number >= done - 1)
    for folder in (log / "sources").glob("[0-9]*"):
        yield from (path for path in folder.glob("[0-9]*") if path.name.removesuffix(".compact").isdecimal())


def prepare_log(folder: Path, following: int) -> None:
    """Let Spark start from what it wrote.

    Spark leaves drafts behind when it is killed or the disk is full, and refuses to start where it finds
    one of its first batch. Files of a batch that it has to read again, and that are gone, it would leave out
    without an error.
    """
    for draft in (folder / SPARK).rglob(".*.tmp*"):
        with contextlib.suppress(OSError):
            draft.unlink()
    last = max(numbered(folder / SPARK / "offsets"), default=-1)
    if last >= following:
        for path in files_of(folder / SPARK, last):
            if not is_remote(path) and not Path(path).exists():
                raise EngineError(GONE_PATH.at(path=path))


@dataclass(slots=True)
class FilesRead:
    """The files that each source has read, up to a batch."""

    log: Path
    files: dict[int, set[str]] = field(default_factory=dict)
    found: dict[str, int] = field(default_factory=dict)
    """When each file had been modified as Spark found it, in milliseconds."""
    _ends: dict[int, int] = field(default_factory=dict)

    def is_cut(self, batch: int) -> bool:
        """Whether Spark has written down what the batch reads."""
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
                    self.found |= {file_name(entry["path"]): entry["timestamp"] for entry in entries}
            self._ends[source] = end
        return list(self.files.values())


def files_of(log: Path, batch: int) -> Iterator[str]:
    """The files that a batch reads, as far as Spark's log is read here as it is meant."""
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        ends, starts = _ends(log / "offsets" / str(batch)), _ends(log / "offsets" / str(batch - 1))
        for source, end in ends.items():
            for number in range(starts.get(source, -1) + 1, end + 1):
                for entry in _lines(log / "sources" / str(source) / str(number)):
                    if entry["batchId"] == number:
                        yield file_name(entry["path"])


def _ends(path: Path) -> dict[int, int]:
    """Up to which entry of its own log each source of files is read, by its place."""
    _, *sources = _lines(path) or [{}]
    return {
        at: each["logOffset"]
        for at, each in enumerate(sources)
        if isinstance(each, dict) and "logOffset" in each
    }


def _lines(path: Path) -> list[Any]:
    """What stands in a file of the log after its version, if it is there, compacted or not."""
    found = next((each for each in (path, path.with_name(f"{path.name}.compact")) if each.exists()), None)
    lines = [] if found is None else _content(found).decode().splitlines()[1:]
    return [{} if line == "-" else json.loads(line) for line in lines]


def _content(path: Path) -> bytes:
    """What stands in a file of the log, empty where there is none; EngineError where it is damaged."""
    content = path.read_bytes() if path.is_file() else b""
    try:
        _check(content, path.with_name(f".{path.name}.crc"))
    except (ValueError, struct.error) as error:
        raise EngineError(broken_checkpoint(path)) from error
    return content


def _check(content: bytes, seal: Path) -> None:
    """Compare with the checksums that Hadoop has put beside the file; ValueError where they do not fit."""
    if not seal.is_file():
        return
    found = seal.read_bytes()
    magic, size, *sums = struct.unpack(f">4sI{max(len(found) // 4 - 2, 0)}I", found)
    pieces = [content[at : at + size] for at in range(0, len(content), size or 1)]
    if magic != _HADOOP or sums != [zlib.crc32(piece) for piece in pieces]:
        raise ValueError("its checksum does not fit")


def missing_manifest(epochs: Path, done: int, committed: int) -> Diagnostic:
    found = f"the newest manifest is that of epoch {done}" if done >= 0 else "there is no manifest"
    return problems.MISSING_MANIFEST.at(
        where=str(epochs / f"{committed:09d}.json"), committed=committed, found=found
    )


def missing_batches(log: Path, done: int, known: int) -> Diagnostic:
    found = f"Spark's log ends with batch {known}" if known >= 0 else "Spark's log is empty"
    return problems.MISSING_BATCHES.at(where=str(log), done=done, found=found)
