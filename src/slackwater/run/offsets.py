"""What Spark writes down of its own: which rows make up a batch, before the batch is computed.

checkpoint/spark/
  offsets/12          up to where batch 12 reads; written before it is ours
  commits/12          that it is done; written after our manifest
  sources/0/12        the files that the first source found for it
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from slackwater.base.diagnostic import EngineError
from slackwater.run.errors import gone_path
from slackwater.run.feeds import file_name
from slackwater.run.store import broken_checkpoint

FOLDER = "spark"


def made_ready(folder: Path, following: int) -> None:
    """Let Spark start from what it wrote; refuse where that is behind what we have committed.

    Spark leaves drafts behind when it is killed or the disk is full, and refuses to start where it finds
    one of its first batch. Without its log it would count batches anew, and rows would be skipped. Files of
    a batch that it has to read again, and that are gone, it would leave out without a word.
    """
    for draft in (folder / FOLDER).rglob(".*.tmp*"):
        with contextlib.suppress(OSError):
            draft.unlink()
    offsets = folder / FOLDER / "offsets"
    last = max((int(path.name) for path in offsets.glob("[0-9]*") if path.name.isdecimal()), default=-1)
    if last < following - 1:
        raise EngineError(broken_checkpoint(offsets))
    if last >= following:
        for path in _files(folder / FOLDER, last):
            if "://" not in path and not Path(path).exists():
                raise EngineError(gone_path(path))


def _files(log: Path, batch: int) -> Iterator[str]:
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
    return {at: each["logOffset"] for at, each in enumerate(sources) if each and "logOffset" in each}


def _lines(path: Path) -> list[Any]:
    """What stands in a file of the log after its version, if it is there, compacted or not."""
    found = next((each for each in (path, path.with_name(f"{path.name}.compact")) if each.exists()), None)
    lines = [] if found is None else found.read_text(encoding="utf-8").splitlines()[1:]
    return [{} if line == "-" else json.loads(line) for line in lines]
