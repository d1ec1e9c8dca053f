"""`python -m benchmarks.bestmatch`: best-match joins, beside DuckDB, nested loops and as-of joins.

    points ─► each contender, in this process ─► CPU seconds and rows a second; equal answers

A contender that is expected to take longer than the limit, from the size before, is left out.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import polars as pl
import typer
from rich.console import Console
from rich.table import Table

from benchmarks import bestmatch_contenders as contenders
from benchmarks.bestmatch_contenders import Contender
from benchmarks.points import DISTRIBUTIONS
from benchmarks.report import machine as measured_on
from benchmarks.suite import ROOT

SIZES = (1_000, 10_000, 100_000, 1_000_000)
PAIRS: dict[str, Contender] = {
    "slackwater": contenders.engine,
    "nested loops": contenders.nested_loops,
    "DuckDB, NOT EXISTS": contenders.not_exists,
}
NEAREST: dict[str, Contender] = {
    "slackwater": contenders.engine,
    "DuckDB, as-of (below)": contenders.as_of,
    "Polars, as-of (nearest)": contenders.nearest,
}


@dataclass(frozen=True, slots=True)
class Result:
    """One contender on one input; `rows` are those of the left side."""

    distribution: str
    dimensions: int
    bound: float | None
    rows: int
    contender: str
    seconds: float
    cpu: float
    pairs: int
    agrees: bool | None
    """Whether the answer is that of the first contender; None if it is not the same question."""

    @property
    def kind(self) -> list[object]:
        return [self.distribution, self.dimensions, self.bound]


def measured(
    inputs: tuple[str, int, float | None, int],
    among: Mapping[str, Contender],
    limit: float,
    seen: list[Result],
) -> list[Result]:
    """The contenders on one input, without those that would take too long."""
    distribution, dimensions, bound, rows = inputs
    rng = np.random.default_rng(7)
    left, right = (contenders.table(DISTRIBUTIONS[distribution](rng, rows, dimensions)) for _ in range(2))
    results: list[Result] = []
    answer: pl.DataFrame | None = None
    for name, contender in among.items():
        if expected(inputs, name, seen) > limit:
            continue
        clock, cpu = time.perf_counter(), time.process_time()
        pairs = contender(left, right, bound)
        seconds, cpu = time.perf_counter() - clock, time.process_time() - cpu
        ordered = pairs.select(pl.col("k", "j").cast(pl.Int64)).sort("k", "j")
        agrees = None if "below" in name else answer is None or ordered.equals(answer)
        answer = ordered if answer is None else answer
        results.append(Result(*inputs, name, seconds, cpu, len(pairs), agrees))
        seen.append(results[-1])
    return results


def expected(inputs: tuple[str, int, float | None, int], name: str, seen: Sequence[Result]) -> float:
    """About how many seconds a contender will take, from its run of the size before.

    Each row has candidates in proportion to the rows, and the other contenders compare these with each other.
    """
    *kind, rows = inputs
    before = [one for one in seen if one.contender == name and one.rows < rows and one.kind == kind]
    if not before or "as-of" in name:
        return 0.0
    largest = max(before, key=lambda one: one.rows)
    factor = rows / largest.rows
    return largest.seconds * (factor if name == "slackwater" else factor**2.5)


def shown(results: Sequence[Result], title: str) -> Table:
    table = Table(title=title)
    for column in ("distribution", "d", "bound", "rows a side", "contender"):
        table.add_column(column)
    for column in ("seconds", "CPU s", "rows/s", "rows per CPU s", "pairs", "answer"):
        table.add_column(column, justify="right")
    for one in results:
        answer = {None: "another question", True: "the same", False: "DIFFERENT"}[one.agrees]
        table.add_row(
            one.distribution, str(one.dimensions), str(one.bound or "–"), f"{one.rows:,}", one.contender,
            f"{one.seconds:.2f}", f"{one.cpu:.2f}", f"{one.rows / one.seconds:,.0f}",
            f"{one.rows / one.cpu:,.0f}", f"{one.pairs:,}", answer,
        )  # fmt: skip
    return table


def main(
    limit: Annotated[float, typer.Option(help="seconds that a contender may take")] = 60.0,
    quick: Annotated[bool, typer.Option(help="up to 10,000 rows")] = False,
    out: Annotated[Path, typer.Option(help="where to write JSON")] = ROOT / "build" / "bestmatch.json",
) -> None:
    """Run everything, print tables and write JSON."""
    console = Console(width=160)
    sizes = [size for size in SIZES if size <= 10_000 or not quick]
    seen: list[Result] = []
    by_size = [one for rows in sizes for one in measured(("uniform", 2, 0.01, rows), PAIRS, limit, seen)]
    console.print(shown(by_size, "two dimensions, by size"))
    kinds = [
        one
        for distribution in DISTRIBUTIONS
        for dimensions in (2, 3, 4, 5)
        for rows in sizes[:-1]
        if rows < 100_000 or dimensions < 4
        for one in measured((distribution, dimensions, 0.1, rows), PAIRS, limit / 4, seen)
    ]
    console.print(shown(kinds, "distributions and dimensions"))
    nearest = [one for rows in sizes for one in measured(("uniform", 1, None, rows), NEAREST, limit, seen)]
    console.print(shown(nearest, "one dimension: the nearest"))
    results = {"machine": measured_on(), "results": [asdict(one) for one in [*by_size, *kinds, *nearest]]}
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(results, indent=1), encoding="utf-8")


if __name__ == "__main__":
    typer.run(main)
