"""Bags: operators that only count copies of rows. The key is the row; the sums are each side's copies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from slackwater.algebra.schema import Schema
from slackwater.base.time import INFINITY
from slackwater.kernels.frames import TO, N, columns_of, empty
from slackwater.kernels.state import State
from slackwater.kernels.sweep import COPIES, SUMS, due, edges_of, positions, store_sums, sweep_edges
from slackwater.physical.steps import Closing

LEFT, RIGHT = "@left", "@right"

COPIES_OF: dict[str, pl.Expr] = {
    "distinct": (pl.col(LEFT) > 0).cast(pl.Int64),
    "except": pl.max_horizontal(pl.col(LEFT) - pl.col(RIGHT), pl.lit(0, pl.Int64)),
    "intersect": pl.min_horizontal(pl.col(LEFT), pl.col(RIGHT)),
    "max_union": pl.max_horizontal(pl.col(LEFT), pl.col(RIGHT)),
    "without": ((pl.col(LEFT) > 0) & (pl.col(RIGHT) == 0)).cast(pl.Int64),
    "strict_difference": pl.when(pl.col(RIGHT) == 0).then(pl.col(LEFT)).otherwise(0),
}
"""The number of copies in the result of a row with `@left` and `@right` copies in the sides."""


def distinct(
    state: State, frame: pl.DataFrame, key: list[str], lo: int, hi: int, closing: Closing | None = None
) -> pl.DataFrame:
    """Each row once, as long as the frame has it."""
    edges = edges_of(frame.with_columns(pl.col(N).alias(LEFT)), key, [LEFT])
    expression = COPIES_OF["distinct"].alias(COPIES)
    return sweep_edges(state, edges, key, lambda sums: sums.select(expression), lo, hi, closing)


def most_rows(state: State, frame: pl.DataFrame, key: Sequence[str], lo: int, hi: int) -> int:
    """The greatest number of rows that any key has at any instant of the epoch.

    State: the number of rows of each key, and future ends.
    """
    edges = edges_of(frame.with_columns(pl.col(N).alias(LEFT)), key, [LEFT])
    sums = positions(state, due(state, edges, lo, hi), key, lo)
    store_sums(state, sums, key, lo, hi)
    most = sums[LEFT].max()
    return most if isinstance(most, int) else 0


def count_copies(
    state: State,
    sides: list[pl.DataFrame],
    copies: str,
    lo: int,
    hi: int,
    closing: Closing | None = None,
) -> pl.DataFrame:
    """The rows with `COPIES_OF[copies]` copies each.

    State: the counts of each row that a side has and that is not over, and future ends.
    """
    key = columns_of(sides[0])
    weights = (LEFT, RIGHT)
    weighted = [
        side.with_columns(
            (pl.col(N) if place == 0 else pl.lit(0, pl.Int64)).alias(LEFT),
            (pl.col(N) if place == 1 else pl.lit(0, pl.Int64)).alias(RIGHT),
        )
        for place, side in enumerate(sides)
    ]
    edges = pl.concat([edges_of(side, key, weights) for side in weighted])
    expression = COPIES_OF[copies].alias(COPIES)
    return sweep_edges(state, edges, key, lambda sums: sums.select(expression), lo, hi, closing)


def current_rows(frames: Mapping[str, pl.DataFrame], copies: str, schema: Schema) -> pl.DataFrame:
    """The rows of `count_copies`, from its state, as elements without an end."""
    if SUMS not in frames:
        return empty(schema)
    counted = frames[SUMS].with_columns(COPIES_OF[copies].alias(N)).filter(pl.col(N) != 0)
    return counted.select(*schema.names, pl.lit(INFINITY, pl.Int64).alias(TO), N)
