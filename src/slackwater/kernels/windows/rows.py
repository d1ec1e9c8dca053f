"""Row windows: an element ends when enough newer ones of its partition have arrived.

    Rows 2      a1  b2  c4  d4      a is in the window from 1 until c arrives at 4, b until d arrives at 4;
                                    c and d stay open

With a slide m the i-th element of a partition enters the window when the partition's ⌈i / m⌉ · m-th arrives,
and leaves it when its ⌈(i + n) / m⌉ · m-th arrives.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from slackwater.algebra.schema import Schema
from slackwater.base.time import INFINITY
from slackwater.kernels.frames import FROM, TO, N, columns_of, empty
from slackwater.kernels.keys import join_column_names, with_join_columns
from slackwater.kernels.state import GONE, Retention, State
from slackwater.kernels.windows.by_time import after, moved, multiple

NEWEST, COUNTS = "newest", "counts"
_SEEN, _BEFORE, _PLACE, _SHOWN, _BASE = "@seen", "@before", "@place", "@shown", "@base"
_OF_PARTITION = (_SEEN, _BEFORE, _BASE)


@dataclass(frozen=True, slots=True)
class RowWindow:
    count: int
    slide: int
    partition: tuple[str, ...]
    within: int


def state_layout(partition: Sequence[str], schema: Schema) -> dict[str, Retention]:
    floating = [name for name, type_ in schema if type_.is_floating]
    part = tuple(join_column_names(partition, floating)) or ("@all",)
    return {NEWEST: Retention(key=(*part, _PLACE)), COUNTS: Retention(key=part)}


def row_windows(state: State, stream: pl.DataFrame, windows: Sequence[RowWindow]) -> list[pl.DataFrame]:
    """The n newest rows of each partition, for several n; the windows have partition and slide in common.

    State: the rows in or before the longest window with their places, and each partition's number of rows so
    far.
    """
    row, m = columns_of(stream), windows[0].slide
    keyed, part = with_join_columns(stream, windows[0].partition)
    part = part or ["@all"]
    new = _in_order(keyed, row, part)
    if not new.height:
        return [stream.clear() for _ in windows]
    new, seen = _placed(state, new, part)
    counts = sorted({window.count for window in windows})
    moving = pl.concat(_moving(seen, part, count, m) for count in counts)
    old = state.matching(NEWEST, moving.unique() if len(counts) > 1 else moving)
    mine = new.clear() if old is None else _of_partitions(old.rows, seen, part).select(new.columns)
    alive = pl.concat([mine, new]) if mine.height else new
    arrivals = _Arrivals(new, alive)
    times = {"@starts": arrivals.when(multiple(pl.col(_PLACE), m))}
    times |= {_ends(n): arrivals.when(multiple(after(pl.col(_PLACE), n), m)) for n in counts}
    alive = alive.with_columns(**times)
    _keep(state, alive, row, part, mine.height, _ends(counts[-1]))
    return [_elements(alive, row, window) for window in windows]


def _ends(count: int) -> str:
    """The column with the time at which a row leaves the window of so many rows."""
    return f"@ends {count}"


def _in_order(stream: pl.DataFrame, row: list[str], part: list[str]) -> pl.DataFrame:
    """The elements one by one, oldest first: by time and, at one instant, by row."""
    keys = [name for name in part if name != "@all"]
    ordered = stream.select(list(dict.fromkeys([*row, *keys, FROM, N])))
    if ordered.height and ordered[N].max() != 1:
        ordered = ordered.select(pl.all().gather(pl.int_range(pl.len()).repeat_by(pl.col(N)).explode()))
    ordered = ordered.drop(N).sort(FROM, *row, nulls_last=False)
    return ordered.with_columns(pl.lit(0, pl.Int8).alias("@all")) if part == ["@all"] else ordered


def _placed(state: State, new: pl.DataFrame, part: list[str]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Each element's place in its partition, counted from 1; and the partitions' counts, before and now.

    With `_BASE` added, the places of all new elements are 0, 1, …, partition by partition.
    """
    place = pl.int_range(1, pl.len() + 1).over(part) if part != ["@all"] else pl.int_range(1, pl.len() + 1)
    new = new.with_columns(place.cast(pl.Int64).alias(_PLACE), pl.lit(False).alias(_SHOWN))
    counts = new.group_by(part).agg(pl.len().cast(pl.Int64).alias(_SEEN))
    before = state.matching(COUNTS, counts)
    old = counts.clear() if before is None else before.rows
    former = old.rename({_SEEN: _BEFORE})
    seen = counts.join(former, on=part, how="left", nulls_equal=True).with_columns(
        pl.col(_BEFORE).fill_null(0)
    )
    base = pl.col(_SEEN).cum_sum() - pl.col(_SEEN) - pl.col(_BEFORE) - 1
    seen = seen.with_columns(base.alias(_BASE), pl.col(_SEEN) + pl.col(_BEFORE))
    state.add(COUNTS, seen.select(*part, _SEEN), old.height)
    new = _of_partitions(new, seen, part)
    return new.with_columns(pl.col(_PLACE) + pl.col(_BEFORE)), seen


def _of_partitions(rows: pl.DataFrame, seen: pl.DataFrame, part: list[str]) -> pl.DataFrame:
    """The rows with what is known of their partitions."""
    if part == ["@all"]:
        return rows.with_columns(pl.lit(seen[name][0], pl.Int64).alias(name) for name in _OF_PARTITION)
    return rows.join(seen, on=part, how="left", nulls_equal=True, maintain_order="left")


class _Arrivals:
    """When the elements of this epoch arrived, by partition and place."""

    def __init__(self, new: pl.DataFrame, alive: pl.DataFrame) -> None:
        self._alive = alive
        self._times = np.empty(new.height, np.int64)
        self._times[new.select(pl.col(_PLACE) + pl.col(_BASE)).to_series().to_numpy()] = new[FROM].to_numpy()

    def when(self, place: pl.Expr) -> pl.Series:
        """When the element at a place of each row's partition arrived, if it did in this epoch."""
        is_new = (place > pl.col(_BEFORE)) & (place <= pl.col(_SEEN))
        at = pl.when(is_new).then(place + pl.col(_BASE))
        return pl.Series(self._times).gather(self._alive.select(at.alias("@at")).to_series())


def _moving(seen: pl.DataFrame, part: list[str], n: int, m: int) -> pl.DataFrame:
    """The places of the old rows that enter or leave the window.

    Up to a multiple a of the slide the rows at the places (a - n, a] have been shown; up to the multiple b
    those at (b - n, b]. So from a to b the rows at (a - n, b - n] leave, and those at (a, b] enter.
    """
    a, b = (pl.col(name) // m * m for name in (_BEFORE, _SEEN))
    last = pl.col(_BEFORE)
    leaving = (pl.max_horizontal(a - n, pl.lit(0, pl.Int64)), pl.min_horizontal(b - n, last))
    entering = (pl.max_horizontal(a, leaving[1]), last)
    moved_on = seen.filter((last > 0) & (b > a))
    return pl.concat(
        moved_on.filter(begin < end)
        .with_columns(pl.int_ranges(begin + 1, end + 1).alias(_PLACE))
        .explode(_PLACE)
        .select(*part, _PLACE)
        for begin, end in (leaving, entering)
    )


def _keep(state: State, alive: pl.DataFrame, row: list[str], part: list[str], former: int, ends: str) -> None:
    """Keep the new rows, and of the old ones those that enter a window or leave the longest."""
    shown = (pl.col(_SHOWN) | pl.col("@starts").is_not_null()).alias(_SHOWN)
    columns = dict.fromkeys([*row, *part, FROM, _PLACE])
    changed = pl.col("@starts").is_not_null() | pl.col(ends).is_not_null()
    old, new = alive.head(former).filter(changed), alive.tail(alive.height - former)
    rows = pl.concat([old, new]) if former else new
    state.add(NEWEST, rows.select(*columns, shown, pl.col(ends).is_not_null().alias(GONE)), old.height)


def _elements(alive: pl.DataFrame, row: list[str], window: RowWindow) -> pl.DataFrame:
    """Elements for the rows that enter or leave the window in this epoch; those too old end by themselves."""
    old, ends = _too_old(window), pl.col(_ends(window.count))
    entering = alive.filter(pl.col("@starts").is_not_null()).select(
        *row,
        pl.col("@starts").alias(FROM),
        pl.min_horizontal(ends.fill_null(INFINITY), old).alias(TO),
        pl.lit(1, pl.Int64).alias(N),
    )
    leaving = alive.filter(pl.col(_SHOWN) & ends.is_not_null()).select(
        *row, ends.alias(FROM), old.alias(TO), pl.lit(-1, pl.Int64).alias(N)
    )
    return pl.concat([entering, leaving]).filter(pl.col(FROM) < pl.col(TO))


def _too_old(window: RowWindow) -> pl.Expr:
    """When an element has been in the window for too long, however few came after it."""
    return moved(after(pl.col(FROM), window.within), 1)


def current_rows(frames: Mapping[str, pl.DataFrame], window: RowWindow, schema: Schema) -> pl.DataFrame:
    """The rows in the window, from a state that has those of the longest, as elements that end when they are
    too old."""
    if NEWEST not in frames:
        return empty(schema)
    part = [name for name in frames[COUNTS].columns if name != _SEEN]
    rows = frames[NEWEST].join(frames[COUNTS], on=part, how="left", nulls_equal=True)
    last = pl.col(_SEEN) // window.slide * window.slide
    shown = rows.filter(pl.col(_SHOWN) & (pl.col(_PLACE) > last - window.count))
    return shown.select(*schema.names, _too_old(window).alias(TO), pl.lit(1, pl.Int64).alias(N))
