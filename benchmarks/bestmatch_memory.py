"""`python -m benchmarks.bestmatch_memory`: a best match whose windows are ten times as large as their memory.

    two streams ─► windows of ROWS rows a side, epoch by epoch ─► the most memory of state and process

Measured are the bytes of rows that the state holds in memory (`held`), and what the process has beside mapped
files (`RssAnon`), in addition to what it had before the first epoch.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import polars as pl
import typer

from slackwater.base.span import Text
from slackwater.base.time import INFINITY
from slackwater.bind.catalog import Catalog
from slackwater.bind.program import bind
from slackwater.kernels.frames import FROM, TO, N
from slackwater.kernels.machine import Machine
from slackwater.kernels.state import State
from slackwater.optimize import optimized
from slackwater.physical.lower import lowered

EPOCH = 50_000
"""Rows a side that start in an epoch, one at each instant."""
QUERY = """
CREATE STREAM R (k BIGINT, x DOUBLE, y DOUBLE) TIME ts BIGINT;
CREATE STREAM S (k BIGINT, x DOUBLE, y DOUBLE) TIME ts BIGINT;
SELECT R.k AS r, S.k AS s
FROM R [RANGE {length}] LEFT OUTER BESTMATCH JOIN S [RANGE {length}]
  ON (ABS(R.x - S.x)) MIN {bound!r}e0, (ABS(R.y - S.y)) MIN {bound!r}e0;
"""


@dataclass(frozen=True, slots=True)
class Memory:
    """Sizes in MiB, and the seconds of all epochs."""

    rows: int
    allowed: float
    windows: float
    held: float
    process: float
    seconds: float
    changes: int
    checksum: int
    """Of all changes of the answer."""


def measured(rows: int, allowed: int | None, epochs: int) -> Memory:
    """Fill the windows with so many rows a side, then move them on by some epochs."""
    # About one candidate in a box: the time of an epoch then is that of finding rows.
    bound = round((1.0 / rows) ** 0.5, 6)
    [bound_query] = bind(Text("<benchmark>", QUERY.format(length=rows - 1, bound=bound)), Catalog())
    machine = Machine(lowered({"answer": optimized(bound_query.plan)}), memory=allowed)
    largest = (0, 0)
    changes, checksum = 0, 0
    with _most_memory() as most:
        clock = time.perf_counter()
        for lo in range(0, rows + epochs * EPOCH, EPOCH):
            part = {name: _part(seed, lo) for seed, name in enumerate(("R", "S"))}
            answer = machine.epoch(part, lo, lo + EPOCH)["answer"]
            changes, checksum = changes + answer.height, checksum + _checksum(answer)
            state = _state(machine)
            largest = max(largest[0], state.bytes), max(largest[1], state.memory)
            state.changes.clear()
        seconds = time.perf_counter() - clock
    mebi = float(1 << 20)
    return Memory(
        rows,
        state.allowed / mebi if state.allowed is not None else 0.0,
        largest[0] / mebi,
        largest[1] / mebi,
        most[0] / 1024,
        seconds,
        changes,
        checksum % (1 << 61),
    )


def _state(machine: Machine) -> State:
    [state] = [one for one in machine.states.values() if one.allowed is not None]
    return state


def _part(side: int, lo: int) -> pl.DataFrame:
    rng = np.random.default_rng([side, lo])
    times = np.arange(lo, lo + EPOCH)
    columns = {"k": times, "x": rng.random(EPOCH), "y": rng.random(EPOCH), "ts": times, FROM: times}
    frame = pl.DataFrame(columns)
    return frame.with_columns(pl.lit(INFINITY, pl.Int64).alias(TO), pl.lit(1, pl.Int64).alias(N))


def _checksum(answer: pl.DataFrame) -> int:
    """The same for the same changes, in whatever order and however they are cut."""
    changes = pl.concat(
        [
            answer.select("r", "s", pl.col(FROM).alias("at"), N),
            answer.filter(pl.col(TO) < INFINITY).select("r", "s", pl.col(TO).alias("at"), -pl.col(N)),
        ]
    )
    mixed = pl.col("r") * 1_000_003 + pl.col("s") * 10_007 + pl.col("at")
    return int(changes.select((mixed % 999_999_937 * pl.col(N)).sum()).item())


@contextmanager
def _most_memory() -> Iterator[list[int]]:
    """The most kB that the process gains beside mapped files, sampled while the block runs."""
    before, most, is_over = _anonymous(), [0], threading.Event()

    def sample() -> None:
        while not is_over.wait(0.02):
            most[0] = max(most[0], _anonymous() - before)

    thread = threading.Thread(target=sample, daemon=True)
    thread.start()
    try:
        yield most
    finally:
        is_over.set()
        thread.join()


def _anonymous() -> int:
    status = Path("/proc/self/status").read_text(encoding="ascii")
    [line] = [line for line in status.splitlines() if line.startswith("RssAnon")]
    return int(line.split()[1])


def main(rows: int = 1_000_000, share: float = 0.1, epochs: int = 4) -> None:
    """Print one measurement as JSON; `share` of the windows may be in memory, 0 means all of them."""
    size = 2 * rows * 86  # both sides and their ends, as they are in memory
    allowed = int(size * share) if share else 1 << 40
    print(json.dumps(asdict(measured(rows, allowed, epochs))))


if __name__ == "__main__":
    typer.run(main)
