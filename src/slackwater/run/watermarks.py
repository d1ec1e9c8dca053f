"""Watermarks: how far the time of each source, and with it the time of a run, advances with a batch.  CQL 8

    arrived   3 5 4 | 7 6 9 | 8          delay 1: a watermark is the largest time seen, less one
    watermark     4 |     8 | 8
    epochs    [0,4)   [4,8)              3 | 5 4 7 6; 9 and 8 wait

    read ahead 2: at most two rows with later times come before a row, so the third latest is a watermark

They are a function of what is known before the batch and of the reports of all scans, so that every task that
has these reports computes the same epoch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from slackwater.base.time import INFINITY
from slackwater.kernels.frames import FROM
from slackwater.run.input.intake import Seen


@dataclass(frozen=True, slots=True)
class SourceTime:
    """What is known of the time of a source before a batch."""

    name: str
    watermark: int
    """No element before this instant will come."""
    largest: int
    """The largest time seen so far."""
    begin: int = 0
    delay: int = 0
    read_ahead: int | None = None
    """How many rows with later times may come before a row, where that makes the watermark."""
    latest: tuple[int, ...] = ()
    """The times after the watermark, where rows are read ahead."""
    limit: int = INFINITY
    """The least time in files that are not read yet."""
    now: int | None = None
    """The time of the clock, where the source counts by it."""
    is_idle: bool = False
    """Whether it holds no other source back, unless the batch has rows of it."""
    is_finished: bool = False
    """Whether the batch has all its rows that were not read before."""


def watermarks(times: Sequence[SourceTime], seen: Mapping[str, Seen]) -> dict[str, int]:
    """The watermark of each source after a batch in which this was seen."""
    after = {time.name: _own(time, seen.get(time.name, Seen())) for time in times}
    idle = {time.name for time in times if time.is_idle and not seen.get(time.name, Seen()).rows}
    awake = [after[time.name] for time in times if time.name not in idle and not time.is_finished]
    for time in times:
        if time.name in idle and awake:
            after[time.name] = max(after[time.name], min(awake))
        after[time.name] = max(time.watermark, min(after[time.name], time.limit))
    return after


def _own(time: SourceTime, seen: Seen) -> int:
    if time.is_finished:
        return INFINITY
    if time.now is not None:
        return max(time.now, time.watermark)
    if time.read_ahead is not None:
        times = sorted((*time.latest, *seen.latest), reverse=True)
        return times[time.read_ahead] if len(times) > time.read_ahead else time.watermark
    largest = time.largest if seen.largest is None else max(time.largest, seen.largest)
    return max(time.begin, largest - time.delay)


def epoch_end(lo: int, after: Mapping[str, int]) -> int:
    """The end of the epoch that begins at lo: the least of all watermarks."""
    return max(lo, min(after.values(), default=INFINITY))


def clocked(elements: pl.DataFrame, time: SourceTime) -> pl.DataFrame:
    """The elements; those that count by the clock do not go back behind the watermark."""
    if time.now is None:
        return elements
    return elements.with_columns(pl.max_horizontal(FROM, pl.lit(time.watermark)).alias(FROM))
