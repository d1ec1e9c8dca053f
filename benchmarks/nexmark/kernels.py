"""`python -m benchmarks.nexmark.kernels`: the kernels alone, in one process, by processor time.

What a query costs without Spark, files and sinks, and how large its state is half way and in the end.
"""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

import polars as pl
import typer
from rich.console import Console
from rich.table import Table

from benchmarks.nexmark.events import BEGIN, SIDE, events, instant, large
from benchmarks.nexmark.queries import NAMES, streams_of
from benchmarks.nexmark.texts import COUNT_CHAR, SCHEMAS, camel, texts
from slackwater.algebra import Kind
from slackwater.base.span import Text
from slackwater.base.time import CALENDAR, INFINITY
from slackwater.bind.catalog import Catalog
from slackwater.bind.program import bind, bind_query
from slackwater.kernels.frames import FROM, TO, N
from slackwater.kernels.machine import Machine
from slackwater.optimize import optimized
from slackwater.physical.lower import lowered


@dataclass(frozen=True, slots=True)
class Cost:
    """Of a query: events, seconds of the processor, and rows of all states half way and in the end."""

    query: str
    events: int
    seconds: float
    middle: int
    state: int


def costs(names: list[str], count: int, epochs: int) -> Iterator[Cost]:
    """Each query over so many events, in so many epochs of the same length."""
    rows = {name: _elements(frame.rename(camel)) for name, frame in events(large(count)).items()}
    side = pl.DataFrame(SIDE, schema={"key": pl.Int64, "value": pl.String}, orient="row")
    rows["side_input"] = _elements(side)
    length = count // epochs * (large(count).step.microseconds)
    bounds = [CALENDAR.begin, *(instant(BEGIN) + place * length for place in range(1, epochs)), INFINITY]
    for name in names:
        machine, seconds, sizes = _machine(name), 0.0, []
        for lo, hi in itertools.pairwise(bounds):
            now = {
                stream: frame.filter(pl.col(FROM).is_between(lo, hi, closed="left"))
                for stream, frame in rows.items()
            }
            before = time.process_time()
            machine.epoch(now, lo, hi)
            seconds += time.process_time() - before
            sizes.append(sum(rows for rows, _ in machine.sizes.values()))
            for state in machine.states.values():
                state.changes.clear()  # as a checkpoint does
        total = sum(rows[stream].height for stream in streams_of(name))
        yield Cost(name, total, seconds, sizes[epochs // 2 - 1], sizes[-2])


def _machine(name: str) -> Machine:
    catalog = Catalog()
    for stream, columns in SCHEMAS.items():
        declared = f"CREATE STREAM {stream} ({camel(columns)}) TIME dateTime"
        bind(Text("declared", declared), catalog)
    bind(Text("declared", "CREATE RELATION side_input (key BIGINT, value STRING)"), catalog)
    bind(Text("declared", COUNT_CHAR), catalog)
    plan = bind_query(Text(name, texts("flink")[name]), catalog, Kind.RELATION).plan
    return Machine(lowered({name: optimized(plan)}, CALENDAR.begin))


def _elements(rows: pl.DataFrame) -> pl.DataFrame:
    start = (
        pl.col("dateTime").to_physical() if "dateTime" in rows.columns else pl.lit(CALENDAR.begin, pl.Int64)
    )
    return rows.with_columns(
        start.alias(FROM), pl.lit(INFINITY, pl.Int64).alias(TO), pl.lit(1, pl.Int64).alias(N)
    )


def main(
    count: Annotated[int, typer.Option("--events")] = 200_000,
    epochs: int = 10,
    only: Annotated[list[str] | None, typer.Option(help="Run only these queries.")] = None,
) -> None:
    """Measure the kernels over Nexmark."""
    table = Table(title=f"Kernels alone: {count:,} events in {epochs} epochs, load {os.getloadavg()[0]:.0f}")
    for name in ("query", "events", "events a CPU second", "rows of state half way", "in the end"):
        table.add_column(name, justify="right")
    for cost in costs(only or list(NAMES), count, epochs):
        rate = f"{cost.events / cost.seconds / 1000:,.0f} k"
        table.add_row(cost.query, f"{cost.events:,}", rate, f"{cost.middle:,}", f"{cost.state:,}")
    Console(width=120).print(table)


if __name__ == "__main__":
    typer.run(main)
