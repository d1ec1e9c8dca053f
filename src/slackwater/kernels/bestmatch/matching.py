"""What pairs of a best-match join are: their keys, the distances that bound them, their dimensions.

Dimensions that all are distances |a - b| of numbers are searched by their values alone (`pairs`). Other ones,
and further conditions, are computed of all candidates, which keys and bounded distances narrow down.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from slackwater.kernels.bestmatch.pairs import Pairs, best_partners, candidates
from slackwater.kernels.bestmatch.rounds import Ints
from slackwater.kernels.bestmatch.skyline import Dimension, skyline
from slackwater.kernels.bestmatch.strips import Points
from slackwater.kernels.frames import columns_of
from slackwater.kernels.keys import number_keys

_LARGE = 1 << 61
"""Differences of whole numbers below it are whole numbers of 64 bits."""


@dataclass(frozen=True, slots=True)
class Distance:
    """|a - b| ≤ bound, for a value of either side; the bound may be infinite."""

    left: pl.Expr
    right: pl.Expr
    bound: float


@dataclass(frozen=True, slots=True)
class Matching:
    """Which pairs are candidates, and in what they are compared."""

    left: tuple[str, ...]
    right: tuple[str, ...]
    """The columns that are equal; NULL equals nothing."""
    distances: tuple[Distance, ...]
    dimensions: tuple[tuple[pl.Expr, bool], ...]
    """Of the pair, each with whether more is better."""
    admits: pl.Expr | None
    """A condition on the pair, besides the keys."""
    is_plain: bool
    """Whether the distances are the dimensions, and their bounds the whole condition."""

    @property
    def bounds(self) -> tuple[float, ...]:
        return tuple(distance.bound for distance in self.distances) or (np.inf,)


@dataclass(frozen=True, slots=True)
class Sides:
    """The rows of both sides that can have partners: their places in the frames, and their points."""

    matching: Matching
    frames: tuple[pl.DataFrame, pl.DataFrame]
    points: tuple[Points, Points]
    is_searchable: bool
    """Whether the values of the distances are finite; otherwise all pairs with equal keys are candidates."""

    @property
    def is_plain(self) -> bool:
        return self.matching.is_plain and self.is_searchable

    @classmethod
    def of(cls, matching: Matching, left: pl.DataFrame, right: pl.DataFrame) -> Sides:
        """From the rows of both sides, all of which `may_have_partners`."""
        frames = (left, right)
        names = [str(at) for at in range(len(matching.left))]
        keys = number_keys([_keys(matching, frame, side) for side, frame in enumerate(frames)], names)
        values = [_values(matching, frame, side) for side, frame in enumerate(frames)]
        is_searchable = all(_is_searchable(value) for side in values for value in side)
        if not is_searchable:
            values = [[np.zeros(len(frame))] for frame in frames]
        mine, theirs = (Points(key, tuple(value)) for key, value in zip(keys, values, strict=True))
        return cls(matching, frames, (mine, theirs), is_searchable)

    @property
    def bounds(self) -> tuple[float, ...]:
        return self.matching.bounds if self.is_searchable else (np.inf,)

    def candidates(self, lefts: Ints, rights: Ints) -> Iterator[Pairs]:
        """All candidates of rows of both sides, with their dimensions; in shares, by left row."""
        for pairs in candidates(self.points[0][lefts], self.points[1][rights], self.bounds):
            there = Pairs(lefts[pairs.lefts], rights[pairs.rights], pairs.distances)
            yield there if self.is_plain else self._measured(there)

    def best(self, lefts: Ints, rights: Ints) -> Iterator[Pairs]:
        """The candidates that none of the same left row dominates, in shares."""
        if not self.is_plain:
            for pairs in self.candidates(lefts, rights):
                yield pairs[skyline(pairs.lefts, pairs.distances)]
            return
        for pairs in best_partners(self.points[0][lefts], self.points[1][rights], self.bounds):
            yield Pairs(lefts[pairs.lefts], rights[pairs.rights], pairs.distances)

    def near(self) -> Ints:
        """The places of left rows that may have a candidate on the right, in order."""
        shares = [np.unique(pairs.lefts) for pairs in candidates(*self.points, self.bounds)]
        return np.unique(np.concatenate(shares)) if shares else np.zeros(0, np.int64)

    def _measured(self, pairs: Pairs) -> Pairs:
        """The candidates for which the condition holds, with all dimensions."""
        rows = paired(*self.frames, pairs.lefts, pairs.rights)
        if self.matching.admits is not None:
            is_admitted = rows.select(self.matching.admits.fill_null(False)).to_series().to_numpy()
            places = np.flatnonzero(np.broadcast_to(is_admitted, len(pairs.lefts)))
            pairs, rows = pairs[places], rows[places]
        return Pairs(pairs.lefts, pairs.rights, measured(rows, self.matching.dimensions))


def paired(left: pl.DataFrame, right: pl.DataFrame, lefts: Ints, rights: Ints) -> pl.DataFrame:
    """The rows of the pairs at these places. Either side may have no columns."""
    columns = [left[name].gather(lefts) for name in columns_of(left)]
    return pl.DataFrame(columns + [right[name].gather(rights) for name in columns_of(right)])


def _is_searchable(values: Dimension) -> bool:
    if values.dtype.kind == "f":
        return bool(np.isfinite(values).all())
    return not len(values) or max(abs(int(values.min())), abs(int(values.max()))) < _LARGE


def measured(rows: pl.DataFrame, dimensions: tuple[tuple[pl.Expr, bool], ...]) -> tuple[Dimension, ...]:
    """The dimensions of rows as numbers of which less is better, comparable among these rows."""
    columns = rows.select(expr.alias(str(at)) for at, (expr, _) in enumerate(dimensions))
    if len(columns) != len(rows):  # dimensions without columns have one value
        columns = pl.concat([columns] * len(rows)) if len(rows) else columns.clear()
    return tuple(
        _ascending(columns[str(at)], more_is_better) for at, (_, more_is_better) in enumerate(dimensions)
    )


def _ascending(values: pl.Series, more_is_better: bool) -> Dimension:
    if values.dtype.is_float() and not values.is_nan().any():
        doubles: Dimension = values.cast(pl.Float64).to_numpy()
        return -doubles if more_is_better else doubles
    if values.dtype.is_integer() or values.dtype.is_temporal():
        whole: Dimension = values.to_physical().cast(pl.Int64).to_numpy()
    else:
        whole = values.rank("dense").cast(pl.Int64).to_numpy()
    return ~whole if more_is_better else whole


def may_have_partners(matching: Matching, side: int) -> pl.Expr:
    """Whether no key and no value of a distance is NULL."""
    keys = [pl.col(name) for name in (matching.left, matching.right)[side]]
    values = [(one.left, one.right)[side] for one in matching.distances]
    return pl.all_horizontal(pl.lit(True), *(expr.is_not_null() for expr in (*keys, *values)))


def _keys(matching: Matching, frame: pl.DataFrame, side: int) -> pl.DataFrame:
    """A side's keys under names that both sides share."""
    columns = (matching.left, matching.right)[side]
    return frame.select(pl.col(name).alias(str(at)) for at, name in enumerate(columns)) if columns else frame


def _values(matching: Matching, frame: pl.DataFrame, side: int) -> list[Dimension]:
    """A side's values, whole numbers or doubles; both sides of a distance alike."""
    if not matching.distances:
        return [np.zeros(len(frame))]
    exprs = [(one.left, one.right)[side] for one in matching.distances]
    columns = frame.select(expr.alias(str(at)) for at, expr in enumerate(exprs))
    return [column.to_numpy() for column in columns]
