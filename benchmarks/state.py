"""`python -m benchmarks state`: what an epoch of 1,000 events costs beside a state of any size.

S, U ─► kernels alone, in this process ─► ms an epoch, bytes that it adds to the state files

The windows have as many elements as the size says, with half as many keys. In an epoch 1,000 events arrive,
and as many leave the windows.
"""

from __future__ import annotations

import io
import json
import statistics
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import polars as pl
from rich.table import Table

from benchmarks.data import BEGIN
from benchmarks.report import machine as measured_on
from benchmarks.workloads import DECLARED
from slackwater.base.span import Text
from slackwater.base.time import INFINITY
from slackwater.bind.catalog import Catalog
from slackwater.bind.program import bind
from slackwater.kernels.frames import FROM, TO, N
from slackwater.kernels.machine import Machine
from slackwater.kernels.state import State
from slackwater.optimize import optimized
from slackwater.physical.lower import lowered

SIZES = (100_000, 1_000_000, 5_000_000)
QUICK = SIZES[:2]
EVENTS = 1_000
"""Events of an epoch, and the microseconds between two of them."""
EPOCHS = 200
LOAD = 500_000
"""Events of the epochs that fill the window."""
_BY_KEY = "SELECT k, {} AS a FROM S [RANGE {{window}} SECONDS] GROUP BY k"
QUERIES = {
    "sliding sum and count": _BY_KEY.format("COUNT(*) AS n, SUM(v)"),
    "join of two windows": "SELECT S.k, v, w FROM S [RANGE {window} SECONDS], U [RANGE {window} SECONDS]"
    " WHERE S.k = U.k",
    "distinct": "SELECT DISTINCT k FROM S [RANGE {window} SECONDS]",
    "MAX": _BY_KEY.format("MAX(v)"),
    "MEDIAN": _BY_KEY.format("MEDIAN(v)"),
    "COUNT(DISTINCT v)": _BY_KEY.format("COUNT(DISTINCT v)"),
    "Partition By k Rows 5": "SELECT k, v FROM S [PARTITION BY k ROWS 5]",
}


@dataclass(frozen=True, slots=True)
class Cost:
    """An epoch beside a state of some size: the median and the mean time, and the bytes that it changes."""

    query: str
    size: int
    median: float
    mean: float
    bytes: float
    rows: int


def costs(queries: Sequence[str], sizes: Sequence[int], epochs: int) -> Iterator[Cost]:
    """The cost of each query beside each size of its state."""
    for query in queries:
        for size in sizes:
            yield _measured(query, size, epochs)


def table(results: Sequence[Cost], sizes: Sequence[int]) -> Table:
    """The costs by query; the ratio is that of the largest size and the smallest."""
    shown = Table(title=f"Epochs of {EVENTS:,} events: median (mean) ms, bytes written, by live elements")
    shown.add_column("query")
    for size in sizes:
        shown.add_column(f"{size:,}", justify="right")
    shown.add_column("ratio", justify="right")
    for size in (sizes[0], sizes[-1]):
        shown.add_column(f"bytes at {size:,}", justify="right")
    for query in dict.fromkeys(cost.query for cost in results):
        mine = [cost for cost in results if cost.query == query]
        times = [f"{cost.median * 1000:,.1f} ({cost.mean * 1000:,.1f})" for cost in mine]
        ratio = f"{mine[-1].median / mine[0].median:.1f}"
        shown.add_row(query, *times, ratio, f"{mine[0].bytes:,.0f}", f"{mine[-1].bytes:,.0f}")
    return shown


def save(path: Path, results: Sequence[Cost]) -> None:
    """The costs as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    content = {"machine": measured_on(), "costs": [asdict(cost) for cost in results]}
    path.write_text(json.dumps(content, indent=1), encoding="utf-8")


def _measured(query: str, size: int, epochs: int) -> Cost:
    text = f"{DECLARED['S']} {DECLARED['U']} {QUERIES[query].format(window=size // EVENTS)}"
    catalog = Catalog()
    [bound] = bind(Text("<benchmark>", text), catalog)
    machine = Machine(lowered({"answer": optimized(bound.plan)}, BEGIN))
    streams = ("S", "U") if " U " in QUERIES[query] else ("S",)
    random = np.random.default_rng(7)
    at = 0
    while at < size:
        count = min(LOAD, size - at)
        _epoch(machine, streams, random, size // 2, at, count)
        _clear(machine.states.values())
        at += count
    seconds: list[float] = []
    sizes: list[int] = []
    for _ in range(epochs):
        seconds.append(_epoch(machine, streams, random, size // 2, at, EVENTS))
        sizes.append(_bytes_of_changes(machine.states.values()))
        _clear(machine.states.values())
        at += EVENTS
    rows = sum(rows for rows, _ in machine.sizes.values())
    # The first epochs compile, and index what was loaded at once.
    steady = seconds[epochs // 10 :]
    median, mean = statistics.median(steady), statistics.fmean(steady)
    return Cost(query, size, median, mean, statistics.fmean(sizes), rows)


def _epoch(
    machine: Machine, streams: Sequence[str], random: np.random.Generator, keys: int, at: int, count: int
) -> float:
    """Compute an epoch of `count` events from event number `at` on; the seconds that it takes."""
    inputs = {
        name: _events(name, random, keys, at, count, len(streams), place)
        for place, name in enumerate(streams)
    }
    lo, hi = BEGIN + at * EVENTS, BEGIN + (at + count) * EVENTS
    begun = time.perf_counter()
    machine.epoch(inputs, lo, hi)
    return time.perf_counter() - begun


def _events(
    name: str, random: np.random.Generator, keys: int, at: int, count: int, streams: int, place: int
) -> pl.DataFrame:
    """Every n-th event of the epoch, where there are n streams."""
    instants = BEGIN + np.arange(at + place, at + count, streams, dtype=np.int64) * EVENTS
    value = {"S": "v", "U": "w"}[name]
    columns = {
        "k": random.integers(0, keys, len(instants)),
        value: random.integers(0, 1_000, len(instants)),
        FROM: instants,
    }
    return pl.DataFrame(columns).with_columns(
        pl.lit(INFINITY, pl.Int64).alias(TO), pl.lit(1, pl.Int64).alias(N)
    )


def _bytes_of_changes(states: Iterable[State]) -> int:
    """The bytes that the changes take in a state file."""
    buffer = io.BytesIO()
    for state in states:
        for change in state.changes.values():
            pl.concat(change.rows, how="diagonal").write_ipc(buffer)
    return buffer.tell()


def _clear(states: Iterable[State]) -> None:
    for state in states:
        state.changes.clear()
