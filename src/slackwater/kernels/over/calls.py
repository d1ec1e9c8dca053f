"""The values of calls with OVER for rows in order: places, neighbours, and aggregates of frames."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from slackwater.algebra.expressions.over import WHOLE, Frame
from slackwater.base.time import INFINITY
from slackwater.kernels import aggregates, statistics
from slackwater.kernels.accumulators import Call, value, weights
from slackwater.kernels.expressions.values import column_of
from slackwater.kernels.frames import FROM, TO, N
from slackwater.kernels.keys import Ints
from slackwater.kernels.over.places import Places, Rows
from slackwater.kernels.state import State

FRAME = "@frame"
_ORDERED = ("min", "max", "median")


@dataclass(frozen=True, slots=True)
class Computed:
    """A call: the name of its column, its function, its columns; for an aggregate also the aggregate."""

    name: str
    function: str
    argument: str | None = None
    count: int = 1
    default: str | None = None
    ignore_nulls: bool = False
    frame: Frame = WHOLE
    aggregate: Call | None = None


def values(call: Computed, places: Places, rows: Rows) -> pl.Series:
    """The value of the call for each row."""
    if call.aggregate is not None:
        return _aggregate(call.aggregate, call.frame, places, rows)
    size = places.end - places.start
    place = places.here - places.start
    match call.function:
        case "row_number":
            return pl.Series(place + 1)
        case "rank":
            return pl.Series(places.peers_start - places.start + 1)
        case "dense_rank":
            return pl.Series(places.groups)
        case "percent_rank":
            return pl.Series((places.peers_start - places.start) / np.maximum(size - 1, 1))
        case "cume_dist":
            return pl.Series((places.peers_end - places.start) / np.maximum(size, 1))
        case "ntile":
            return pl.Series(_tiles(place, size, call.count))
        case "lag" | "lead":
            return _neighbours(call, places, rows)
        case _:
            return _of_frame(call, places, rows)


def _tiles(place: Ints, size: Ints, count: int) -> Ints:
    """The first parts have one row more where the rows cannot be divided evenly."""
    length, larger = size // count, size % count
    within = place < larger * (length + 1)
    rest = larger + (place - larger * (length + 1)) // np.maximum(length, 1)
    tile: Ints = np.where(within, place // (length + 1), rest) + 1
    return tile


class _Counting:
    """The rows that a call counts, all or those whose argument is not NULL: where they are, and how many
    there are before each row."""

    def __init__(self, call: Computed, places: Places, rows: Rows) -> None:
        assert call.argument is not None
        self.column = rows.frame[call.argument]
        self.ranks = places.ranks
        counts = np.ones(len(places.here), bool)
        if call.ignore_nulls:
            counts = self.column.is_not_null().to_numpy()[places.ranks]
        self.before = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
        self._places = np.flatnonzero(counts)

    def at(self, number: Ints, start: Ints, end: Ints) -> pl.Series:
        """The argument of the row with a number among those that count; NULL unless it is in [start, end)."""
        known = (number >= self.before[start]) & (number < self.before[end])
        if not len(self._places):
            return self.column.clear().extend_constant(None, len(number))
        places = self._places[np.clip(number, 0, len(self._places) - 1)]
        ranks = pl.Series(self.ranks[places]).set(pl.Series(~known), None)
        return self.column.gather(ranks)

    def has(self, number: Ints, start: Ints, end: Ints) -> pl.Series:
        """Whether there is such a row."""
        return pl.Series((number >= self.before[start]) & (number < self.before[end]))


def _neighbours(call: Computed, places: Places, rows: Rows) -> pl.Series:
    """LAG and LEAD."""
    counting = _Counting(call, places, rows)
    here = places.here
    if call.count == 0:
        return counting.column.gather(places.ranks)
    if call.function == "lag":
        number, start, end = counting.before[here] - call.count, places.start, here
    else:
        number, start, end = counting.before[here + 1] + call.count - 1, here + 1, places.end
    neighbour = counting.at(number, start, end)
    if call.default is None:
        return neighbour
    default = rows.frame[call.default].gather(places.ranks)
    is_there = counting.has(number, start, end)
    return pl.select(pl.when(is_there).then(neighbour).otherwise(default)).to_series()


def _of_frame(call: Computed, places: Places, rows: Rows) -> pl.Series:
    """FIRST_VALUE, LAST_VALUE and NTH_VALUE."""
    counting = _Counting(call, places, rows)
    start, end = places.frame(call.frame, rows)
    if call.function == "last_value":
        return counting.at(counting.before[end] - 1, start, end)
    return counting.at(counting.before[start] + call.count - 1, start, end)


def _aggregate(call: Call, frame: Frame, places: Places, rows: Rows) -> pl.Series:
    start, end = places.frame(frame, rows)
    if call.needs_set or not (call.is_linear or call.function in _ORDERED):
        return _one_by_one(call, start, end, places, rows)
    if call.is_linear:
        return _linear(call, start, end, places, rows)
    assert call.argument is not None
    column = rows.frame[call.argument].gather(places.ranks)
    present = column.is_not_null().to_numpy()
    ranks = np.zeros(len(column), np.int64)
    ranks[present], distinct = statistics.ranked(column.drop_nulls())
    return statistics.statistic(call, ranks, present.astype(np.int64), start, end, distinct)


def _linear(call: Call, start: Ints, end: Ints, places: Places, rows: Rows) -> pl.Series:
    """An aggregate that is a function of sums: differences of running sums."""
    one = rows.frame.with_columns(pl.lit(1, pl.Int64).alias(N))
    sums = [pl.Series("@:count", end - start)] if call.argument is None else []
    for column in weights(call, "@", one, call.argument):
        running = np.concatenate([np.zeros(1, np.int64), np.cumsum(column.to_numpy()[places.ranks])])
        sums.append(pl.Series(column.name, running[end] - running[start]))
    return value(call, "@", pl.DataFrame(sums))


def _one_by_one(call: Call, start: Ints, end: Ints, places: Places, rows: Rows) -> pl.Series:
    """Any aggregate: that of a group for each different frame, with all its rows."""
    bounds, numbers = np.unique(np.stack([start, end]), axis=1, return_inverse=True)
    lengths = bounds[1] - bounds[0]
    frames = np.repeat(np.arange(len(lengths)), lengths)
    inside = np.arange(len(frames)) - np.repeat(np.cumsum(lengths) - lengths, lengths) + bounds[0][frames]
    times = (pl.lit(at, pl.Int64).alias(name) for name, at in ((FROM, 0), (TO, INFINITY), (N, 1)))
    members = rows.frame[places.ranks[inside]].with_columns(pl.Series(FRAME, frames), *times)
    one = _grouped(members, [FRAME], call)
    results = column_of([None] * len(lengths), call.type)
    if len(lengths) and not lengths.min():
        results = _grouped(members.clear(), [], call)[call.name].gather(np.zeros(len(lengths), np.int64))
    if one.height:
        results = results.scatter(one[FRAME].to_numpy(), one[call.name])
    return results.gather(numbers.reshape(-1)).alias(call.name)


def _grouped(members: pl.DataFrame, keys: list[str], call: Call) -> pl.DataFrame:
    state = State(aggregates.state_layout(keys, [call]))
    return aggregates.aggregate(state, members, keys, [call], 0, 1)
