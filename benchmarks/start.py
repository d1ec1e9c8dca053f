"""`python -m benchmarks.start`: what `slackwater run` of four rows costs, Java included.

Seconds of CPU, since those depend less than the clock on what else the machine does. Linux only.
"""

from __future__ import annotations

import ctypes
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROGRAM = """\
CREATE STREAM readings (segment STRING, speed INT) TIME ts FROM 'readings.csv';
CREATE VIEW congested AS
  SELECT segment FROM readings [RANGE 5 MINUTES] GROUP BY segment HAVING AVG(speed) < 40;
SELECT ISTREAM(*) FROM congested;
"""
ROWS = """\
ts,segment,speed
2024-02-29 08:00:00,north,60
2024-02-29 08:01:00,north,30
2024-02-29 08:02:00,north,20
2024-02-29 08:04:00,south,35
"""
_SUBREAPER = 36
"""PR_SET_CHILD_SUBREAPER: Java, which ends after the process that started it, becomes our child."""


def main() -> None:
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
    command = [sys.executable, "-c", "from slackwater.cli import main; main()", "run", "congestion.cql"]
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "congestion.cql").write_text(PROGRAM, encoding="utf-8")
        Path(folder, "readings.csv").write_text(ROWS, encoding="utf-8")
        measured = [_measured(command, folder) for _ in range(times)]
    for cpu, wall in measured:
        print(f"{cpu:5.1f} s of CPU, {wall:5.1f} s")
    print(f"{statistics.median(cpu for cpu, _ in measured):5.1f} s of CPU, the median")


def _measured(command: list[str], folder: str) -> tuple[float, float]:
    before, begun = _cpu(), time.monotonic()
    subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    wall = time.monotonic() - begun
    while _has_children():
        pass
    return _cpu() - before, wall


def _has_children() -> bool:
    """Wait for one; whether there was one."""
    try:
        os.wait()
    except ChildProcessError:
        return False
    return True


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
