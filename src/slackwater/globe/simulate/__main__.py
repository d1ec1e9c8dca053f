"""Run seeds of random networks: `python -m slackwater.globe.simulate --seeds 10000`."""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from multiprocessing import Pool

from slackwater.globe.simulate.networks import SHAPES, Size, several
from slackwater.globe.simulate.scenario import Scenario, Violation


def size_of(seed: int, *, windows: bool = False) -> Size:
    """Of three seeds, the first has one subnet, the second several, and the third subnets that split."""
    return several(SHAPES[seed % len(SHAPES)], windows=windows)


def failure_of(arguments: tuple[int, bool]) -> str | None:
    """What is wrong with the run of a seed."""
    seed, windows = arguments
    try:
        Scenario(seed, size_of(seed, windows=windows)).run()
    except Violation as violation:
        return str(violation)
    except Exception:
        return f"seed {seed}: {traceback.format_exc()}"
    return None


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m slackwater.globe.simulate", description=__doc__)
    parser.add_argument("--seeds", type=int, default=200, help="how many")
    parser.add_argument("--first", type=int, default=0, help="the first one; with --seeds 1 it is replayed")
    parser.add_argument("--windows", action="store_true", help="with queries over windows, which take longer")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    options = parser.parse_args()
    seeds = [(seed, options.windows) for seed in range(options.first, options.first + options.seeds)]
    begin, failed = time.monotonic(), 0
    with Pool(options.jobs) as pool:
        for failure in pool.imap_unordered(failure_of, seeds, chunksize=8):
            if failure is not None:
                failed += 1
                print(failure)
    print(f"{len(seeds)} seeds in {time.monotonic() - begin:.1f} s: {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
