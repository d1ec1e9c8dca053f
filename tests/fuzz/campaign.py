"""`make fuzz`: rounds of every random test with new draws, one or as many as fit into the time given.

A round that fails prints the examples that failed, and the next one begins; its seed repeats it. Examples
that failed are kept in `.hypothesis`, too, and are tried first in the next round.
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

TESTS = ["-m", "hypothesis or campaign", "tests"]


def main() -> int:
    """Run rounds until the time is over; 1 where one of them failed."""
    asked = _asked()
    begun = time.monotonic()
    failed: list[int] = []
    for number in count(1):
        seed = random.SystemRandom().randrange(10**9) if asked.seed is None else asked.seed
        print(f"round {number}: seed {seed}, {asked.times} times the examples of the gate", flush=True)
        if not _passed(seed, asked.times, asked.jobs, asked.only or TESTS):
            failed.append(seed)
        passed = timedelta(seconds=round(time.monotonic() - begun))
        print(f"round {number} is over after {passed}, {len(failed)} of {number} failed", flush=True)
        if asked.seed is not None or passed >= timedelta(hours=asked.hours):
            break
    for seed in failed:
        print(f"repeat with: make fuzz FUZZ={asked.times} SEED={seed}")
    return 1 if failed else 0


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=20, help="multiplies the examples of the gate")
    parser.add_argument("--hours", type=float, default=0, help="begin rounds for so long; 0 is one")
    parser.add_argument("--seed", type=int, help="repeat one round")
    parser.add_argument("--jobs", default="auto", help="how many tests run at once")
    parser.add_argument("only", nargs="*", help="what pytest runs instead of every random test")
    return parser.parse_args()


def _passed(seed: int, times: int, jobs: str, only: list[str]) -> bool:
    command = [sys.executable, "-m", "pytest", "-q", "-n", jobs, f"--hypothesis-seed={seed}", *only]
    environment = {**os.environ, "SLACKWATER_FUZZ": str(times), "SLACKWATER_SEED": str(seed)}
    return subprocess.run(command, env=environment, check=False).returncode == 0


if __name__ == "__main__":
    sys.exit(main())
