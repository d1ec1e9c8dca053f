"""Arrays in rows: an element of a relation or stream for each element of an array.

    row    a            place   position   value
    x      [5, 6]       0       0          5
    y      []     ─►    0       1          6
    z      [7]          2       0          7

The cost is that of the elements: rows are gathered by their places, and an array that is dropped is not
copied.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from slackwater.kernels.frames import TIMES, columns_of

Integers = NDArray[np.int64]


def unnest(
    frame: pl.DataFrame,
    arrays: Sequence[pl.Expr],
    ordinal: str,
    dropped: Sequence[str],
    *,
    keeps: bool,
    fields: Sequence[str] = (),
) -> pl.DataFrame:
    """Each row once for each position of its longest array, with the values there and the position.

    With `fields`, the one array is of structs: these are the columns of their fields.
    """
    lists = frame.select(*arrays)
    lengths = [_lengths(values) for values in lists]
    longest = np.maximum.reduce(lengths)
    copies = np.maximum(longest, 1) if keeps else longest
    places = np.repeat(np.arange(frame.height), copies)
    positions = np.arange(len(places)) - np.repeat(np.cumsum(copies) - copies, copies)
    added = [
        _values(values, length, places, positions) for values, length in zip(lists, lengths, strict=True)
    ]
    if fields:
        added = [part.alias(name) for part, name in zip(added[0].struct.unnest(), fields, strict=True)]
    if ordinal:
        is_none = longest[places] == 0
        added.append(pl.Series(ordinal, positions + 1).set(pl.Series(is_none), None))
    rows = frame.drop(*dropped)[places]
    return pl.DataFrame([*rows.select(columns_of(rows)), *added, *rows.select(TIMES)])


def _lengths(values: pl.Series) -> Integers:
    if not isinstance(values.dtype, pl.List):
        return np.zeros(len(values), np.int64)  # NULL in every row
    return values.list.len().fill_null(0).cast(pl.Int64).to_numpy()


def _values(values: pl.Series, lengths: Integers, places: Integers, positions: Integers) -> pl.Series:
    """The value at each position of the arrays at these places; NULL where an array is shorter."""
    if not isinstance(values.dtype, pl.List):
        return pl.Series(values.name, [None] * len(places), values.dtype)
    flat = values.filter(pl.Series(lengths > 0)).explode()
    starts = np.cumsum(lengths) - lengths
    sought = pl.Series(starts[places] + positions).set(pl.Series(positions >= lengths[places]), None)
    return flat.gather(sought) if len(flat) else flat.clear(len(places))
