"""From relations to streams: insertions, deletions or all rows at every instant of the epoch."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from slackwater.kernels.frames import FROM, TO, N, columns_of, until
from slackwater.kernels.instants import at_shared_instants
from slackwater.kernels.keys import member, number_keys
from slackwater.kernels.stacked import FRAME, changed_by_type, divided, with_names
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


def all_net_changes(
    states: Sequence[State], frames: Sequence[pl.DataFrame], lo: int, hi: int
) -> list[pl.DataFrame]:
    """`net_changes`, insertions and deletions, of several frames of few rows, each with its state."""
    rows = [columns_of(frame) for frame in frames]

    def change(places: list[int], whole: pl.DataFrame) -> pl.DataFrame:
        row = columns_of(whole)
        edges = edges_of(whole, [FRAME, *row], [N])
        now = until(edges, T, hi)
        if now.height < edges.height:
            later = edges.filter(pl.col(T) >= hi).sort(FRAME, maintain_order=True)
            for place, part in zip(places, divided(later, len(places)), strict=True):
                if part.height:
                    states[place].add(AHEAD, with_names(part, [*rows[place], T, N]))
        parts = [now, *_falling_due([states[place] for place in places], now, lo, hi)]
        net = pl.concat(parts).group_by(FRAME, *row, T).agg(pl.col(N).sum())
        changed = net.filter(pl.col(N) != 0).sort(FRAME)
        return changed.select(FRAME, *row, pl.col(T).alias(FROM), (pl.col(T) + 1).alias(TO), N)

    parts = changed_by_type(frames, change)
    return [with_names(part, [*row, FROM, TO, N]) for part, row in zip(parts, rows, strict=True)]


def _falling_due(states: Sequence[State], like: pl.DataFrame, lo: int, hi: int) -> list[pl.DataFrame]:
    """The edges of states that are due, each with the number of its state, in the columns of `like`."""
    parts: list[pl.DataFrame] = []
    for number, state in enumerate(states):
        rows = state.falling_due(AHEAD, lo, hi)
        if rows is not None and rows.height:
            numbers = pl.Series(FRAME, np.full(rows.height, number))
            parts.append(with_names(pl.DataFrame([numbers, *rows.get_columns()]), like.columns))
    return parts


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
