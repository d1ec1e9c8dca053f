"""The best-match join for each row of the left side: the pairs that no pair of the same left row dominates.

    r        [────────────────────)
    s        [──────────────)
    s'            [────)               (r, s') dominates (r, s)
    (r, s)   [────)    [────)

In an epoch only rows of the left side are considered that are new, or near a row of the right side that
starts or ends in it. Of the right side, rows that live through the whole epoch are searched for the best ones
(`pairs`), which leaves few to compare with those that start and end. Where windows are on disk, that is done
in shares of the grid.

Whether a pair is dominated at an instant depends on the right side alone: while r is alive, (r, s') is alive
as long as s' is. So each element of the left side is a group of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import polars as pl

from slackwater.base.time import INFINITY
from slackwater.kernels.bestmatch.cells import CELL, cells_around, with_cell
from slackwater.kernels.bestmatch.lifetimes import Members, best_times, concatenated
from slackwater.kernels.bestmatch.matching import Matching, Sides, may_have_partners, paired
from slackwater.kernels.bestmatch.pairs import Pairs
from slackwater.kernels.bestmatch.rounds import Ints
from slackwater.kernels.bestmatch.shares import Placed, around, shares
from slackwater.kernels.frames import FROM, TIMES, TO, N, columns_of
from slackwater.kernels.frames import concatenated as together
from slackwater.kernels.joins import closed
from slackwater.kernels.keys import member, number_keys
from slackwater.kernels.state import Retention, State
from slackwater.physical.stages.plan import ENDS as SIDE_ENDS
from slackwater.physical.stages.plan import SIDES

LEFT, RIGHT = SIDES
ENDS = dict(zip(SIDES, SIDE_ENDS, strict=True))
_AT_A_TIME = 5_000
"""An epoch in which more elements start is computed in parts, unless more than that are alive."""
_ROWS = 1 << 18
"""How many rows of the left side are compared at a time, where some of the right side start or end."""


def state_layout(left: tuple[str, ...], right: tuple[str, ...]) -> dict[str, Retention]:
    """The elements of both sides by key and cell, and by when they end."""
    return {
        LEFT: Retention(due=TO, by=(*left, CELL), summed=N, may_spill=True),
        RIGHT: Retention(due=TO, by=(*right, CELL), summed=N, may_spill=True),
        ENDS[LEFT]: Retention(due=TO, may_spill=True),
        ENDS[RIGHT]: Retention(due=TO, may_spill=True),
    }


def match(
    state: State,
    left: pl.DataFrame,
    right: pl.DataFrame,
    matching: Matching,
    lo: int,
    hi: int,
    is_final: bool,
) -> pl.DataFrame:
    """The changes of the best pairs in the epoch [lo, hi).

    State: the elements of both sides that are alive at hi - 1. If no input is ever taken back (`is_final`), a
    pair ends with its sides; otherwise it has no end until it is taken back.
    """
    sides = [
        with_cell(matching, frame.filter(may_have_partners(matching, side)), side)
        for side, frame in enumerate((left, right))
    ]
    bounds = [lo, *_cuts(state, sides), hi]
    parts = []
    for start, end in pairwise(bounds):
        new = [_starting(frame, start, end) for frame in sides]
        epoch = _Epoch(state, matching, start, end, is_final)
        parts.append(epoch.changes(*new))
        for name, frame in zip(SIDES, new, strict=True):
            live = frame.filter(pl.col(TO) >= end).drop(FROM)
            state.add(name, live)
            if name == RIGHT or not is_final:
                state.add(ENDS[name], live.filter(pl.col(TO) < INFINITY).drop(N))
        if end < hi:
            state.expire(end)
    return together(parts)


def _cuts(state: State, new: list[pl.DataFrame]) -> list[int]:
    """Where to cut the epoch so that in a part few elements start, of those that are alive."""
    starts = np.sort(np.concatenate([frame[FROM].to_numpy() for frame in new]))
    size = max(_AT_A_TIME, state.rows // 8)
    cuts = np.unique(starts[size::size]) if len(starts) else starts
    return [int(cut) for cut in cuts if cut > starts[0]]


def _starting(frame: pl.DataFrame, lo: int, hi: int) -> pl.DataFrame:
    return frame.filter(pl.col(FROM).is_between(lo, hi, closed="left"))


@dataclass(frozen=True, slots=True)
class _Epoch:
    state: State
    matching: Matching
    lo: int
    hi: int
    is_final: bool

    def changes(self, left: pl.DataFrame, right: pl.DataFrame) -> pl.DataFrame:
        """The changes of the best pairs, from the new elements of both sides."""
        names = [*columns_of(left), *columns_of(right), *TIMES]
        empty = left.clear().drop(CELL, *TIMES).hstack(right.clear().drop(CELL))
        parts = [part.select(names) for share in self._shares(left, right) for part in self._of(share)]
        return together([*parts, empty.select(names)])

    def _shares(self, left: pl.DataFrame, right: pl.DataFrame) -> Iterator[_Share]:
        """What the epoch has to do; one share after the other where not all rows are in memory."""
        events = self._events(RIGHT, right)
        changed = left.clear() if self.is_final else self._events(LEFT, left)
        columns = self._columns(LEFT)
        touched = cells_around(self.matching, events, 1)
        touched.columns = list(columns)
        touched = pl.concat([touched, changed.select(columns)])
        buffer = self.state.buffer
        if buffer is None:
            yield _Share(left, right, self._affected(touched, events, changed, left))
            return
        mine = [Placed(frame, columns) for frame in (left, changed, touched)]
        theirs = [Placed(frame, self._columns(RIGHT)) for frame in (right, events)]
        every = pl.concat([touched, left.select(columns)])
        for cells in shares(self.state, self.matching, every, buffer):
            new, some, sought = (placed.within(cells.range) for placed in mine)
            near = around(self.matching, cells)
            others, ends = (placed.within(near) for placed in theirs)
            # A state may find more than is sought, and no left row may be in two shares.
            old = Placed(self._affected(sought, ends, some, left), columns).within(cells.range)
            yield _Share(new, others, old)

    def _of(self, share: _Share) -> Iterator[pl.DataFrame]:
        mine = together([share.left, share.old])
        theirs = together([share.right, self._near(mine, share.right)])
        here, there = (_Side.of(frame, self.hi, self.is_final) for frame in (mine, theirs))
        return (self._pieces(here, there, pieces) for pieces in self._best(here, there))

    def _columns(self, side: str) -> tuple[str, ...]:
        """The columns by which a side is looked up."""
        return (*(self.matching.left if side == LEFT else self.matching.right), CELL)

    def _affected(
        self, sought: pl.DataFrame, events: pl.DataFrame, changed: pl.DataFrame, like: pl.DataFrame
    ) -> pl.DataFrame:
        """The old elements of the left side in these cells whose pairs may change."""
        old = self._old(LEFT, sought, like)
        if not old.height:
            return old
        is_affected = np.zeros(old.height, np.bool_)
        is_affected[Sides.of(self.matching, old, events).near()] = True
        if changed.height:
            olds, numbers = number_keys([old, changed], [*columns_of(like), CELL])
            is_affected |= member(olds, numbers)
        return old.filter(pl.Series(is_affected, dtype=pl.Boolean))

    def _events(self, side: str, new: pl.DataFrame) -> pl.DataFrame:
        """The rows of a side that start, are taken back or end in the epoch."""
        due = self.state.falling_due(ENDS[side], self.lo, self.hi)
        rows = new.drop(TIMES)
        return rows if due is None else pl.concat([rows, due.select(rows.columns)])

    def _near(self, rows: pl.DataFrame, like: pl.DataFrame) -> pl.DataFrame:
        """The old elements of the right side that can be near one of these rows of the left side."""
        return self._old(RIGHT, cells_around(self.matching, rows, 0), like) if rows.height else like.clear()

    def _old(self, side: str, sought: pl.DataFrame, like: pl.DataFrame) -> pl.DataFrame:
        """The elements in a side's state that were alive just before the epoch, as if they started then."""
        old = self.state.candidates(side, sought, self._columns(LEFT)) if sought.height else None
        if old is None:
            return like.clear()
        since = pl.lit(self.lo - 1, pl.Int64).alias(FROM)
        return old.filter(pl.col(TO) >= self.lo).with_columns(since).select(like.columns)

    def _best(self, left: _Side, right: _Side) -> Iterator[_Pieces]:
        """When which pairs are best: in pieces of time inside the epoch, and just before it."""
        if not len(left.begin) or not len(right.begin):
            return
        sides = Sides.of(self.matching, left.frame, right.frame)
        lives_through = (right.begin <= left.begin.min()) & (right.end >= left.end.max())
        stable, changing = np.flatnonzero(lives_through), np.flatnonzero(~lives_through)
        every = np.arange(len(left.begin))
        if not len(changing):
            for pairs in sides.best(every, stable):
                begin, end = _lifetimes(left, right, pairs)
                yield _Pieces(pairs.lefts, pairs.rights, begin, end)
        elif not sides.is_plain:
            yield from _over_time(left, right, sides.candidates(every, np.arange(len(right.begin))), None)
        else:
            for low in range(0, len(every), _ROWS):
                rows = every[low : low + _ROWS]
                best = _sorted(list(sides.best(rows, stable)), len(self.matching.dimensions))
                yield from _over_time(left, right, sides.candidates(rows, changing), best)

    def _pieces(self, left: _Side, right: _Side, pieces: _Pieces) -> pl.DataFrame:
        """The changes: what is best from some instant of the epoch on, and what no longer is.

        A pair that was best just before the epoch is in earlier answers, with its end.
        """
        ends = np.minimum(left.known_end[pieces.lefts], right.known_end[pieces.rights])
        is_old = pieces.begin < self.lo
        is_open = pieces.end >= self.hi
        stays = np.flatnonzero(~is_old | (~is_open & (pieces.end < ends)))
        pieces, ends, is_old, is_open = pieces[stays], ends[stays], is_old[stays], is_open[stays]
        copies = left.copies[pieces.lefts] * right.copies[pieces.rights]
        return paired(left.frame, right.frame, pieces.lefts, pieces.rights).with_columns(
            pl.Series(FROM, np.where(is_old, pieces.end, pieces.begin)),
            pl.Series(TO, np.where(is_old | is_open, ends, pieces.end)),
            pl.Series(N, np.where(is_old, -copies, copies)),
        )


class _Share(NamedTuple):
    """New elements of both sides, and old ones of the left side whose pairs may change."""

    left: pl.DataFrame
    right: pl.DataFrame
    old: pl.DataFrame


@dataclass(frozen=True, slots=True)
class _Side:
    """The elements of a side: their lifetimes in the epoch, and the ends that answers have."""

    frame: pl.DataFrame
    begin: Ints
    end: Ints
    known_end: Ints
    copies: Ints

    @classmethod
    def of(cls, frame: pl.DataFrame, hi: int, is_final: bool) -> _Side:
        if not is_final:
            frame = closed(frame).filter(pl.col(FROM) < hi)
        begin, end, copies = (frame[name].to_numpy() for name in TIMES)
        known_end = end if is_final else np.full(len(end), INFINITY)
        return cls(frame, begin, np.minimum(end, hi), known_end, copies)


@dataclass(frozen=True, slots=True)
class _Pieces:
    """Places of both sides, and a time at which the pair is best."""

    lefts: Ints
    rights: Ints
    begin: Ints = field(repr=False)
    end: Ints = field(repr=False)

    def __getitem__(self, places: Ints) -> _Pieces:
        return _Pieces(self.lefts[places], self.rights[places], self.begin[places], self.end[places])


def _lifetimes(left: _Side, right: _Side, pairs: Pairs) -> tuple[Ints, Ints]:
    return (
        np.maximum(left.begin[pairs.lefts], right.begin[pairs.rights]),
        np.minimum(left.end[pairs.lefts], right.end[pairs.rights]),
    )


def _sorted(shares: list[Pairs], dimensions: int) -> Pairs:
    """All pairs of the shares, by left row."""
    if not shares:
        return Pairs(np.zeros(0, np.int64), np.zeros(0, np.int64), (np.zeros(0),) * dimensions)
    distances = tuple(np.concatenate(parts) for parts in zip(*(s.distances for s in shares), strict=True))
    lefts, rights = (
        np.concatenate([getattr(share, name) for share in shares]) for name in ("lefts", "rights")
    )
    return Pairs(lefts, rights, distances)[np.argsort(lefts, kind="stable")]


def _over_time(left: _Side, right: _Side, shares: Iterator[Pairs], best: Pairs | None) -> Iterator[_Pieces]:
    """When the pairs are best, compared with the best ones that live through the epoch, too."""
    done: list[Ints] = []
    for pairs in shares:
        rows = np.unique(pairs.lefts)
        done.append(rows)
        parts = [pairs] if best is None else [pairs, best[np.flatnonzero(member(best.lefts, rows))]]
        members = [Members(one.lefts, one.distances, *_lifetimes(left, right, one)) for one in parts]
        rights = np.concatenate([one.rights for one in parts])
        groups = np.concatenate([one.lefts for one in parts])
        order = np.argsort(groups, kind="stable")
        places, begin, end = best_times(concatenated(members))
        yield _Pieces(groups[order][places], rights[order][places], begin, end)
    if best is not None:
        alone = best[np.flatnonzero(~member(best.lefts, np.concatenate([*done, np.zeros(0, np.int64)])))]
        begin, end = _lifetimes(left, right, alone)
        yield _Pieces(alone.lefts, alone.rights, begin, end)
