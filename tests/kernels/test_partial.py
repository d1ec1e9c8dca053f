"""When elements are added up before they move."""

from __future__ import annotations

import polars as pl
import pytest

from slackwater.algebra import Kind, Schema
from slackwater.algebra.types import DOUBLE, INT
from slackwater.base.span import Text
from slackwater.base.time import INFINITY
from slackwater.bind.catalog import Catalog
from slackwater.bind.program import bind_query
from slackwater.kernels.frames import FROM, TO, N
from slackwater.kernels.partial import LEAST_ROWS, added_up
from slackwater.optimize import optimized
from slackwater.physical.lower import lowered
from slackwater.physical.stages.cut import cut

ROWS = 4 * LEAST_ROWS


def sums(values: list[float | None], times: int, copies: int = 1) -> pl.DataFrame | None:
    """The partial sums of rows of one group, with so many different times."""
    catalog = Catalog()
    catalog.stream("S", Schema.of(k=INT, v=DOUBLE))
    text = "SELECT k, SUM(v) AS s, COUNT(*) AS n FROM S [RANGE 9] GROUP BY k"
    plan = optimized(bind_query(Text("<query>", text), catalog, Kind.RELATION).plan)
    stages = cut(lowered({"answer": plan}))
    [move] = [move for move in stages.moves if move.sums_for is not None]
    names = stages.graph.nodes[move.node].schema.names
    frame = pl.DataFrame(
        {
            names[0]: pl.Series([1] * len(values), dtype=pl.Int32),
            names[1]: pl.Series(values, dtype=pl.Float64),
            FROM: [at * times // len(values) for at in range(len(values))],
            TO: [INFINITY] * len(values),
            N: [copies] * len(values),
        }
    )
    return added_up(stages, move, frame)


@pytest.mark.parametrize("times", [1, 100, ROWS // 2])
def test_elements_that_agree_in_their_times_are_one(times: int) -> None:
    partial = sums([0.5] * ROWS, times)
    assert partial is not None
    assert partial.height == times
    assert partial["@rows"].sum() == ROWS


def test_deletions_and_nulls_are_added_up_too() -> None:
    partial = sums([None, 0.5] * (ROWS // 2), 1, copies=-1)
    assert partial is not None
    assert partial.select("@rows", "@0:count").rows() == [(-ROWS, -ROWS // 2)]


def test_elements_with_times_of_their_own_are_not_added_up() -> None:
    assert sums([0.5] * ROWS, ROWS * 3 // 4) is None


def test_few_elements_are_not_added_up() -> None:
    assert sums([0.5] * (LEAST_ROWS - 1), 1) is None


def test_sums_with_more_cells_than_elements_are_not_sent() -> None:
    sizes = [2.0 ** (at % 60 * 32 - 960) for at in range(ROWS)]
    assert sums(sizes, ROWS // 2) is None
    assert sums(sizes, 10) is not None
