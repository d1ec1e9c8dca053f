"""Estimates against measurements: rates, rows alive and state of each operator of a few queries; join orders.

    python -m benchmarks.estimates

The kernels run generated streams, uniform in time and values, with the same statistics declared. A ratio of 1
says that the estimate is what was measured.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from slackwater.algebra import Operator, Stream
from slackwater.algebra.explain import described
from slackwater.base.span import Text
from slackwater.base.time import BEGIN, INFINITY
from slackwater.bind.catalog import Catalog
from slackwater.bind.program import bind
from slackwater.kernels.frames import FROM, TO, N
from slackwater.kernels.machine import Machine
from slackwater.optimize import optimized
from slackwater.optimize.cost.estimate import Estimator
from slackwater.optimize.cost.statistics import SourceStatistics, Statistics
from slackwater.physical.explain.explanation import steps_with_state
from slackwater.physical.lower import lowered

DECLARED = """
CREATE STREAM S (k INT, v INT);
CREATE STREAM T (k INT, w INT);
CREATE STREAM U (w INT, x INT);
"""
STATISTICS = Statistics(
    {
        "s": SourceStatistics(rate=8, distinct={"k": 200, "v": 50}),
        "t": SourceStatistics(rate=2, distinct={"k": 200, "w": 40}),
        "u": SourceStatistics(rate=0.5, distinct={"w": 40, "x": 5}),
    }
)
QUERIES = {
    "a window": "SELECT k, v FROM S [RANGE 59] WHERE v = 7",
    "the newest rows": "SELECT k, v FROM S [PARTITION BY k ROWS 3]",
    "sections": "SELECT k, COUNT(*) AS n FROM S [FIXED 60] GROUP BY k",
    "a slide": "SELECT v, COUNT(*) AS n FROM S [RANGE 59 SLIDE 20] GROUP BY v",
    "groups": "SELECT v, COUNT(*) AS n FROM S [RANGE 59] GROUP BY v",
    "different rows": "SELECT DISTINCT k FROM S [RANGE 19]",
    "a join": "SELECT S.v, T.w FROM S [RANGE 59], T [RANGE 119] WHERE S.k = T.k",
    "three streams": "SELECT S.v, U.x FROM S [RANGE 29], T [RANGE 29], U [RANGE 29] "
    "WHERE S.k = T.k AND T.w = U.w",
    "with a partner": "SELECT k, v FROM S [RANGE 29] WHERE k IN (SELECT k FROM T [RANGE 59])",
    "inserted groups": "SELECT ISTREAM(x, COUNT(*) AS n) FROM U [RANGE 59] GROUP BY x",
}
SKEWED = Statistics(
    {
        "s": SourceStatistics(rate=4_000, distinct={"k": 5_000, "v": 50}),
        "t": SourceStatistics(rate=2_000, distinct={"k": 5_000, "w": 5_000}),
        "u": SourceStatistics(rate=0.5, distinct={"w": 5_000, "x": 5}),
    }
)
"""The third stream is rare: the query is cheaper if it is joined first."""
LENGTH = 630
WARM = 240
EPOCH = 10


@dataclass(frozen=True, slots=True)
class Comparison:
    """One number of one operator of a query, estimated and measured."""

    query: str
    operator: str
    figure: str
    estimated: float
    measured: float

    @property
    def ratio(self) -> float:
        """The estimate by the measurement; 1 where both are 0."""
        if not self.measured:
            return 1.0 if not self.estimated else math.inf
        return self.estimated / self.measured


def comparisons(queries: Sequence[str] = tuple(QUERIES)) -> Iterator[Comparison]:
    """The figures of all operators of the queries."""
    for query in queries:
        [bound] = bind(Text("<benchmark>", f"{DECLARED}{QUERIES[query]};"), Catalog())
        yield from _compared(query, optimized(bound.plan))


def _compared(query: str, plan: Operator) -> Iterator[Comparison]:
    operators = {str(number): node for number, node in enumerate(plan.walk())}
    graph = lowered(operators)
    machine = Machine(graph)
    frames: dict[str, list[pl.DataFrame]] = {name: [] for name in operators}
    sources = [node for node in operators.values() if isinstance(node, Stream)]
    random = np.random.default_rng(7)
    for lo in range(BEGIN, LENGTH, EPOCH):
        inputs = {source.name: _events(source, random, lo, STATISTICS) for source in sources}
        for name, frame in machine.epoch(inputs, lo, lo + EPOCH).items():
            frames[name].append(frame.select(FROM, TO, N))
    sizes = machine.sizes
    estimator = Estimator(STATISTICS)
    for name, operator in operators.items():
        if isinstance(operator, Stream):
            continue
        estimate, elements = estimator.estimate(operator), pl.concat(frames[name])
        label = described(operator)
        steady = elements.filter(pl.col(FROM) >= WARM)
        begun = int(steady.filter(pl.col(N) > 0)[N].sum()) / (LENGTH - WARM)
        yield Comparison(query, label, "rate", estimate.rate, begun)
        yield Comparison(query, label, "alive", estimate.alive, _alive(operator, elements, begun))
        state = sum(sizes[place][0] for place in steps_with_state(graph, operator) if place in sizes)
        if state:
            yield Comparison(query, label, "state", estimate.state, state)


def _alive(operator: Operator, elements: pl.DataFrame, rate: float) -> float:
    """The rows at an instant, the mean of some; of a stream, those of an instant."""
    if operator.kind == "stream":
        return rate
    instants = range(WARM, LENGTH, 7)
    alive = [int(elements.filter(pl.col(FROM) <= t, pl.col(TO) > t)[N].sum()) for t in instants]
    return sum(alive) / len(alive)


def _events(source: Stream, random: np.random.Generator, lo: int, statistics: Statistics) -> pl.DataFrame:
    """The events of an epoch: uniform in time, and in each column."""
    known = statistics.of(source)
    count = round((known.rate or 0.0) * EPOCH)
    columns = {
        name: random.integers(0, int(known.distinct[name]), count, dtype=np.int32)
        for name in source.schema.names
    }
    columns[FROM] = np.sort(random.integers(lo, lo + EPOCH, count))
    ends = pl.lit(INFINITY, pl.Int64).alias(TO), pl.lit(1, pl.Int64).alias(N)
    return pl.DataFrame(columns).with_columns(*ends)


@dataclass(frozen=True, slots=True)
class Order:
    """A query in one order of its joins: its estimated cost, and the time and state of the kernels."""

    name: str
    cost: float
    seconds: float
    state: int


def orders(share: float = 1.0) -> Iterator[Order]:
    """The query of three streams as written, and in the order of its statistics; at a share of the rates."""
    [bound] = bind(Text("<benchmark>", f"{DECLARED}{QUERIES['three streams']};"), Catalog())
    sources = {
        name: replace(one, rate=share * (one.rate or 0.0), distinct=one.distinct)
        for name, one in SKEWED.sources.items()
    }
    known = Statistics(sources)
    yield _run("written", optimized(bound.plan), known)
    yield _run("by cost", optimized(bound.plan, known), known)


def _run(name: str, plan: Operator, known: Statistics) -> Order:
    machine, random, seconds = Machine(lowered({"answer": plan})), np.random.default_rng(7), 0.0
    sources = [node for node in plan.walk() if isinstance(node, Stream)]
    for lo in range(BEGIN, WARM, EPOCH):
        inputs = {
            source.name: _events(source, random, lo, known)
            for source in sorted(sources, key=lambda s: s.name)
        }
        begun = time.process_time()
        machine.epoch(inputs, lo, lo + EPOCH)
        seconds += time.process_time() - begun
    state = sum(rows for rows, _ in machine.sizes.values())
    return Order(name, Estimator(known).cost(plan), seconds, state)


def main() -> None:
    """Print the comparisons, and the orders."""
    for one in comparisons():
        print(
            f"{one.query:<18} {one.operator[:40]:<40} {one.figure:<6}"
            f" {one.estimated:>12,.2f} {one.measured:>12,.2f} {one.ratio:>8.2f}"
        )
    print()
    for order in orders():
        print(
            f"three streams, {order.name}: cost {order.cost:,.0f} a chronon, "
            f"{order.seconds:.2f} s of CPU, {order.state:,} rows of state"
        )


if __name__ == "__main__":
    main()
