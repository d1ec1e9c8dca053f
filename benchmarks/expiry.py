"""`python -m benchmarks expiry`: rows that leave a window, as ends of intervals and as negative tuples.

    intervals        (row, t, t + w, +1)                        one element, its end known when it comes
    negative tuples  (row, t, ∞, +1)   (row, t + w, ∞, -1)      Nile's approach, section 4.2

The same kernels compute the same query, a join of two windows with an aggregate above it (Nile's query Q2,
figure 7), for several numbers of partners of a row. What differs is the number of elements that pass each
step, and the CPU time.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from rich.table import Table

from slackwater import algebra
from slackwater.algebra import Operator, Schema
from slackwater.algebra.expressions import Aggregation, Call, column
from slackwater.algebra.types import BIGINT, BOOLEAN
from slackwater.base.time import INFINITY
from slackwater.kernels.frames import FROM, TO, N
from slackwater.kernels.machine import Machine, read_beside
from slackwater.physical.lower import lowered
from slackwater.physical.steps import Join

WINDOW = 50_000
"""Chronons that a row is in its window; a row of either stream comes at every chronon."""
EPOCHS, EVENTS = 20, 10_000
PARTNERS = (1, 2, 5)
SIDES = ("S", "U")


@dataclass(frozen=True, slots=True)
class Cost:
    """A run: the elements that came to the join and that left it, and the CPU seconds of all steps."""

    partners: int
    negative: bool
    entered: int
    left: int
    seconds: float
    total: int
    """The sum of all values of the answer, which is the same for both ways."""


def costs(
    partners: Sequence[int] = PARTNERS, epochs: int = EPOCHS, events: int = EVENTS, window: int = WINDOW
) -> Iterator[Cost]:
    """Both ways, for each number of partners that a row has in the other window on average."""
    for count in partners:
        for negative in (False, True):
            yield _measured(count, negative, epochs, events, window)


def table(results: Sequence[Cost]) -> Table:
    shown = Table(title="Join of two windows and MAX: elements, and CPU, as intervals and as negative tuples")
    for heading in ("partners", "way", "into the join", "out of the join", "CPU s", "ratio of CPU"):
        shown.add_column(heading, justify="right")
    for one, other in zip(results[::2], results[1::2], strict=True):
        for cost, way in ((one, "intervals"), (other, "negative tuples")):
            ratio = f"{cost.seconds / one.seconds:.2f}"
            row = (cost.partners, way, f"{cost.entered:,}", f"{cost.left:,}", f"{cost.seconds:.2f}", ratio)
            shown.add_row(*map(str, row))
    return shown


def _plan(window: int, negative: bool) -> Operator:
    sources: list[Operator] = []
    for name in SIDES:
        schema = Schema(((f"{name}.k", BIGINT), (f"{name}.v", BIGINT)))
        stream = algebra.Sliding(algebra.Stream(name, schema), window)
        sources.append(algebra.Relation(name, schema) if negative else stream)
    on = Call(BOOLEAN, "eq", (column("S.k", BIGINT), column("U.k", BIGINT)))
    largest = (("largest", Aggregation(BIGINT, "max", column("U.v", BIGINT))),)
    return algebra.Aggregate(algebra.Join(*sources, on), (("k", column("S.k", BIGINT)),), largest)


def _measured(partners: int, negative: bool, epochs: int, events: int, window: int) -> Cost:
    machine = Machine(lowered({"answer": _plan(window, negative)}))
    nodes = machine.graph.nodes
    [join] = [place for place, node in enumerate(nodes) if isinstance(node.step, Join)]
    random = np.random.default_rng(5)
    rows = {name: _rows(name, random, max(window // partners, 1), epochs * events) for name in SIDES}
    if negative:
        rows = {name: _with_negatives(frame, window) for name, frame in rows.items()}
    entered = left = total = 0
    seconds = 0.0
    for number in range(epochs):
        lo, hi = number * events, (number + 1) * events
        now = pl.col(FROM).is_between(lo, hi, closed="left")
        arrived = {name: frame.filter(now) for name, frame in rows.items()}
        begun = time.process_time()
        beside = read_beside(machine.stages, arrived)
        moves = {move: beside[move.node] for move in machine.stages.entries if move.sums_for is None}
        frames = machine.run(moves, lo, hi, number)
        seconds += time.process_time() - begun
        entered += sum(frame.height for frame in machine.arrived.values())
        left += frames[join].height
        answer = frames[machine.graph.outputs["answer"]]
        ends = answer.filter(pl.col(TO) < INFINITY)
        total += int((answer["largest"] * answer[N]).sum() - (ends["largest"] * ends[N]).sum())
    return Cost(partners, negative, entered, left, seconds, total)


def _rows(name: str, random: np.random.Generator, keys: int, count: int) -> pl.DataFrame:
    columns = {
        f"{name}.k": random.integers(0, keys, count),
        f"{name}.v": random.integers(0, 1_000, count),
        FROM: np.arange(count, dtype=np.int64),
    }
    return pl.DataFrame(columns).with_columns(
        pl.lit(INFINITY, pl.Int64).alias(TO), pl.lit(1, pl.Int64).alias(N)
    )


def _with_negatives(frame: pl.DataFrame, window: int) -> pl.DataFrame:
    """Each row, and the same row taken back when it leaves the window."""
    back = frame.with_columns(pl.col(FROM) + window, -pl.col(N))
    return pl.concat([frame, back]).sort(FROM, maintain_order=True)
