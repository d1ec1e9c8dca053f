"""Window functions on columns: what a state holds, and what an epoch costs."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from slackwater.algebra import Schema
from slackwater.algebra.types import BIGINT
from slackwater.base.span import Text
from slackwater.base.time import INFINITY
from slackwater.bind.catalog import Catalog
from slackwater.bind.program import bind_query
from slackwater.kernels.frames import FROM, TO, N
from slackwater.kernels.machine import Machine
from slackwater.kernels.order import below
from slackwater.kernels.over import over
from slackwater.optimize import optimized
from slackwater.physical import steps
from slackwater.physical.lower import lowered

_FIRST = "SELECT a, p FROM bids [{}] QUALIFY {}() OVER (PARTITION BY a ORDER BY p DESC) <= 3"


def machine_of(query: str) -> Machine:
    catalog = Catalog()
    catalog.stream("bids", Schema.of(a=BIGINT, p=BIGINT))
    return Machine(lowered({"answer": optimized(bind_query(Text("<query>", query), catalog).plan)}))


def run(machine: Machine, epochs: int, size: int = 100) -> list[int]:
    """The number of rows that the state of the window function has after each epoch."""
    random = np.random.default_rng(0)
    (place,) = (at for at, node in enumerate(machine.graph.nodes) if isinstance(node.step, steps.Over))
    held = []
    for epoch in range(epochs):
        lo, hi = epoch * size, (epoch + 1) * size
        columns = {
            "a": random.integers(0, 5, size),
            "p": random.integers(0, 10**6, size),
            FROM: range(lo, hi),
        }
        frame = pl.DataFrame(columns).with_columns(
            pl.lit(INFINITY, pl.Int64).alias(TO), pl.lit(1, pl.Int64).alias(N)
        )
        machine.epoch({"bids": frame}, lo, hi)
        held.append(machine.states[place].rows)
    return held


@pytest.mark.parametrize("function", ["ROW_NUMBER", "RANK"])
def test_of_rows_that_never_go_only_those_within_the_limit_are_held(function: str) -> None:
    assert run(machine_of(_FIRST.format("RANGE UNBOUNDED", function)), 5) == [15] * 5


def test_of_rows_that_go_all_that_are_alive_are_held() -> None:
    last = run(machine_of(_FIRST.format("RANGE 50", "ROW_NUMBER")), 5)[-1]
    assert 51 <= last <= 2 * 51  # and their ends


def test_many_rows_are_computed_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    query = "SELECT a, SUM(p) OVER (PARTITION BY a ORDER BY p) AS s FROM bids [RANGE 30]"
    random = np.random.default_rng(1)
    columns = {
        "a": random.integers(0, 3, 80),
        "p": random.integers(0, 9, 80),
        FROM: random.integers(0, 20, 80),
    }
    frame = pl.DataFrame(columns).with_columns(
        pl.lit(INFINITY, pl.Int64).alias(TO), pl.lit(1, pl.Int64).alias(N)
    )

    def answer() -> pl.DataFrame:
        out = machine_of(query).epoch({"bids": frame}, 0, 100)["answer"]
        return out.sort(out.columns)

    whole = answer()
    monkeypatch.setattr(over, "_CHUNK", 7)
    assert answer().equals(whole)


def test_below_counts_the_edges_of_a_lower_rank() -> None:
    random = np.random.default_rng(2)
    ranks, weights = random.integers(0, 9, 50), random.integers(-1, 3, 50)
    begin, length = random.integers(0, 25, 40), random.integers(0, 25, 40)
    rank = random.integers(0, 20, 40)
    expected = [
        int(weights[b : b + n][ranks[b : b + n] < r].sum())
        for b, n, r in zip(begin, length, rank, strict=True)
    ]
    assert below(ranks, weights, begin, begin + length, rank).tolist() == expected
