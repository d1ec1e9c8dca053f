"""Row windows: an element ends when enough newer ones of its partition have arrived.

    Rows 2      a1  b2  c4  d4      a is in the window from 1 until c arrives at 4, b until d arrives at 4;
                                    c and d stay open

With a slide m the i-th element of a partition enters the window when the partition's ⌈i / m⌉ · m-th arrives,
and leaves it when its ⌈(i + n) / m⌉ · m-th arrives.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from slackwater.algebra.schema import Schema
from slackwater.base.time import INFINITY
from slackwater.kernels.frames import FROM, TO, N, columns_of, empty
from slackwater.kernels.keys import join_column_names, with_join_columns
from slackwater.kernels.state import GONE, Retention, State
from slackwater.kernels.windows import after, moved, multiple

NEWEST, COUNTS = "newest", "counts"
_SEEN, _BEFORE, _PLACE, _SHOWN = "@seen", "@before", "@place", "@shown"


@dataclass(frozen=True, slots=True)
class RowWindow:
    count: int
    slide: int
    partition: tuple[str, ...]
    within: int


def state_layout(window: RowWindow, schema: Schema) -> dict[str, Retention]:
    floating = [name for name, type_ in schema if type_.is_floating]
    part = tuple(join_column_names(window.partition, floating)) or ("@all",)
    return {NEWEST: Retention(key=(*part, _PLACE)), COUNTS: Retention(key=part)}


def row_window(state: State, stream: pl.DataFrame, window: RowWindow, lo: int, hi: int) -> pl.DataFrame:
    """The n newest rows of each partition.

    State: the rows in or before the window with their places, and each partition's number of rows so far.
    """
    row = columns_of(stream)
    keyed, part = with_join_columns(stream, window.partition)
    part = part or ["@all"]
    new = _in_order(keyed, row, part)
    if not new.height:
        return stream.clear()
    new, seen = _placed(state, new, part)
    old = state.matching(NEWEST, _moving(seen, part, window))
    mine = None if old is None else old.rows.select(new.columns)
    alive = new if mine is None else pl.concat([mine, new])
    n, m = window.count, window.slide
    arrivals = new.select(*part, pl.col(_PLACE).alias("@at"), pl.col(FROM).alias("@when"))
    enters_at = multiple(pl.col(_PLACE), m)
    leaves_at = multiple(after(pl.col(_PLACE), n), m)
    alive = _when(alive.with_columns(enters_at.alias("@at")), arrivals, part, "@starts")
    alive = _when(alive.with_columns(leaves_at.alias("@at")), arrivals, part, "@ends")
    _keep(state, alive, row, part, 0 if mine is None else mine.height)
    return _elements(alive, row, window)


def _in_order(stream: pl.DataFrame, row: list[str], part: list[str]) -> pl.DataFrame:
    """The elements one by one, oldest first: by time and, at one instant, by row."""
    keys = [name for name in part if name != "@all"]
    ordered = stream.select(list(dict.fromkeys([*row, *keys, FROM, N])))
    if ordered.height and ordered[N].max() != 1:
        ordered = ordered.select(pl.all().gather(pl.int_range(pl.len()).repeat_by(pl.col(N)).explode()))
    ordered = ordered.drop(N).sort(FROM, *row, nulls_last=False)
    return ordered.with_columns(pl.lit(0, pl.Int8).alias("@all")) if part == ["@all"] else ordered


def _placed(state: State, new: pl.DataFrame, part: list[str]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Each element's place in its partition, counted from 1; and the partitions' counts, before and now."""
    place = pl.int_range(1, pl.len() + 1).over(part)
    new = new.with_columns(place.cast(pl.Int64).alias(_PLACE), pl.lit(False).alias(_SHOWN))
    counts = new.group_by(part).agg(pl.col(_PLACE).max().alias(_SEEN))
    before = state.matching(COUNTS, counts)
    old = counts.clear() if before is None else before.rows
    former = old.rename({_SEEN: _BEFORE})
    seen = counts.join(former, on=part, how="left", nulls_equal=True).with_columns(
        pl.col(_BEFORE).fill_null(0)
    )
    seen = seen.with_columns(pl.col(_SEEN) + pl.col(_BEFORE))
    state.add(COUNTS, seen.drop(_BEFORE), old.height)
    if old.height:
        new = new.join(former, on=part, how="left", nulls_equal=True, maintain_order="left")
        new = new.with_columns((pl.col(_PLACE) + pl.col(_BEFORE).fill_null(0)).alias(_PLACE)).drop(_BEFORE)
    return new, seen


def _moving(seen: pl.DataFrame, part: list[str], window: RowWindow) -> pl.DataFrame:
    """The places of the old rows that enter or leave the window.

    Up to a multiple a of the slide the rows at the places (a - n, a] have been shown; up to the multiple b
    those at (b - n, b]. So from a to b the rows at (a - n, b - n] leave, and those at (a, b] enter.
    """
    n, m = window.count, window.slide
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


def _when(alive: pl.DataFrame, arrivals: pl.DataFrame, part: list[str], name: str) -> pl.DataFrame:
    """When the element at place `@at` of the partition arrived, if it did in this epoch."""
    times = alive.join(arrivals, on=[*part, "@at"], how="left", nulls_equal=True, maintain_order="left")
    return times.rename({"@when": name}).drop("@at")


def _keep(state: State, alive: pl.DataFrame, row: list[str], part: list[str], former: int) -> None:
    shown = (pl.col(_SHOWN) | pl.col("@starts").is_not_null()).alias(_SHOWN)
    columns = dict.fromkeys([*row, *part, FROM, _PLACE])
    state.add(NEWEST, alive.select(*columns, shown, pl.col("@ends").is_not_null().alias(GONE)), former)


def _elements(alive: pl.DataFrame, row: list[str], window: RowWindow) -> pl.DataFrame:
    """Elements for the rows that enter or leave the window in this epoch; those too old end by themselves."""
    old = _too_old(window)
    entering = alive.filter(pl.col("@starts").is_not_null()).select(
        *row,
        pl.col("@starts").alias(FROM),
        pl.min_horizontal(pl.col("@ends").fill_null(INFINITY), old).alias(TO),
        pl.lit(1, pl.Int64).alias(N),
    )
    leaving = alive.filter(pl.col(_SHOWN) & pl.col("@ends").is_not_null()).select(
        *row, pl.col("@ends").alias(FROM), old.alias(TO), pl.lit(-1, pl.Int64).alias(N)
    )
    return pl.concat([entering, leaving]).filter(pl.col(FROM) < pl.col(TO))


def _too_old(window: RowWindow) -> pl.Expr:
    """When an element has been in the window for too long, however few came after it."""
    return moved(after(pl.col(FROM), window.within), 1)


def current_rows(frames: Mapping[str, pl.DataFrame], window: RowWindow, schema: Schema) -> pl.DataFrame:
    """The rows in the window, from its state, as elements that end when they are too old."""
    if NEWEST not in frames:
        return empty(schema)
    shown = frames[NEWEST].filter(pl.col(_SHOWN))
    return shown.select(*schema.names, _too_old(window).alias(TO), pl.lit(1, pl.Int64).alias(N))
