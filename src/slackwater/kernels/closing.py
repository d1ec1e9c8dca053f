"""Keys that are over: nothing about them changes any more, and they leave the state.

    epoch   [0, 5)          [5, 9)                        windows by their end, delay 0
    groups  4: 2  8: 1      8: 3  12: 1
    state         8: 1      8: 3  12: 1                   4 is over in the first epoch, 8 in the second
    ends          8               12                      when the keys of the state are over

The queue of the ends has each key once, so that an epoch takes time for the keys that come and for those that
are over.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from slackwater.kernels.state import GONE, Retention, State
from slackwater.kernels.windows.by_time import moved
from slackwater.physical.steps import Closing

T, ENDS = "@t", "ends"
LAYOUT = {ENDS: Retention(due=T)}


def closes_at(closing: Closing, column: str | None = None) -> pl.Expr:
    """The instant from which on nothing changes about a row."""
    return moved(pl.col(column or closing.column).to_physical().cast(pl.Int64), closing.delay)


def is_over(closing: Closing, hi: int) -> pl.Expr:
    """Whether that is before `hi`."""
    return (closes_at(closing) < hi).fill_null(False)


def keys_over(
    state: State,
    new: pl.DataFrame,
    touched: pl.DataFrame,
    key: Sequence[str],
    closing: Closing,
    lo: int,
    hi: int,
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The keys that are over before `hi`: of those that change in the epoch, and of those in the state.

    `new` are the keys that change and that the state did not have. Some keys may be of both.
    """
    ends = new.select(*key, closes_at(closing).alias(T)).filter(pl.col(T) >= hi)
    state.add(ENDS, ends)
    now = touched.filter(is_over(closing, hi)).select(*key)
    before = state.falling_due(ENDS, lo, hi)
    return now, now.clear() if before is None else before.select(*key)


def keys_over_by_value(
    state: State,
    changed: pl.DataFrame,
    key: Sequence[str],
    closing: Closing,
    stored: tuple[str, str],
    lo: int,
    hi: int,
) -> pl.DataFrame:
    """The same, of keys whose closing column is no part of them, and may grow until they are over.

    `changed` has the values of the keys that change; `stored` is the frame with the others, and its column. A
    key that falls due by an earlier value is looked up again.
    """
    state.add(ENDS, changed.select(*key, closes_at(closing).alias(T)).filter(pl.col(T) >= hi))
    over = [changed.filter(is_over(closing, hi)).select(*key)]
    before = state.falling_due(ENDS, lo, hi)
    if before is not None and before.height and state.has(stored[0]):
        matches = state.matching(stored[0], before.select(*key).unique())
        if matches is not None:
            values = matches.rows.rename({stored[1]: closing.column})
            over.append(values.filter(is_over(closing, hi)).select(*key))
    return pl.concat(over).unique()


def forget(state: State, name: str, keys: pl.DataFrame) -> None:
    """Delete the rows of a frame with these keys, by which it is looked up."""
    if not keys.height or not state.has(name):
        return
    matches = state.matching(name, keys)
    if matches is not None and matches.rows.height:
        state.add(name, matches.rows.with_columns(pl.lit(True).alias(GONE)), matches.rows.height)
