"""`python -m benchmarks.patterns`: MATCH_RECOGNIZE by the kernels alone, in one process, by processor time.

Prices of symbols fall and rise at random; the pattern is a V: a start, falling prices, rising prices.
"""

from __future__ import annotations

import itertools
import os
import time
from typing import Annotated

import numpy as np
import polars as pl
import typer

from slackwater.algebra import Kind
from slackwater.base.span import Text
from slackwater.base.time import INFINITY
from slackwater.bind.catalog import Catalog
from slackwater.bind.program import bind, bind_query
from slackwater.kernels.frames import FROM, TO, N
from slackwater.kernels.machine import Machine
from slackwater.optimize import optimized
from slackwater.physical.lower import lowered

_PATTERN = (
    "SELECT * FROM ticks MATCH_RECOGNIZE (PARTITION BY symbol ORDER BY ts MEASURES START.price AS top, "
    "LAST(DOWN.price) AS bottom, LAST(UP.price) AS up AFTER MATCH SKIP PAST LAST ROW {})"
)
QUERIES = {
    "V, by the row and the one before": _PATTERN.format(
        "PATTERN (START DOWN{2,} UP{2,}) WITHIN INTERVAL '1' HOUR "
        "DEFINE DOWN AS price < PREV(price), UP AS price > PREV(price)"
    ),
    "V, by other rows of the match": _PATTERN.format(
        "PATTERN (START DOWN+ UP) WITHIN INTERVAL '1' HOUR "
        "DEFINE DOWN AS DOWN.price < START.price, UP AS UP.price > LAST(DOWN.price)"
    ),
}


def ticks(count: int, keys: int) -> pl.DataFrame:
    """A tick an instant, of any symbol."""
    random = np.random.default_rng(14)
    return pl.DataFrame(
        {
            "symbol": random.integers(keys, size=count),
            "price": random.integers(1_000, size=count),
            FROM: np.arange(count, dtype=np.int64),
        }
    ).with_columns(pl.lit(INFINITY, pl.Int64).alias(TO), pl.lit(1, pl.Int64).alias(N))


def main(
    count: Annotated[int, typer.Option("--events")] = 1_000_000,
    keys: int = 1_000,
    epochs: int = 10,
    slow: Annotated[
        int, typer.Option(help="One in so many events for what is computed candidate by candidate.")
    ] = 100,
) -> None:
    """Measure patterns."""
    print(f"{count:,} events, {keys:,} keys, {epochs} epochs, load {os.getloadavg()[0]:.0f}")
    for place, (name, text) in enumerate(QUERIES.items()):
        events = count // slow if place else count
        rows = ticks(events, keys)
        catalog = Catalog()
        bind(Text("declared", "CREATE STREAM ticks (symbol BIGINT, price BIGINT) TIME ts"), catalog)
        plan = bind_query(Text(name, text), catalog, Kind.STREAM).plan
        machine, matches, sizes = Machine(lowered({"answer": optimized(plan)})), 0, []
        before = time.process_time()
        for lo, hi in itertools.pairwise(range(0, events + 1, events // epochs)):
            now = rows.filter(pl.col(FROM).is_between(lo, hi, closed="left"))
            matches += machine.epoch({"ticks": now}, lo, hi)["answer"].height
            sizes.append(sum(state for state, _ in machine.sizes.values()))
        spent = time.process_time() - before
        rate = f"{events / spent / 1000:,.1f} k events a CPU second"
        print(f"{name}: {rate}, {matches:,} matches, at most {max(sizes):,} rows of state")


if __name__ == "__main__":
    typer.run(main)
