"""Which runs to merge: so that there are few of them, and each row is copied few times.

    rows    4100 | 1050 1000 990 | 1000      four of one size: merge them
            4100   4040                      and at four of those, those

A run is in the tier of its power of four. Of each tier there are at most three, so n rows that were added one
epoch after the other are in about 3 log₄ n runs, and each was copied log₄ n times.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Protocol, TypeVar

import polars as pl

FAN = 4
FEW = 8_192
"""So many rows are not worth an index."""
SHARE = 8
"""Nor are so many times the rows that are looked up: then one pass over all of them is faster."""
_LEAST_BITS = 8
SOME_CHUNKS = 8
"""A frame in so many chunks is read as fast as one in a single chunk, and need not be copied into one."""


class Run(Protocol):
    @property
    def height(self) -> int: ...

    @property
    def bytes(self) -> int: ...

    @property
    def is_spilled(self) -> bool:
        """Whether its rows are on disk."""


R = TypeVar("R", bound=Run)


class FrameRun:
    """A run that is a frame."""

    is_spilled = False

    def __init__(self, frame: pl.DataFrame) -> None:
        self.frame = frame

    @property
    def height(self) -> int:
        return int(self.frame.height)

    @cached_property
    def bytes(self) -> int:
        return int(self.frame.estimated_size())


class InRuns:
    """What holds its rows in runs."""

    __slots__ = ()
    runs: Sequence[Run]

    @property
    def held(self) -> int:
        """The rows of all runs, with those that have ended or that newer ones replace."""
        return sum(run.height for run in self.runs)

    @property
    def bytes(self) -> int:
        return sum(run.bytes for run in self.runs)

    @property
    def memory(self) -> int:
        """The bytes that are not on disk."""
        return sum(run.bytes for run in self.runs if not run.is_spilled)

    @property
    def is_spilled(self) -> bool:
        """Whether some of its rows are on disk."""
        return any(run.is_spilled for run in self.runs)


def divided(runs: Sequence[R]) -> tuple[list[R], list[R]]:
    """The runs on disk and those in memory."""
    return [run for run in runs if run.is_spilled], [run for run in runs if not run.is_spilled]


def merged_runs(
    runs: Sequence[R], merge: Callable[[Sequence[R]], R], most: int | None = None
) -> tuple[R, ...]:
    """The runs, oldest first, the newest of them merged where they fill a tier; none has more than `most`
    rows by merging."""
    result = list(runs)
    while (start := _full_tier(result)) is not None:
        if most is not None and sum(run.height for run in result[start:]) > most:
            break
        result[start:] = [merge(result[start:])]
    return tuple(result)


def _full_tier(runs: Sequence[Run]) -> int | None:
    """The place from which on the runs are in the tier of the newest or below, if they fill it."""
    if len(runs) < FAN:
        return None
    tier = _tier(runs[-1])
    start = len(runs) - 1
    while start and _tier(runs[start - 1]) <= tier:
        start -= 1
    return start if len(runs) - start >= FAN else None


def _tier(run: Run) -> int:
    return max(run.height.bit_length(), _LEAST_BITS) // 2


def is_small(held: int, count: int) -> bool:
    """Whether one pass over the rows that are held is as fast as looking up `count` of them."""
    return held <= max(FEW, SHARE * count)


def concatenated(frames: Sequence[pl.DataFrame], most_chunks: int = 1) -> pl.DataFrame:
    """All rows, in few chunks; a column that a frame does not have is NULL there."""
    if len(frames) == 1:
        whole = frames[0]
    else:
        columns = frames[0].columns
        is_alike = all(frame.columns == columns for frame in frames)
        whole = pl.concat(frames, how="vertical" if is_alike else "diagonal")
    return whole.rechunk() if whole.n_chunks() > most_chunks else whole


def linked(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """All rows, in the chunks that they are in: what is on disk is not copied into memory."""
    return pl.concat(frames, rechunk=False)


def rows_at(frame: pl.DataFrame, places: object) -> pl.DataFrame:
    """The rows at those places."""
    # `frame[places]` takes ten times as long: it looks for negative places.
    return frame.select(pl.all().gather(pl.Series(places, dtype=pl.UInt32)))  # type: ignore[arg-type]
