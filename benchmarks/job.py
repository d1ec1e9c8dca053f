"""The job of a contender, and its report. Standard library only.

A contender may run in another virtual environment, so everything passes through files: the job is JSON, and
the report is lines of JSON, each written at once. So the progress of a stopped contender is known.
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
    """A folder for the contender alone."""
    report: str
    events: int
    batch: int
    """Events in a file, and so in a batch of engines that read file by file."""
    window: int
    """The window's length in seconds."""
    cores: int
    limit: float
    """The seconds after which it should stop and report its progress."""
    check: bool = False
    """Whether the whole answer is needed, for comparison, rather than only its count."""
    options: dict[str, str] = field(default_factory=dict)

    def save(self, path: Path) -> None:
        path.write_text(json.dumps(asdict(self)), encoding="utf-8")

    def files(self, stream: str, kind: str = "parquet") -> list[str]:
        return [str(path) for path in sorted(Path(self.streams[stream]).glob(f"*.{kind}"))]


def read_job() -> Job:
    """The job named on the command line."""
    return Job(**json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))


class Reporter:
    """Writes the report, line by line."""

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
