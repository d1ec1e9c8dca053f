"""Runs: how many there are, and what merging them keeps."""

from __future__ import annotations

import numpy as np
import polars as pl

from slackwater.base.time import INFINITY
from slackwater.kernels.frames import TO, N
from slackwater.kernels.runs.queue import Queue
from slackwater.kernels.runs.side import Side
from slackwater.kernels.runs.table import GONE, Table

LARGE = 100_000


def numbered(first: int, count: int) -> pl.DataFrame:
    return pl.DataFrame({"k": np.arange(first, first + count), "t": np.arange(first, first + count)})


def large_table() -> Table:
    return Table.of(("k",), ("k",), numbered(0, LARGE))


def test_a_large_table_gets_few_runs() -> None:
    table = large_table()
    for epoch in range(400):
        table = table.add(numbered(LARGE + 300 * epoch, 300), former=0)
        assert len(table.runs) <= 1 + 3 * 5  # three of each tier: 300, 1,200, 4,800, 19,200, 76,800 rows
    assert table.rows == table.whole().height == LARGE + 400 * 300


def test_a_row_of_a_large_table_is_not_copied_until_runs_are_merged() -> None:
    table = large_table()
    later = table.add(numbered(0, 100), former=100)
    assert later.runs[0] is table.runs[0]
    assert later.rows == LARGE


def test_a_deletion_outlives_a_merge_of_newer_runs() -> None:
    table = large_table()
    for place in range(4):
        deletion = numbered(place, 1).with_columns(pl.lit(True).alias(GONE))
        table = table.add(
            pl.concat([deletion, numbered(LARGE + place, 1)], how="diagonal").with_columns(
                pl.col(GONE).fill_null(False)
            )
        )
    assert len(table.runs) == 2
    assert table.rows == LARGE
    assert table.matching(numbered(0, 10)).rows["k"].sort().to_list() == [4, 5, 6, 7, 8, 9]
    assert table.whole().height == LARGE


def test_replaced_rows_do_not_outnumber_the_others() -> None:
    table = large_table()
    for epoch in range(500):
        table = table.add(numbered(400 * epoch % LARGE, 400), former=400)
        assert table.held <= 2 * table.rows + 400
    assert table.rows == LARGE


def test_rows_that_fall_due_are_a_slice() -> None:
    queue = Queue.of("t", numbered(0, LARGE)).add(numbered(LARGE, 10))
    assert queue.between(5, 8)["k"].to_list() == [5, 6, 7]
    later = queue.expire(8)
    assert later.rows == LARGE + 2
    assert later.expire(LARGE).between(0, INFINITY).height == 10


def test_a_deletion_is_added_up_when_there_are_many() -> None:
    elements = numbered(0, LARGE).select("k", pl.lit(INFINITY).alias(TO), pl.lit(1).alias(N))
    side = Side.of(TO, N, ("k",), elements)
    for place in range(0, LARGE, 1_000):
        side = side.add(elements.slice(place, 1_000).with_columns(-pl.col(N)))
        assert side.held <= LARGE * 4 / 3 + 1_000
    assert side.snapshot().height == 0


def test_a_table_by_group_is_looked_up_by_group_after_its_keys_were_counted() -> None:
    rows = numbered(0, LARGE).with_columns((pl.col("k") // 2).alias("g"))
    table = Table.of(("g", "k"), ("g",), rows)
    restored = table.add(rows.slice(10, 5))
    assert restored.rows == LARGE
    assert restored.matching(rows.slice(11, 1)).rows["k"].sort().to_list() == [10, 11]
