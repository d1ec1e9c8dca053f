"""From relations to streams: insertions, deletions or all rows at every instant of the epoch."""

from __future__ import annotations

import polars as pl

from slackwater.kernels.frames import FROM, TO, N, columns_of
from slackwater.kernels.instants import at_shared_instants
from slackwater.kernels.keys import member, number_keys
from slackwater.kernels.state import Retention, State
from slackwater.kernels.sweep import AHEAD, SUMS, K, T, due, edges_of, positions, store_sums

STATE_LAYOUT = {AHEAD: Retention(due=T)}
MOST_REPEATS = 1_000_000
"""The most elements of an Rstream in one epoch."""


class Endless(Exception):
    """An Rstream with too many elements in one epoch."""


def net_changes(state: State, frame: pl.DataFrame, sign: int, lo: int, hi: int) -> pl.DataFrame:
    """The net change of each row at each instant: insertions (sign 1, Istream), deletions (sign -1, Dstream),
    or both (sign 0), deletions with negative copies.

    State: future ends.
    """
    row = columns_of(frame)
    now = due(state, edges_of(frame, row, [N]), lo, hi)
    net = at_shared_instants(now, T, lambda rows: rows.group_by(*row, T).agg(pl.col(N).sum()))
    copies = net[N] * (sign or 1)
    is_changed = copies > 0 if sign else copies != 0
    changed = net if is_changed.all() else net.filter(is_changed)
    return changed.select(*row, pl.col(T).alias(FROM), (pl.col(T) + 1).alias(TO), pl.col(N) * (sign or 1))


def _has_lasting(frame: pl.DataFrame) -> bool:
    """Whether any element lives longer than an instant."""
    return bool(frame.select((pl.col(TO) - pl.col(FROM) != 1).any()).item())


def _net_instants(frame: pl.DataFrame, row: list[str]) -> pl.DataFrame:
    """Elements of one instant, such as those of a [Now] window, are already the stream; deletions cancel."""
    if not frame.select((pl.col(N) < 0).any()).item():
        return frame
    net = frame.group_by(*row, FROM, TO).agg(pl.col(N).sum()).filter(pl.col(N) != 0)
    return net.select(frame.columns)


def repeat(state: State, frame: pl.DataFrame, lo: int, hi: int) -> pl.DataFrame:
    """Rstream: every row at every instant at which the relation has it.

    State: the current rows, and future ends.
    """
    row = columns_of(frame)
    before = state.get(SUMS)
    if (before is None or not before.height) and not _has_lasting(frame):
        return _net_instants(frame, row)
    sums = positions(state, due(state, edges_of(frame, row, [N]), lo, hi), row, lo)
    same = pl.col(K) == pl.col(K).shift(-1)
    until = pl.when(same).then(pl.col(T).shift(-1)).otherwise(hi).fill_null(hi)
    spans = sums.select(*row, pl.max_horizontal(pl.col(T), pl.lit(lo)).alias(FROM), until.alias(TO), N)
    if before is not None:
        old, new = number_keys([before, sums], row)
        untouched = before.filter(pl.Series(~member(old, new)))
        unchanged = untouched.select(*row, pl.lit(lo).alias(FROM), pl.lit(hi).alias(TO), N)
        spans = pl.concat([spans, unchanged], how="vertical_relaxed")
    store_sums(state, sums, row, lo, hi)
    spans = spans.filter((pl.col(N) != 0) & (pl.col(FROM) < pl.col(TO)))
    if (
        spans.height
        and spans.select((pl.col(TO) - pl.col(FROM)).cast(pl.Float64).sum()).item() > MOST_REPEATS
    ):
        raise Endless
    stream = spans.with_columns(pl.int_ranges(FROM, TO).alias(FROM)).explode(FROM)
    return stream.with_columns((pl.col(FROM) + 1).alias(TO))
