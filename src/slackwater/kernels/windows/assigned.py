"""Rows in tumbling, hopping and cumulating windows: each element once for each window of its time."""

from __future__ import annotations

import numpy as np
import polars as pl

from slackwater.algebra.types import Type
from slackwater.algebra.windowing import is_moment
from slackwater.kernels.expressions.columns import dtype
from slackwater.kernels.frames import TIMES, columns_of
from slackwater.physical import steps

TIME = "@time"


class NoMoment(Exception):
    """The start or end of a window is beyond the times there are."""


def assigned(frame: pl.DataFrame, step: steps.Assign, time: pl.Expr) -> pl.DataFrame:
    """The elements, each with every window that its time is in.

    Nothing is kept: windows are of each element by itself.
    """
    row = columns_of(frame)
    known = with_times(frame, time)
    period = step.size if step.cumulates else step.step
    most = -(-step.size // step.step)
    _check(known[TIME], step, period)
    start = pl.col(TIME) - (pl.col(TIME) - step.offset) % period
    if most == 1:
        windows = known.with_columns(start.alias("@start"), (start + step.size).alias("@end"))
        return _bounded(windows.filter(pl.col(TIME) < pl.col("@end")), row, step)
    number = pl.Series("@number", np.tile(np.arange(most), known.height), pl.Int64)
    repeated = known[np.repeat(np.arange(known.height), most)].with_columns(number)
    if step.cumulates:
        bounds = (start, start + (pl.col("@number") + 1) * step.step)
    else:
        bounds = (start - pl.col("@number") * step.step, start - pl.col("@number") * step.step + step.size)
    windows = repeated.with_columns(bounds[0].alias("@start"), bounds[1].alias("@end"))
    return _bounded(windows.filter(pl.col(TIME) < pl.col("@end")), row, step)


def with_times(frame: pl.DataFrame, time: pl.Expr) -> pl.DataFrame:
    """The elements whose time is not NULL, with it as a number."""
    numbered = frame.with_columns(time.to_physical().cast(pl.Int64).alias(TIME))
    return numbered.filter(pl.col(TIME).is_not_null())


def _check(times: pl.Series, step: steps.Assign, period: int) -> None:
    """Raise where a window begins before all times or ends after them: one of the first or of the last."""
    first, last = times.min(), times.max()
    if not isinstance(first, int) or not isinstance(last, int):
        return
    for moment in (first, last):
        start = moment - (moment - step.offset) % period
        left = step.size - 1 - (moment - start)
        earliest = start if step.cumulates else start - left // period * period
        if left >= 0:
            check(earliest, step.time.type)
            check(start + step.size, step.time.type)


def check(moment: int, type_: Type) -> None:
    """Raise if there is no such time."""
    if not is_moment(moment, type_):
        raise NoMoment


def _bounded(windows: pl.DataFrame, row: list[str], step: steps.Assign) -> pl.DataFrame:
    kind = dtype(step.time.type)
    bounds = (pl.col("@start").cast(kind).alias(step.start), pl.col("@end").cast(kind).alias(step.end))
    return windows.select(*row, *bounds, *TIMES)
