"""The job: what a contender is asked to do, and how it reports. Standard library only.

A contender may live in another virtual environment, so everything passes through files: the job comes
as JSON, and what happened goes out as lines of JSON, each written when it happened. What a contender
that was stopped had done by then is thereby known.
"""

from __future__ import annotations

import json
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Job:
    workload: str
    contender: str
    streams: dict[str, str]
    """The folder of each stream's files, by its name."""
    work: str
    """A folder that is the contender's own."""
    report: str
    events: int
    batch: int
    """Events in a file, and so in a batch of those who read file by file."""
    window: int
    """The window's length in seconds."""
    cores: int
    limit: float
    """After so many seconds of work it should stop and tell how far it got."""
    check: bool = False
    """Whether the answer is wanted whole, for comparison, rather than only counted."""
    options: dict[str, str] = field(default_factory=dict)

    def save(self, path: Path) -> None:
        path.write_text(json.dumps(asdict(self)), encoding="utf-8")

    def files(self, stream: str, kind: str = "parquet") -> list[str]:
        return [str(path) for path in sorted(Path(self.streams[stream]).glob(f"*.{kind}"))]


def given() -> Job:
    """The job named on the command line."""
    return Job(**json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))


class Reporter:
    """Writes down what happens, line by line."""

    def __init__(self, job: Job) -> None:
        self._path = Path(job.report)
        self._began = time.perf_counter()

    def began(self) -> None:
        """The engine is up; its work begins now."""
        self._began = time.perf_counter()
        self._line(kind="began")

    def mark(self, events: int, at: float | None = None, **facts: Any) -> None:
        """So many events are done, all in all; `at` is a reading of `time.perf_counter`."""
        self._line(kind="mark", events=events, seconds=(at or time.perf_counter()) - self._began, **facts)

    def ended(self, **facts: Any) -> None:
        self._line(kind="ended", seconds=time.perf_counter() - self._began, **facts)

    def _line(self, **facts: Any) -> None:
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(facts) + "\n")
