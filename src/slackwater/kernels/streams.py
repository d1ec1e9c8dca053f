"""From relations to streams: what comes, what goes, what is, at every instant of the epoch."""

from __future__ import annotations

import polars as pl

from slackwater.kernels.frames import FROM, TO, N, columns_of
from slackwater.kernels.keys import member, numbered
from slackwater.kernels.state import Kept, State
from slackwater.kernels.sweep import AHEAD, SUMS, K, T, due, edges_of, positions, remember

KEPT = {AHEAD: Kept(due=T)}
MOST_REPEATS = 1_000_000
"""How many elements one epoch of an Rstream may spell out."""


class Endless(Exception):
    """An Rstream that would have to be written down for ever."""


def changed(state: State, frame: pl.DataFrame, sign: int, lo: int, hi: int) -> pl.DataFrame:
    """Istream (sign 1) and Dstream (sign -1): the net change of each row at each instant.

    Kept: the ends that lie ahead.
    """
    row = columns_of(frame)
    now = due(state, edges_of(frame, row, [N]), lo, hi)
    net = now.group_by(*row, T).agg(pl.col(N).sum() * sign).filter(pl.col(N) > 0)
    return net.select(*row, pl.col(T).alias(FROM), (pl.col(T) + 1).alias(TO), N)


def _lasting(frame: pl.DataFrame) -> bool:
    """Whether an element lives longer than an instant."""
    return bool(frame.select((pl.col(TO) - pl.col(FROM) != 1).any()).item())


def _of_an_instant(frame: pl.DataFrame, row: list[str]) -> pl.DataFrame:
    """Elements that live one instant, as those of a [Now] window do, are their own stream."""
    if not frame.select((pl.col(N) < 0).any()).item():
        return frame
    net = frame.group_by(*row, FROM, TO).agg(pl.col(N).sum()).filter(pl.col(N) != 0)
    return net.select(frame.columns)


def repeated(state: State, frame: pl.DataFrame, lo: int, hi: int) -> pl.DataFrame:
    """Rstream: every row at every instant at which it is there.

    Kept: the rows that are there, and the ends that lie ahead.
    """
    row = columns_of(frame)
    before = state.get(SUMS)
    if (before is None or not before.height) and not _lasting(frame):
        return _of_an_instant(frame, row)
    found = positions(state, due(state, edges_of(frame, row, [N]), lo, hi), row, lo)
    same = pl.col(K) == pl.col(K).shift(-1)
    until = pl.when(same).then(pl.col(T).shift(-1)).otherwise(hi).fill_null(hi)
    spans = found.select(*row, pl.max_horizontal(pl.col(T), pl.lit(lo)).alias(FROM), until.alias(TO), N)
    if before is not None:
        old, new = numbered([before, found], row)
        untouched = before.filter(pl.Series(~member(old, new)))
        still = untouched.select(*row, pl.lit(lo).alias(FROM), pl.lit(hi).alias(TO), N)
        spans = pl.concat([spans, still], how="vertical_relaxed")
    remember(state, found, row)
    spans = spans.filter((pl.col(N) != 0) & (pl.col(FROM) < pl.col(TO)))
    if (
        spans.height
        and spans.select((pl.col(TO) - pl.col(FROM)).cast(pl.Float64).sum()).item() > MOST_REPEATS
    ):
        raise Endless
    spelled = spans.with_columns(pl.int_ranges(FROM, TO).alias(FROM)).explode(FROM)
    return spelled.with_columns((pl.col(FROM) + 1).alias(TO))
