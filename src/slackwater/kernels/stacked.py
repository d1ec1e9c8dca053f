"""Frames with columns of the same types as one frame: what is done to many small frames is then done once.

    a | b      x | y           0 | 1 | @frame
    1 | 2      5 | 6           1 | 2 | 0
    3 | 4               ─►     3 | 4 | 0
                               5 | 6 | 1

A call of Polars takes as long for a few rows as for a thousand.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
import polars as pl

FRAME = "@frame"
FEW = 5_000
"""Frames with so many rows are not worth stacking."""


def changed_by_type(
    frames: Sequence[pl.DataFrame], change: Callable[[list[int], pl.DataFrame], pl.DataFrame]
) -> list[pl.DataFrame]:
    """The frames after a change that is made to those of the same types at once.

    It gets the places of the frames and their rows in one frame, with `@frame` as the number among these. Its
    result is in the order of that column, and has names of its own.
    """
    result = list(frames)
    for places in _alike(frames):
        whole = change(places, stacked([frames[place] for place in places]))
        for place, part in zip(places, divided(whole, len(places)), strict=True):
            result[place] = part
    return result


def _alike(frames: Sequence[pl.DataFrame]) -> list[list[int]]:
    """The places of the frames, by the types of their columns and the names of those that are no user's."""
    groups: dict[object, list[int]] = {}
    for place, frame in enumerate(frames):
        groups.setdefault((*_names(frame), *frame.dtypes), []).append(place)
    return list(groups.values())


def _names(frame: pl.DataFrame) -> list[str]:
    """The names of columns in a stacked frame: a user's column has its place as name."""
    return [name if name.startswith("@") else str(at) for at, name in enumerate(frame.columns)]


def stacked(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """The rows of frames with the same types, with the number of the frame."""
    columns = [
        pl.concat([frame.to_series(at) for frame in frames], rechunk=True).alias(name)
        for at, name in enumerate(_names(frames[0]))
    ]
    heights = [frame.height for frame in frames]
    return pl.DataFrame([*columns, pl.Series(FRAME, np.repeat(np.arange(len(frames)), heights))])


def divided(whole: pl.DataFrame, count: int) -> list[pl.DataFrame]:
    """The frames of a stacked one that is in their order."""
    bounds = np.searchsorted(whole[FRAME].to_numpy(), np.arange(count + 1)).tolist()
    rows = whole.drop(FRAME)
    return [rows.slice(lo, hi - lo) for lo, hi in pairwise(bounds)]


def with_names(frame: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """The frame with other names of its columns."""
    renamed = frame.clone()
    renamed.columns = list(names)
    return renamed
