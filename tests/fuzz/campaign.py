"""`make fuzz`: rounds of every random test with new draws, one or as many as fit into the time given.

A round that fails prints the name of each failed test at once and its example at the end, and the next round
begins; its seed repeats it. Failed examples are kept in `.hypothesis` and tried first in the next round.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import time
from datetime import timedelta
from itertools import count
from pathlib import Path

import pytest

TESTS = ["-m", "hypothesis or campaign", "tests"]


def main() -> int:
    """Run rounds until the time is over; 1 where one of them failed."""
    arguments = _arguments()
    begun = time.monotonic()
    failed: list[int] = []
    for number in count(1):
        seed = random.SystemRandom().randrange(10**9) if arguments.seed is None else arguments.seed
        print(f"round {number}: seed {seed}, {arguments.times} times the examples of the gate", flush=True)
        if not _run(seed, arguments.times, arguments.jobs, arguments.only or TESTS):
            failed.append(seed)
        elapsed = timedelta(seconds=round(time.monotonic() - begun))
        print(f"round {number} is over after {elapsed}, {len(failed)} of {number} failed", flush=True)
        if arguments.seed is not None or elapsed >= timedelta(hours=arguments.hours):
            break
    for seed in failed:
        print(f"repeat with: make fuzz FUZZ={arguments.times} SEED={seed}")
    return 1 if failed else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=20, help="multiplies the examples of the gate")
    parser.add_argument("--hours", type=float, default=0, help="begin rounds for so long; 0 is one")
    parser.add_argument("--seed", type=int, help="repeat one round")
    parser.add_argument("--jobs", default="auto", help="how many tests run at once")
    parser.add_argument("only", nargs="*", help="what pytest runs instead of every random test")
    return parser.parse_args()


def _run(seed: int, times: int, jobs: str, only: list[str]) -> bool:
    """Run one round, with this module as a plugin; whether it passed."""
    options = ["-q", "-n", jobs, "-p", Path(__file__).stem, f"--hypothesis-seed={seed}"]
    paths = [str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {
        **os.environ,
        "SLACKWATER_FUZZ": str(times),
        "SLACKWATER_SEED": str(seed),
        "PYTHONPATH": os.pathsep.join(paths),
    }
    command = [sys.executable, "-m", "pytest", *options, *only]
    return subprocess.run(command, env=environment, check=False).returncode == 0


@pytest.hookimpl(tryfirst=True)
def pytest_report_teststatus(report: pytest.TestReport) -> tuple[str, str, str] | None:
    """Show a failed test among the dots by its name, as soon as it fails."""
    if not report.failed:
        return None
    category = "failed" if report.when == "call" else "error"
    return category, f"\n{category.upper()} {report.nodeid}\n", category.upper()


if __name__ == "__main__":
    sys.exit(main())
