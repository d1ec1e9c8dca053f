"""`python -m benchmarks.recursion`: reachability in a graph that changes, by changes and instant by instant.

Kernels alone, in one process, by processor time. A graph is there at first; then edges come, each at an
instant of its own, and, in the second part, as many go. Instant by instant an epoch costs so much that it has
fewer edges.
"""

from __future__ import annotations

import itertools
import os
import time
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np
import polars as pl
import typer
from rich.console import Console
from rich.table import Table

from slackwater.algebra import Kind
from slackwater.base.span import Text
from slackwater.base.time import INFINITY
from slackwater.bind.catalog import Catalog
from slackwater.bind.program import bind, bind_query
from slackwater.kernels.frames import FROM, TO, N
from slackwater.kernels.machine import Machine
from slackwater.optimize import optimized
from slackwater.physical import steps
from slackwater.physical.graph import Graph
from slackwater.physical.lower import lowered

QUERY = (
    "WITH RECURSIVE reached(node) AS (SELECT node FROM roots UNION "
    "SELECT edges.b FROM reached JOIN edges ON edges.a = reached.node) SELECT node FROM reached"
)
WAYS = ("by changes", "instant by instant")


@dataclass(frozen=True, slots=True)
class Cost:
    """Of changes in one way: how many there were, processor seconds, and how many nodes are reached then."""

    way: str
    deletions: bool
    epochs: int
    changes: int
    seconds: float
    reached: int


def graph_of(way: str) -> Graph:
    """The graph of the query, with the recursion computed in that way."""
    catalog = Catalog()
    for declared in ("CREATE RELATION roots (node BIGINT)", "CREATE RELATION edges (a BIGINT, b BIGINT)"):
        bind(Text("declared", declared), catalog)
    plan = bind_query(Text("query", QUERY), catalog, Kind.RELATION).plan
    graph = lowered({"answer": optimized(plan)})
    if way != WAYS[0]:
        graph.nodes = [
            replace(node, step=replace(node.step, derivation=()))
            if isinstance(node.step, steps.Recursion)
            else node
            for node in graph.nodes
        ]
    return graph


def edges(count: int, nodes: int, after: int) -> pl.DataFrame:
    """Random edges: so many at instant 0, then one at each instant."""
    random = np.random.default_rng(14)
    ends = {name: random.integers(nodes, size=count + after) for name in ("a", "b")}
    times = np.concatenate([np.zeros(count, np.int64), np.arange(1, after + 1)])
    return _forever(pl.DataFrame({**ends, FROM: times}))


def _forever(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.with_columns(pl.lit(INFINITY, pl.Int64).alias(TO), pl.lit(1, pl.Int64).alias(N))


def cost(way: str, deletions: bool, count: int, nodes: int, batch: int, epochs: int) -> Cost:
    """The changes after the first `count` edges, in one way."""
    rows = edges(count, nodes, batch * epochs)
    if deletions:
        deleted = rows.head(batch * epochs).with_columns(
            pl.int_range(1, pl.len() + 1).alias(FROM), -pl.col(N)
        )
        rows = pl.concat([rows, deleted])
    roots = _forever(pl.DataFrame({"node": [0, 1, 2, 3], FROM: [0] * 4}))
    machine, seconds, changes, reached = Machine(graph_of(way)), 0.0, 0, 0
    bounds = [0, *range(1, batch * epochs + 2, batch)]
    for lo, hi in itertools.pairwise(bounds):
        now = {name: frame.filter(pl.col(FROM).is_between(lo, hi, closed="left"))
               for name, frame in (("edges", rows), ("roots", roots))}  # fmt: skip
        before = time.process_time()
        answer = machine.epoch(now, lo, hi)["answer"]
        spent = time.process_time() - before
        reached += int(answer.filter(pl.col(TO) == INFINITY)[N].sum())
        for state in machine.states.values():
            state.changes.clear()  # as a checkpoint does
        if lo:
            seconds, changes = seconds + spent, changes + now["edges"].height
    return Cost(way, deletions, epochs, changes, seconds, reached)


def main(
    count: Annotated[int, typer.Option("--edges", help="Edges that are there at first.")] = 100_000,
    nodes: int = 50_000,
    batch: Annotated[int, typer.Option(help="Edges that come in an epoch.")] = 1_000,
    epochs: int = 10,
    slow: Annotated[int, typer.Option(help="Edges that come in the epoch instant by instant.")] = 10,
) -> None:
    """Measure a recursion by changes and instant by instant."""
    title = f"Reachability: {count:,} edges, {nodes:,} nodes, load {os.getloadavg()[0]:.0f}"
    table = Table(title=title)
    for name in ("changes", "way", "epochs", "edges an epoch", "reached", "CPU ms a change", "ratio"):
        table.add_column(name, justify="right")
    for deletions in (False, True):
        sizes = {WAYS[0]: (batch, epochs), WAYS[1]: (slow, 1)}
        done = [cost(way, deletions, count, nodes, *size) for way, size in sizes.items()]
        per_change = [1000 * one.seconds / one.changes for one in done]
        for one, spent in zip(done, per_change, strict=True):
            what = "insertions, deletions" if deletions else "insertions"
            ratio = f"{spent / per_change[0]:,.0f}"
            row = (what, one.way, str(one.epochs), f"{one.changes // one.epochs:,}", f"{one.reached:,}")
            table.add_row(*row, f"{spent:,.2f}", ratio)
    Console(width=120).print(table)


if __name__ == "__main__":
    typer.run(main)
