"""Cells of the eps-grid as a column: what can be near a row is in its cell or in one beside it.

States look rows up by the hash of columns, so a row is in the state with the number of its cell. Cells are
numbered in the order of the first distance, then of the second: the eps-grid order of rows on disk.
"""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from slackwater.kernels.bestmatch.matching import Distance, Matching

CELL = "@cell"
_MOST = 2
"""How many distances make cells: with n of them a row is near 3ⁿ cells."""
_FACTOR = 0x9E3779B1
"""From a cell to the next one in the first of two dimensions: more than there are cells in the second."""
_LIMIT = float(1 << 30)


def _used(matching: Matching) -> list[Distance]:
    return [distance for distance in matching.distances if 0 < distance.bound < float("inf")][:_MOST]


def with_cell(matching: Matching, frame: pl.DataFrame, side: int) -> pl.DataFrame:
    """The rows with the numbers of their cells."""
    return frame.with_columns(_number(matching, side).alias(CELL))


def cells_around(matching: Matching, frame: pl.DataFrame, side: int) -> pl.DataFrame:
    """The keys and cells in which the other side can have rows near these, under the names of this side."""
    keys = (matching.left, matching.right)[side]
    own = frame.select(*keys, CELL).unique(maintain_order=False)
    return pl.concat(list(beside(matching, own))).unique(maintain_order=False)


def beside(matching: Matching, cells: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """The cells, and those beside them: a frame for each direction."""
    steps = [0]
    for _ in _used(matching):
        steps = [step * _FACTOR + one for step in steps for one in (-1, 0, 1)]
    return (cells.with_columns(pl.col(CELL) + step) for step in steps)


def _number(matching: Matching, side: int) -> pl.Expr:
    number = pl.lit(0, pl.Int64)
    for distance in _used(matching):
        value = (distance.left, distance.right)[side].cast(pl.Float64)
        # One cell is wider than the bound by more than what rounding can move a value.
        cell = (value / (distance.bound * 1.0001)).floor().fill_nan(0.0).clip(-_LIMIT, _LIMIT)
        number = number * _FACTOR + cell.cast(pl.Int64).fill_null(0)
    return number
