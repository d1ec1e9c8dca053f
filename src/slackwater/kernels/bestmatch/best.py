"""The best rows of each group: those that no row of the group dominates, at every instant."""

from __future__ import annotations

import numpy as np
import polars as pl

from slackwater.base.time import INFINITY
from slackwater.kernels.bestmatch.lifetimes import Members, best_times
from slackwater.kernels.bestmatch.matching import measured
from slackwater.kernels.frames import FROM, TIMES, TO, N
from slackwater.kernels.frames import concatenated as together
from slackwater.kernels.joins import closed
from slackwater.kernels.keys import number_keys
from slackwater.kernels.state import Retention, State

MEMBERS, ENDS = "members", "ends"


def state_layout(group: tuple[str, ...]) -> dict[str, Retention]:
    """The elements by group, and the groups by when one of their elements ends."""
    return {MEMBERS: Retention(due=TO, by=group, summed=N), ENDS: Retention(due=TO)}


def best(
    state: State,
    new: pl.DataFrame,
    group: tuple[str, ...],
    dimensions: tuple[tuple[pl.Expr, bool], ...],
    lo: int,
    hi: int,
) -> pl.DataFrame:
    """The changes of the best rows in the epoch [lo, hi).

    State: the elements that are alive at hi - 1. A row that is best has no end until it is taken back.
    """
    due = state.falling_due(ENDS, lo, hi)
    groups = pl.concat([new.select(*group, FROM), *([] if due is None else [due.rename({TO: FROM})])])
    old = state.candidates(MEMBERS, groups, group) if groups.height else None
    rows = [new]
    if old is not None:
        since = pl.lit(lo - 1, pl.Int64).alias(FROM)
        rows.append(old.filter(pl.col(TO) >= lo).with_columns(since).select(new.columns))
    live = new.filter(pl.col(TO) >= hi)
    state.add(MEMBERS, live.drop(FROM))
    state.add(ENDS, live.filter(pl.col(TO) < INFINITY).select(*group, TO))
    return _changes(closed(together(rows)).filter(pl.col(FROM) < hi), group, dimensions, lo, hi)


def _changes(
    frame: pl.DataFrame,
    group: tuple[str, ...],
    dimensions: tuple[tuple[pl.Expr, bool], ...],
    lo: int,
    hi: int,
) -> pl.DataFrame:
    """What is best from some instant of the epoch on, and what no longer is."""
    [numbers] = number_keys([frame], group)
    order = np.argsort(numbers, kind="stable")
    frame, numbers = frame[order], numbers[order]
    begin, end = frame[FROM].to_numpy(), np.minimum(frame[TO].to_numpy(), hi)
    places, since, until = best_times(Members(numbers, measured(frame, dimensions), begin, end))
    is_old, is_open = since < lo, until >= hi
    stays = np.flatnonzero(~(is_old & is_open))
    places, since, until = places[stays], since[stays], until[stays]
    is_old, is_open = is_old[stays], is_open[stays]
    copies = frame[N].to_numpy()[places]
    return (
        frame[places]
        .with_columns(
            pl.Series(FROM, np.where(is_old, until, since)),
            pl.Series(TO, np.where(is_old | is_open, INFINITY, until)),
            pl.Series(N, np.where(is_old, -copies, copies)),
        )
        .select(*(name for name in frame.columns if name not in TIMES), *TIMES)
    )
