"""Cells of the eps-grid as a column: what can be near a row is in its cell or in one beside it.

States look rows up by the hash of columns, so a row is in the state with the number of its cell.
"""

from __future__ import annotations

import itertools

import polars as pl

from slackwater.kernels.bestmatch.matching import Distance, Matching

CELL = "@cell"
_MOST = 2
"""How many distances make cells: with n of them a row is near 3ⁿ cells."""
_FACTOR = 0x9E3779B1
"""Mixes the numbers of several dimensions. Cells with the same number only cost time."""
_LIMIT = float(1 << 52)


def _used(matching: Matching) -> list[Distance]:
    return [distance for distance in matching.distances if 0 < distance.bound < float("inf")][:_MOST]


def with_cell(matching: Matching, frame: pl.DataFrame, side: int) -> pl.DataFrame:
    """The rows with the numbers of their cells."""
    return frame.with_columns(_number(matching, side, (0,) * len(_used(matching))).alias(CELL))


def cells_around(matching: Matching, frame: pl.DataFrame, side: int) -> pl.DataFrame:
    """The keys and cells of rows of the other side that can be near one of these, under this side's names."""
    keys = (matching.left, matching.right)[side]
    steps = itertools.product((-1, 0, 1), repeat=len(_used(matching)))
    parts = [frame.select(*keys, _number(matching, side, step).alias(CELL)) for step in steps]
    return pl.concat(parts).unique(maintain_order=False)


def _number(matching: Matching, side: int, steps: tuple[int, ...]) -> pl.Expr:
    number = pl.lit(0, pl.Int64)
    for distance, step in zip(_used(matching), steps, strict=True):
        value = (distance.left, distance.right)[side].cast(pl.Float64)
        # One cell is wider than the bound by more than what rounding can move a value.
        cell = (value / (distance.bound * 1.0001)).floor().fill_nan(0.0).clip(-_LIMIT, _LIMIT)
        number = number * _FACTOR + cell.cast(pl.Int64).fill_null(0) + step
    return number
