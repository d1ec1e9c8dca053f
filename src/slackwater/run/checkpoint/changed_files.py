"""Files that change after they were read: Spark reads a file once, so no answer has the change."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from slackwater.run.checkpoint.offsets import FilesRead

MOST_SHOWN = 3


@dataclass(slots=True)
class FilesSeen:
    """The files that were read, and when each was modified before it was read, in milliseconds."""

    modified: dict[str, int] = field(default_factory=dict)

    def remember(self, files: Iterable[str]) -> None:
        """Note the files of a batch that is about to be read."""
        for path in files:
            if (now := modified_at(path)) is not None:
                self.modified[path] = now

    def changed_since(self, log: FilesRead, batch: int) -> list[str]:
        """The files of the batches up to this one that changed between two runs.

        Spark knows when a file was modified as it found it. One that is newer, but older than the last
        commit, was corrected after a failure and read again.
        """
        last = max((modified_at(str(path)) or 0 for path in (log.log / "commits").glob("[0-9]*")), default=0)
        log.upto(batch)
        changed: list[str] = []
        for path, before in log.modified.items():
            now = modified_at(path)
            if now is not None and (now < before or now > max(before, last)):
                changed.append(path)
        return changed

    def changed(self) -> list[str]:
        """The files of this run that changed after they were read."""
        now = {path: modified_at(path) for path in self.modified}
        return [path for path, before in self.modified.items() if now[path] not in (None, before)]


def modified_at(path: str) -> int | None:
    with contextlib.suppress(OSError, ValueError):
        return os.stat(Path(path)).st_mtime_ns // 1_000_000
    return None


def changed_notice(paths: Iterable[str]) -> str:
    """The notice on files that changed."""
    names = [f'"{path}"' for path in sorted(paths)]
    more = f" and {len(names) - MOST_SHOWN} more" if len(names) > MOST_SHOWN else ""
    return (
        f"files changed after they were read, and are not read again: {', '.join(names[:MOST_SHOWN])}{more}"
    )
