"""Measuring: a contender as a process, observed from outside."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from benchmarks.job import Job

_PAGE = os.sysconf("SC_PAGE_SIZE")
_TICK = os.sysconf("SC_CLK_TCK")
_EVERY = 0.2
_GRACE = 120.0
"""How long past its limit a contender may take to start and to stop."""
MOST_MEMORY = _PAGE * os.sysconf("SC_PHYS_PAGES") * 3 // 4
"""The bytes that a contender may take with all its processes: more would make the machine swap."""


@dataclass(slots=True)
class Measurement:
    """The run of a contender, as reported and as observed."""

    job: Job
    marks: list[dict[str, Any]] = field(default_factory=list)
    ended: dict[str, Any] | None = None
    peak_bytes: int = 0
    cpu_seconds: float = 0.0
    """Processor time of all its processes while it worked, without its start."""
    samples: list[tuple[float, float, float]] = field(default_factory=list, repr=False)
    """Since it began: seconds of the clock, processor time of all its processes, and the part of it that
    Spark's driver took, where executors are processes of their own."""
    failure: str | None = None
    elapsed: float = 0.0
    paced: float | None = None
    """Events a second after the first quarter, for a contender without intermediate marks."""

    @property
    def events(self) -> int:
        return int(self.marks[-1]["events"]) if self.marks else 0

    @property
    def seconds(self) -> float:
        if self.ended and self.ended.get("finished", True):
            return float(self.ended.get("work", self.ended["seconds"]))
        return float(self.marks[-1]["seconds"]) if self.marks else self.elapsed

    @property
    def overall(self) -> float | None:
        return self.events / self.seconds if self.events else None

    @property
    def steady(self) -> float | None:
        """Events a second without the first quarter of the marks, while the engine warms up."""
        if len(self.marks) < 4:
            return self.paced
        first, last = self.marks[len(self.marks) // 4], self._last_busy()
        time_taken = last["seconds"] - first["seconds"]
        return (last["events"] - first["events"]) / time_taken if time_taken > 0 else None

    @property
    def has_no_pace(self) -> bool:
        """Whether it ended without intermediate marks."""
        return self.ended is not None and len(self.marks) == 1

    def pace(self, quarter: Measurement) -> None:
        """Compute the steady rate from a run of the first quarter alone."""
        if quarter.ended is not None and self.seconds > quarter.seconds:
            self.paced = (self.events - quarter.events) / (self.seconds - quarter.seconds)

    @property
    def steady_cpu(self) -> tuple[float, float] | None:
        """Processor time of all its processes and of Spark's driver, while its rate was steady."""
        if len(self.marks) < 4:
            return None
        begin, end = self.marks[len(self.marks) // 4]["seconds"], self._last_busy()["seconds"]
        within = [sample for sample in self.samples if begin <= sample[0] <= end]
        if len(within) < 2:
            return None
        return within[-1][1] - within[0][1], within[-1][2] - within[0][2]

    def _last_busy(self) -> dict[str, Any]:
        """The mark at which the last event was done; later ones only pass time."""
        return next(mark for mark in self.marks if mark["events"] == self.events)

    @property
    def per_batch(self) -> float | None:
        """The median time from one mark to the next, in seconds."""
        at = [mark["seconds"] for mark in self.marks]
        gaps = sorted(b - a for a, b in pairwise(at))
        return gaps[len(gaps) // 2] if gaps else None

    @property
    def state_bytes(self) -> int | None:
        return max((mark["state"] for mark in self.marks if "state" in mark), default=None)


def measure(job: Job, command: list[str], folder: Path, environment: dict[str, str]) -> Measurement:
    """Run a contender to its end, or to the end of its time."""
    path, log = folder / "job.json", folder / "log.txt"
    job.save(path)
    measurement = Measurement(job)
    started = time.perf_counter()
    with log.open("wb") as output:
        process = subprocess.Popen(
            [*command, str(path)], stdout=output, stderr=subprocess.STDOUT, start_new_session=True,
            env={**os.environ, **environment},
        )  # fmt: skip
        try:
            _watch(process, measurement, started + job.limit + _GRACE)
        finally:
            _end(process)
    measurement.elapsed = time.perf_counter() - started
    _read(measurement, Path(job.report))
    if measurement.ended is None:
        measurement.failure = _why(log, measurement)
    return measurement


def _watch(process: subprocess.Popen[bytes], measurement: Measurement, deadline: float) -> None:
    used: dict[int, float] = {}
    driver: set[int] = {process.pid}
    before: tuple[float, float, float] | None = None
    report = Path(measurement.job.report)
    while process.poll() is None and time.perf_counter() < deadline:
        resident = 0
        for pid in processes(process.pid):
            pages, seconds = usage(pid)
            resident += pages * _PAGE
            if pid not in driver and is_driver(pid):
                driver.add(pid)
            used[pid] = max(used.get(pid, 0.0), seconds)
        measurement.peak_bytes = max(measurement.peak_bytes, resident)
        if resident > MOST_MEMORY:
            return
        now = time.perf_counter(), sum(used.values()), sum(used[pid] for pid in driver)
        if before is None and report.exists() and report.stat().st_size:
            before = now
        if before is not None:
            since = (now[0] - before[0], now[1] - before[1], now[2] - before[2])
            measurement.samples.append(since)
            measurement.cpu_seconds = since[1]
        time.sleep(_EVERY)


def processes(root: int) -> list[int]:
    """The process and all below it."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            parents.setdefault(int(fields[1]), []).append(int(entry.name))
    pids = [root]
    for pid in pids:
        pids += parents.get(pid, [])
    return pids


def is_driver(pid: int) -> bool:
    """Whether it is the Java process of Spark's driver."""
    try:
        return b"org.apache.spark.deploy.SparkSubmit" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def usage(pid: int) -> tuple[int, float]:
    """Resident pages, and seconds of processor time."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (OSError, IndexError):
        return 0, 0.0
    return pages, (int(fields[11]) + int(fields[12])) / _TICK


def compiling(pid: int) -> float:
    """Seconds of processor time of the threads of Java's compiler."""
    seconds = 0.0
    for thread in Path(f"/proc/{pid}/task").glob("*"):
        try:
            head, _, rest = (thread / "stat").read_text().rpartition(")")
        except OSError:
            continue
        if "CompilerThre" in head:
            fields = rest.split()
            seconds += (int(fields[11]) + int(fields[12])) / _TICK
    return seconds


def _end(process: subprocess.Popen[bytes]) -> None:
    """End what is left of the contender: it leads a process group of its own."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
        except ProcessLookupError:
            break
        time.sleep(0.2)
    process.wait()


def _read(measurement: Measurement, report: Path) -> None:
    if not report.exists():
        return
    for line in report.read_text(encoding="utf-8").splitlines():
        facts = json.loads(line)
        if facts["kind"] == "mark":
            measurement.marks.append(facts)
        elif facts["kind"] == "ended":
            measurement.ended = facts


def _why(log: Path, measurement: Measurement) -> str:
    lines = [line.strip() for line in log.read_text(encoding="utf-8", errors="replace").splitlines()]
    messages = [line for line in lines if line and not line.startswith(("at ", "File ", "^", "... "))]
    if measurement.elapsed > measurement.job.limit + _GRACE:
        return "did not end in time"
    if measurement.peak_bytes > MOST_MEMORY:
        return f"took more than {MOST_MEMORY / 1e9:.0f} GB of memory"
    return (messages[-1] if messages else "ended without a message")[:200]
