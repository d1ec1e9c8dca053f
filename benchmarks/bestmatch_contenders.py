"""Best-match joins by this engine, by DuckDB and by nested loops, and as-of joins: pairs of row numbers.

As a program it measures one of them on one question, within a limit of memory, and prints JSON.
"""

from __future__ import annotations

import json
import resource
import time
from collections.abc import Callable, Sequence

import duckdb
import numpy as np
import polars as pl
import typer

from benchmarks.points import DISTRIBUTIONS
from slackwater.algebra import BestMatch, Kind, Operator, Schema
from slackwater.algebra.types import BIGINT, DOUBLE
from slackwater.base.span import Text
from slackwater.base.time import INFINITY
from slackwater.base.tree import rebuild
from slackwater.bind.catalog import Catalog
from slackwater.bind.program import bind_query
from slackwater.kernels.frames import FROM, TO, N
from slackwater.kernels.machine import Machine
from slackwater.optimize import optimized
from slackwater.optimize.bestmatch import as_joins
from slackwater.physical.lower import lowered

Contender = Callable[[pl.DataFrame, pl.DataFrame, float | None], pl.DataFrame]
"""From tables with a number k and dimensions y0, y1, …, and the bound of all of them, to columns k and j."""


def names(table: pl.DataFrame) -> list[str]:
    return [name for name in table.columns if name.startswith("y")]


def engine(left: pl.DataFrame, right: pl.DataFrame, bound: float | None) -> pl.DataFrame:
    """The plan as it is run: the kernel of best matches."""
    return _answer(_plan(names(left), bound), left, right)


def nested_loops(left: pl.DataFrame, right: pl.DataFrame, bound: float | None) -> pl.DataFrame:
    """All pairs within the bounds, without those that another one dominates: a join and an anti-join."""
    return _answer(_by_joins(_plan(names(left), bound)), left, right)


def _by_joins(plan: Operator) -> Operator:
    inner = rebuild(plan, Operator, _by_joins)
    return as_joins(inner) if isinstance(inner, BestMatch) else inner


def _plan(dimensions: Sequence[str], bound: float | None) -> Operator:
    catalog = Catalog()
    schema = Schema((("k", BIGINT), *((name, DOUBLE) for name in dimensions)))
    for name in ("R", "S"):
        catalog.relation(name, schema)
    limit = "" if bound is None else f" {bound!r}e0"
    on = ", ".join(f"(ABS(r.{name} - s.{name})) MIN{limit}" for name in dimensions)
    text = f"SELECT r.k, s.k AS j FROM R r LEFT OUTER BESTMATCH JOIN S s ON {on}"
    return optimized(bind_query(Text("<benchmark>", text), catalog, Kind.RELATION).plan)


def _answer(plan: Operator, left: pl.DataFrame, right: pl.DataFrame) -> pl.DataFrame:
    machine = Machine(lowered({"answer": plan}))
    times = {FROM: 0, TO: INFINITY, N: 1}
    columns = [pl.lit(value, pl.Int64).alias(name) for name, value in times.items()]
    inputs = {name: table.with_columns(columns) for name, table in (("R", left), ("S", right))}
    answer = machine.epoch(inputs, 0, 1)["answer"]
    if answer.select((pl.col(N) < 0).any()).item():  # pairs that are taken back at once
        answer = answer.group_by("k", "j").agg(pl.col(N).sum()).filter(pl.col(N) > 0)
    return answer.select("k", "j")


def not_exists(left: pl.DataFrame, right: pl.DataFrame, bound: float | None) -> pl.DataFrame:
    """DuckDB, with the query of the thesis (4.2.8) and bounds."""
    dimensions = names(left)

    def near(other: str) -> str:
        return (
            " AND ".join(_distance(name, other) + f" <= {bound!r}" for name in dimensions)
            if bound
            else "true"
        )

    worse = " AND ".join(f"{_distance(name, 't')} <= {_distance(name, 's')}" for name in dimensions)
    better = " OR ".join(f"{_distance(name, 't')} < {_distance(name, 's')}" for name in dimensions)
    text = f"""
        SELECT r.k, s.k AS j FROM R r, S s WHERE {near("s")}
        AND NOT EXISTS (SELECT 1 FROM S t WHERE {near("t")} AND {worse} AND ({better}))
    """
    return _in_duckdb(text, left, right)


def _distance(name: str, other: str) -> str:
    return f"abs(r.{name} - {other}.{name})"


def as_of(left: pl.DataFrame, right: pl.DataFrame, bound: float | None) -> pl.DataFrame:
    """DuckDB's as-of join: the nearest below only, which is half of the work."""
    return _in_duckdb("SELECT r.k, s.k AS j FROM R r ASOF JOIN S s ON r.y0 >= s.y0", left, right)


def _in_duckdb(text: str, left: pl.DataFrame, right: pl.DataFrame) -> pl.DataFrame:
    with duckdb.connect() as connection:
        connection.register("R", left.to_arrow())
        connection.register("S", right.to_arrow())
        pairs: pl.DataFrame = connection.sql(text).pl()
        return pairs


def nearest(left: pl.DataFrame, right: pl.DataFrame, bound: float | None) -> pl.DataFrame:
    """Polars' as-of join: the nearest on either side; of equally near ones it takes one."""
    other = right.rename({"k": "j"}).sort("y0")
    return left.sort("y0").join_asof(other, on="y0", strategy="nearest", tolerance=bound).select("k", "j")


def table(points: np.ndarray) -> pl.DataFrame:
    """Points with numbers."""
    columns = {f"y{at}": values for at, values in enumerate(points)}
    return pl.DataFrame({"k": np.arange(points.shape[1]), **columns})


PAIRS: dict[str, Contender] = {
    "slackwater": engine,
    "nested loops": nested_loops,
    "DuckDB, NOT EXISTS": not_exists,
}
NEAREST: dict[str, Contender] = {
    "slackwater": engine,
    "DuckDB, as-of (below)": as_of,
    "Polars, as-of (nearest)": nearest,
}


def main(question: str, contender: str, memory: int) -> None:
    """Measure one contender; a question has the fields of `benchmarks.bestmatch.Question`."""
    # Memory of its own, which mapped files and reserved addresses are not.
    resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    points = json.loads(question)
    rng = np.random.default_rng(7)
    make = DISTRIBUTIONS[points["distribution"]]
    left, right = (table(make(rng, points["rows"], points["dimensions"])) for _ in range(2))
    clock, cpu = time.perf_counter(), time.process_time()
    pairs = (PAIRS | NEAREST)[contender](left, right, points["bound"])
    measures = {"seconds": time.perf_counter() - clock, "cpu": time.process_time() - cpu}
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    print(json.dumps({**measures, "memory": most, "pairs": len(pairs), "digest": _digest(pairs)}))


def _digest(pairs: pl.DataFrame) -> int:
    """The same for the same pairs, in any order."""
    mixed = pl.col("k").cast(pl.Int64) * 1_000_003 + pl.col("j").cast(pl.Int64) * 10_007
    return int(pairs.select((mixed % 999_999_937).sum()).item() or 0)


if __name__ == "__main__":
    typer.run(main)
