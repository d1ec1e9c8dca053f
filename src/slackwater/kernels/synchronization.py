"""Time points: ticks, stamps, predicate windows, and relations that change only at points.      SyncSQL"""

from __future__ import annotations

from itertools import islice

import numpy as np
import polars as pl

from slackwater.algebra.expressions import Call, Column, Expression, Now, changed, conjuncts
from slackwater.algebra.now import Compared, isolated, thresholds
from slackwater.algebra.points import EARLIEST, Class, Points
from slackwater.algebra.types import Type
from slackwater.base.time import INFINITY
from slackwater.kernels.expressions.columns import column, dtype, predicate
from slackwater.kernels.frames import FROM, TO, N, columns_of
from slackwater.kernels.state import GONE, Retention, State
from slackwater.kernels.streams import MOST_REPEATS, Endless
from slackwater.kernels.sweep import AHEAD, T, due, edges_of
from slackwater.kernels.windows.by_time import starting

HELD = "held"
_NOW = "@now"


def held_layout(row: tuple[str, ...]) -> dict[str, Retention]:
    """The state of a synchronization by events: future edges, and the changes that wait for a point."""
    return {AHEAD: Retention(due=T), HELD: Retention(key=row)}


def ticks(points: Points, name: str, type_: Type, lo: int, hi: int) -> pl.DataFrame:
    """An element at each point of the epoch."""
    instants = list(islice(points.within(lo, hi), MOST_REPEATS + 1))
    if len(instants) > MOST_REPEATS:
        raise Endless
    times = pl.DataFrame({FROM: instants}, schema={FROM: pl.Int64})
    value = pl.col(FROM).cast(dtype(type_)).alias(name)
    return times.select(value, FROM, (pl.col(FROM) + 1).alias(TO), pl.lit(1, pl.Int64).alias(N))


def stamp(stream: pl.DataFrame, name: str, type_: Type) -> pl.DataFrame:
    """The instants of the elements as a column."""
    return stream.select(*columns_of(stream), pl.col(FROM).cast(dtype(type_)).alias(name), FROM, TO, N)


def when(
    state: State, frame: pl.DataFrame, condition: Expression, points: Points, begin: int, lo: int, hi: int
) -> pl.DataFrame:
    """Each element, cut at the thresholds of the condition; the pieces in which it is true.

    State: pieces that start in a later epoch.
    """
    bounds = _bounds(condition) if points.is_all else None
    if bounds is not None:
        return starting(state, _between(frame, bounds, begin), lo, hi)
    cuts = [
        ceiling(_instant(threshold.value, threshold.later), points)
        for threshold in thresholds(condition) or ()
    ]
    if not points.is_all:
        cuts.append(pl.lit(points.ceil(begin), pl.Int64))
    starts = pl.concat_list(pl.col(FROM), *(pl.max_horizontal(FROM, cut.fill_null(INFINITY)) for cut in cuts))
    pieces = frame.with_columns(starts.list.unique().list.sort().alias("@starts"))
    ends = pl.col("@starts").list.slice(1).list.concat(pl.concat_list(TO))
    pieces = pieces.with_columns(ends.alias("@ends")).explode("@starts", "@ends", empty_as_null=False)
    pieces = pieces.with_columns(pl.col("@starts").alias(FROM), pl.min_horizontal("@ends", TO).alias(TO))
    pieces = pieces.filter(pl.col(FROM) < pl.col(TO)).with_columns(flooring(pl.col(FROM), points).alias(_NOW))
    pieces = pieces.filter(pl.col(_NOW) >= begin)
    is_true = predicate(changed(condition, lambda part: _current(part)))
    now_types = {part.type for part in condition.walk() if isinstance(part, Now)}
    for type_ in now_types:
        pieces = pieces.with_columns(pl.col(_NOW).cast(dtype(type_)))
    return starting(state, pieces.filter(is_true).select(frame.columns), lo, hi)


def _bounds(condition: Expression) -> list[Compared] | None:
    """The condition as bounds of the current time, all of which hold; None if it is anything else."""
    bounds: list[Compared] = []
    for part in conjuncts(condition):
        compared = isolated(part)
        is_plain = isinstance(part, Call) and any(isinstance(side, Now) for side in part.arguments)
        if compared is None or not is_plain or compared.comparison not in ("lt", "le", "gt", "ge"):
            return None
        bounds.append(compared)
    return bounds


def _between(frame: pl.DataFrame, bounds: list[Compared], begin: int) -> pl.DataFrame:
    """Each element while the current time is within the bounds: one piece, and none if a bound is NULL."""
    lows, highs = [pl.col(FROM)], [pl.col(TO)]
    for comparison, value in bounds:
        at = _instant(value, int(comparison in ("le", "gt")))
        (highs if comparison in ("lt", "le") else lows).append(at)
    known = [at.is_not_null() for at in (*lows[1:], *highs[1:])]
    pieces = frame.filter(*known).with_columns(
        pl.max_horizontal(lows).alias(FROM), pl.min_horizontal(highs).alias(TO)
    )
    return pieces.filter((pl.col(FROM) < pl.col(TO)) & (pl.col(FROM) >= begin))


def _current(part: Expression) -> Expression | None:
    return Column(part.type, _NOW, origin=part.origin) if isinstance(part, Now) else None


def _instant(value: Expression, later: int) -> pl.Expr:
    """The instants of a row's values."""
    return column(value).to_physical().cast(pl.Int64) + later


def synchronize(state: State, frame: pl.DataFrame, points: Points, lo: int, hi: int) -> pl.DataFrame:
    """Elements from the first point in their interval to the first one at or after its end.

    State: elements whose first point is in a later epoch.
    """
    moved = frame.with_columns(
        ceiling(pl.col(FROM), points).alias(FROM), ceiling(pl.col(TO), points).alias(TO)
    )
    return starting(state, moved.filter(pl.col(FROM) < pl.col(TO)), lo, hi)


def synchronize_by_events(
    state: State, frame: pl.DataFrame, events: pl.DataFrame, points: Points, lo: int, hi: int
) -> pl.DataFrame:
    """The changes of a relation at the next point, where points come with a stream as well.

    When the next event comes is not known before it does, so that an element's end is a deletion later on.
    State: future ends, and the sums of the changes since the last point.
    """
    row = columns_of(frame)
    now = due(state, edges_of(frame, row, [N]), lo, hi)
    instants = events[FROM].unique().sort().to_numpy()
    first = min([points.ceil(lo), *instants[:1].tolist()])
    places = np.searchsorted(instants, now[T].to_numpy())
    following = np.append(instants, INFINITY)[places]
    now = now.with_columns(pl.min_horizontal(ceiling(pl.col(T), points), pl.Series(following)).alias(T))
    released = now.filter(pl.col(T) < hi)
    if first < hi and (held := state.get(HELD)) is not None:
        state.replace(HELD, held.clear())
        released = pl.concat([released, held.select(*row, pl.lit(first, pl.Int64).alias(T), N)])
    _hold(state, now.filter(pl.col(T) >= hi), row)
    net = released.group_by(*row, T).agg(pl.col(N).sum()).filter(pl.col(N) != 0)
    return net.select(*row, pl.col(T).alias(FROM), pl.lit(INFINITY, pl.Int64).alias(TO), N)


def _hold(state: State, edges: pl.DataFrame, row: list[str]) -> None:
    """Add the edges to the changes that wait."""
    if not edges.height:
        return
    sums = edges.group_by(row).agg(pl.col(N).sum())
    former = state.matching(HELD, sums)
    if former is not None and former.rows.height:
        sums = pl.concat([sums, former.rows.select(sums.columns)]).group_by(row).agg(pl.col(N).sum())
    state.add(HELD, sums.with_columns((pl.col(N) == 0).alias(GONE)))


def ceiling(instant: pl.Expr, points: Points) -> pl.Expr:
    """The first point at or after an instant; ∞ where there is none."""
    if points.is_all or points.is_empty:
        return instant if points.is_all else pl.lit(INFINITY, pl.Int64)
    return pl.min_horizontal(_ceiling(instant, one) for one in points.classes)


def _ceiling(instant: pl.Expr, one: Class) -> pl.Expr:
    start = instant if one.since == EARLIEST else pl.max_horizontal(instant, pl.lit(one.since, pl.Int64))
    # An interval that never ends does not end at a point either.
    is_far = start > INFINITY - one.period
    near = pl.when(is_far).then(0).otherwise(start)
    point = near + (one.residue - near) % one.period
    return pl.when(is_far | (point >= one.until)).then(INFINITY).otherwise(point)


def flooring(instant: pl.Expr, points: Points) -> pl.Expr:
    """The last point at or before an instant; before all time where there is none."""
    if points.is_all or points.is_empty:
        return instant if points.is_all else pl.lit(EARLIEST, pl.Int64)
    return pl.max_horizontal(_flooring(instant, one) for one in points.classes)


def _flooring(instant: pl.Expr, one: Class) -> pl.Expr:
    start = instant if one.until == INFINITY else pl.min_horizontal(instant, pl.lit(one.until - 1, pl.Int64))
    point = start - (start - one.residue) % one.period
    return pl.when(point < one.since).then(EARLIEST).otherwise(point)
