"""Frames: elements as columns.

    S.symbol | S.price | @from | @to | @n
    A        | 10      | 1     | 6   | 1       one copy of A at 1, 2, 3, 4 and 5

A stream's frame has the instant of each element in `@from`; its `@to` is unused. Names that begin
with `@` are internal: a user's column cannot have such a name.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import polars as pl

from slackwater.algebra.schema import Schema
from slackwater.base.time import INFINITY
from slackwater.kernels.expressions.columns import dtype

FROM, TO, N = "@from", "@to", "@n"
TIMES = (FROM, TO, N)


def frame_schema(schema: Schema) -> dict[str, pl.DataType]:
    """The columns of a frame of elements with that schema."""
    return {**{name: dtype(type_) for name, type_ in schema}, **dict.fromkeys(TIMES, pl.Int64())}


def empty(schema: Schema) -> pl.DataFrame:
    return _empty(schema).clone()


@lru_cache(maxsize=1024)
def _empty(schema: Schema) -> pl.DataFrame:
    return pl.DataFrame(schema=frame_schema(schema))


def columns_of(frame: pl.DataFrame) -> list[str]:
    """The columns that make the row."""
    return [name for name in frame.columns if not name.startswith("@")]


def concatenated(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """All rows of frames with the same columns; empty frames cost nothing."""
    full = [frame for frame in frames if frame.height] or list(frames[:1])
    return full[0] if len(full) == 1 else pl.concat(full)


def until(frame: pl.DataFrame, time: str, hi: int) -> pl.DataFrame:
    """The rows whose time is before `hi`; nothing is copied where all are, or none."""
    first, last = frame[time].min(), frame[time].max()
    if not isinstance(first, int) or not isinstance(last, int) or last < hi:
        return frame
    return frame.filter(pl.col(time) < hi) if first < hi else frame.clear()


def elements(
    frame: pl.DataFrame, names: Sequence[str], start: pl.Expr, end: pl.Expr | None, n: pl.Expr
) -> pl.DataFrame:
    """A frame of elements from columns; without `end` they never end."""
    last = pl.lit(INFINITY, pl.Int64) if end is None else end.cast(pl.Int64)
    times = (start.cast(pl.Int64).alias(FROM), last.alias(TO), n.cast(pl.Int64).alias(N))
    return frame.select(*names, *times)
