"""MIN and MAX of values that never leave: of each group, one value decides what follows.

values    3   1   5   4          one group, MAX
so far    3   3   5   5          the state has 5
"""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from slackwater.kernels.frames import N
from slackwater.kernels.order import Ints
from slackwater.kernels.state import GONE, State


def extremes(ranks: Ints, begin: Ints, end: Ints, *, is_least: bool) -> tuple[Ints, NDArray[np.bool_]]:
    """The least or greatest rank of each range [begin, end), and whether it has one.

    Ranges of one group begin at the same place and grow; groups follow each other.
    """
    width = int(ranks.max(initial=0)) + 1
    starts = np.zeros(len(ranks), np.int64)
    firsts = np.unique(begin)
    starts[firsts[firsts < len(ranks)]] = 1
    groups = np.cumsum(starts)
    best = np.maximum.accumulate(groups * width + (width - 1 - ranks if is_least else ranks))
    known = end > begin
    reached = best[np.maximum(end - 1, 0)] % width if len(best) else np.zeros(len(end), np.int64)
    return width - 1 - reached if is_least else reached, known


def remember_best(
    state: State, name: str, old: pl.DataFrame, best: pl.DataFrame, value: str, group: str
) -> None:
    """Replace the values of groups by the best one; `group` is the column with the numbers of groups."""
    pairs = old.join(best.select(group, pl.col(value).alias("@best")), on=group, how="left")
    is_best = pl.col(value).eq_missing(pl.col("@best"))
    dropped = pairs.filter(~is_best).select(*old.columns, pl.lit(True).alias(GONE))
    stays = pairs.filter(is_best).select(group)
    new = best.join(stays, on=group, how="anti")
    new = new.with_columns(pl.lit(1, pl.Int64).alias(N), pl.lit(False).alias(GONE))
    change = pl.concat([dropped, new.select(dropped.columns)]).drop(group)
    state.add(name, change, dropped.height)
