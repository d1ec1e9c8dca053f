"""`python -m benchmarks.sharing_spark`: the queries of `benchmarks.sharing` through sessions on one Spark.

    Parquet files ─► session.start(q1, …, q50) ─► Parquet files      against 50 starts, one after the other

Spark is started once, and a run before the first that counts warms it up. What counts is the processor time
of all processes, this one and Java, from a start until all rows are answered. Each run reads the same files,
a file for each batch, and writes the changes of its queries, with a checkpoint. Answers are compared as
changes of rows.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import polars as pl
import typer

import slackwater as sw
from benchmarks.measure import processes, usage
from benchmarks.report import machine as measured_on
from benchmarks.sharing import HOUR, Comparison, readings, texts
from benchmarks.suite import ROOT
from slackwater.kernels.frames import FROM

FILES = 4
"""Files of the input: so many batches."""


def cpu() -> float:
    """Seconds of processor time of this process and all below it."""
    return sum(usage(pid)[1] for pid in processes(os.getpid()))


def write(folder: Path, events: int, hours: float) -> None:
    """The input: files in the order of their times."""
    rows = readings(events, hours).select("sensor", "room", "building", "temperature", ts=FROM)
    folder.mkdir(parents=True)
    size = -(-events // FILES)
    for number in range(FILES):
        rows.slice(number * size, size).write_parquet(folder / f"{number}.parquet")


class Runs:
    """Runs over one folder of files, on one Spark."""

    def __init__(self, folder: Path, end: int) -> None:
        self._folder, self._end = folder, end
        self._spark = sw.connect().spark
        self._count = 0

    def run(self, chosen: Sequence[tuple[int, tuple[str, int | None]]]) -> tuple[float, int, Path]:
        """CPU seconds, bytes of state after the last row, and where the answers are."""
        self._count += 1
        place = self._folder / f"run {self._count}"
        begun = cpu()
        session = sw.connect(self._spark, chronon="1 millisecond", placement="driver")
        session.sql(
            "CREATE STREAM readings (sensor INT, room INT, building INT, temperature INT) TIME ts BIGINT "
            f"FROM '{self._folder / 'in'}' FORMAT parquet WITH (maxFilesPerTrigger = 1)"
        )
        queries = [
            session.query(_text(*one), f"q{number}").into(sw.Files(place / f"q{number}", "parquet"))
            for number, one in chosen
        ]
        with session.start(*queries, checkpoint=place / "state") as running:
            if not running.await_instant(self._end, timeout=600):
                raise SystemExit(f"not at {self._end} after ten minutes")
            state = running.progress.state_bytes
        return cpu() - begun, state, place


def _text(text: str, period: int | None) -> str:
    return text if period is None else f"SELECT * FROM ({text}) SYNC BY EVERY {period} AS x"


def changes(folder: Path) -> pl.DataFrame:
    """The changes of a query, in one order."""
    whole = pl.concat(pl.read_parquet(path) for path in sorted(folder.glob("0*.parquet")))
    return whole.sort(whole.columns)


def compare(count: int, events: int, hours: float = 2.0) -> Comparison:
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        write(folder / "in", events, hours)
        runs, chosen = Runs(folder, int(hours * HOUR) - 100_000), list(enumerate(texts(count)))
        runs.run(chosen[:3])
        together, state, shared = runs.run(chosen)
        alone, states, differing = 0.0, [], 0
        for number, one in chosen:
            seconds, size, place = runs.run([(number, one)])
            alone += seconds
            states.append(size)
            differing += not changes(shared / f"q{number}").equals(changes(place / f"q{number}"))
        return Comparison(
            queries=count, events=events, together=together, alone=alone, state=state,
            largest=max(states), states=sum(states), differing=differing,
        )  # fmt: skip


def main(
    events: Annotated[int, typer.Option(help="Events of the stream.")] = 1_000_000,
    queries: Annotated[list[int] | None, typer.Option(help="How many queries: 50, then 500.")] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A try: few queries and events.")] = False,
    cache: Annotated[Path, typer.Option(help="Where results are kept.")] = ROOT / ".bench",
) -> None:
    """Queries in one session on Spark against the same one by one, in CPU time of all processes."""
    content: dict[str, Any] = {"machine": measured_on(), "spark": []}
    cache.mkdir(parents=True, exist_ok=True)
    for count in [10] if quick else queries or [50, 500]:
        one = compare(count, 50_000 if quick else events)
        print(
            f"{one.queries} queries over {one.events:,} events on one Spark: {one.together:.1f} s of CPU "
            f"together, {one.alone:.1f} s one by one, ratio {one.ratio:.1f}; "
            f"state {one.state / 1e6:.1f} MB, largest alone {one.largest / 1e6:.1f} MB, "
            f"all alone {one.states / 1e6:.1f} MB; {one.differing} other answers",
            flush=True,
        )
        content["spark"].append(asdict(one))
        (cache / "sharing_spark.json").write_text(json.dumps(content, indent=1), encoding="utf-8")


if __name__ == "__main__":
    typer.run(main)
