"""Recursion instant by instant: at each one at which an input changes, rounds until one adds nothing.

    instant    3          7              9
    inputs     + edges    + edges        - edges
    rounds     0 1 2      3 4            0 1 2 3
                          from there on  anew

A machine runs the graph of a round; its instants are the rounds, and it is incremental in them. If a relation
of distinct rows only grows with its inputs, insertions are one more round; otherwise all is computed again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from slackwater.algebra.recursion import ITSELF
from slackwater.base.time import INFINITY
from slackwater.kernels.frames import FROM, TIMES, TO, N, columns_of, concatenated
from slackwater.kernels.recursion.rounds import OUTPUT, Rounds, check
from slackwater.kernels.state import Retention, State

ROWS = "rows"


def state_layout(count: int) -> dict[str, Retention]:
    """The elements of each input until they end, and the rows of the recursion."""
    inputs = {_input(place): Retention(due=TO, by=(), summed=N) for place in range(count)}
    return {**inputs, ROWS: Retention(due=TO, by=(), summed=N)}


def _input(place: int) -> str:
    return f"input {place}"


@dataclass(slots=True)
class Recursion:
    """The rows of a recursion at an instant, and the machine that has computed them."""

    make: Callable[[], Rounds]
    names: Sequence[str]
    """The sources of a round: what it starts with, then the others."""
    distinct: bool
    rows: pl.DataFrame
    """Elements with their copies; those of one row may be several."""
    machine: Rounds | None = None
    number: int = 0

    def anew(self, inputs: Sequence[pl.DataFrame]) -> None:
        """Compute all from the rows of the inputs."""
        self.machine, self.number = self.make(), 0
        self.rows = self._least(inputs) if self.distinct else self._all_rounds(inputs)

    def further(self, inputs: Sequence[pl.DataFrame], whole: Sequence[pl.DataFrame]) -> pl.DataFrame:
        """Add what insertions add, and give it; without a machine, one gets what there is (`whole`) first."""
        if self.machine is None:
            self.machine, self.number = self.make(), 0
            known = dict(zip(self.names, whole, strict=True)) | {ITSELF: self.rows}
            self._round(known)
        more = self._least(inputs)
        self.rows = concatenated([self.rows, more])
        return more

    def _least(self, inputs: Sequence[pl.DataFrame]) -> pl.DataFrame:
        """What is new in the rounds from these inputs on."""
        rounds = [self._round(dict(zip(self.names, inputs, strict=True)))]
        while rounds[-1].height:
            check(len(rounds))
            rounds.append(self._round({ITSELF: rounds[-1]}))
        return concatenated(rounds)

    def _all_rounds(self, inputs: Sequence[pl.DataFrame]) -> pl.DataFrame:
        start, *others = inputs
        known = dict(zip(self.names[1:], others, strict=True))
        rounds = [start]
        while rounds[-1].height:
            check(len(rounds))
            # The rows of a round are read in that round only.
            rows = rounds[-1].with_columns(pl.lit(self.number + 1, pl.Int64).alias(TO))
            rounds.append(self._round({ITSELF: rows, **known}))
            known = {}
        return concatenated(rounds)

    def _round(self, inputs: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
        assert self.machine is not None
        now = pl.lit(self.number, pl.Int64).alias(FROM)
        out = self.machine.epoch(
            {name: frame.with_columns(now) for name, frame in inputs.items()}, self.number, self.number + 1
        )[OUTPUT]
        self.number += 1
        return out.with_columns(pl.lit(INFINITY, pl.Int64).alias(TO))


def recursion(
    state: State, inputs: Sequence[pl.DataFrame], one: Recursion, grows: bool, lo: int, hi: int
) -> pl.DataFrame:
    """The changes of the recursion's rows in the epoch [lo, hi), at the instants at which inputs change."""
    whole = [_with_old(state, place, frame, lo) for place, frame in enumerate(inputs)]
    for place, frame in enumerate(inputs):
        state.add(_input(place), frame.filter(pl.col(TO) >= hi).drop(FROM))
    rows = state.get(ROWS)
    if rows is not None:
        one.rows = rows.with_columns(pl.lit(lo, pl.Int64).alias(FROM)).select(one.rows.columns)
    output = [one.rows.clear()]
    for t in _instants(whole, lo, hi):
        output.append(_change(one, whole, grows, t))
    changes = concatenated(output)
    state.add(ROWS, changes.drop(FROM))
    return changes


def _with_old(state: State, place: int, new: pl.DataFrame, lo: int) -> pl.DataFrame:
    """The elements that are alive in the epoch or just before it."""
    old = state.get(_input(place))
    if old is None:
        return new
    since = pl.lit(lo - 1, pl.Int64).alias(FROM)
    return concatenated([old.filter(pl.col(TO) >= lo).with_columns(since).select(new.columns), new])


def _instants(frames: Sequence[pl.DataFrame], lo: int, hi: int) -> list[int]:
    edges = [frame[name].to_numpy() for frame in frames for name in (FROM, TO)]
    every = np.unique(np.concatenate(edges))
    return [int(t) for t in every if lo <= t < hi]


def _change(one: Recursion, frames: Sequence[pl.DataFrame], grows: bool, t: int) -> pl.DataFrame:
    """The change of the rows at t."""
    starting = [frame.filter(pl.col(FROM) == t) for frame in frames]
    is_insertion = all(bool((frame[N] > 0).all()) for frame in starting)
    is_growth = is_insertion and not any((frame[TO] == t).any() for frame in frames)
    at = pl.lit(t, pl.Int64).alias(FROM)
    if grows and is_growth:
        before = [_alive(frame, t - 1) for frame in frames]
        return one.further([_forever(frame) for frame in starting], before).with_columns(at)
    former = one.rows
    one.anew([_alive(frame, t) for frame in frames])
    change = concatenated([one.rows, former.with_columns(-pl.col(N))])
    names = columns_of(change)
    net = change.group_by(*names).agg(pl.col(N).sum()).filter(pl.col(N) != 0)
    end = pl.lit(INFINITY, pl.Int64).alias(TO)
    return net.with_columns(at, end).select(*names, *TIMES)


def _alive(frame: pl.DataFrame, t: int) -> pl.DataFrame:
    return _forever(frame.filter((pl.col(FROM) <= t) & (pl.col(TO) > t)))


def _forever(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.with_columns(pl.lit(INFINITY, pl.Int64).alias(TO))
