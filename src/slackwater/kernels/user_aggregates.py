"""Aggregates of users over the current rows of groups.

A class with `retract` has one object for the places of a group: at each place the rows that have come since
the last one are added, and those that have gone are retracted. Any other aggregate is computed anew at each
place. Only rows are state: an object lives as long as its epoch.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Protocol

import numpy as np
import polars as pl

from slackwater.algebra.errors import aggregate_failed
from slackwater.algebra.expressions import Aggregation
from slackwater.algebra.users.aggregates import (
    Accumulator,
    Failed,
    argument_types,
    bag_value,
    group_in_words,
    retracts,
)
from slackwater.algebra.values import Row
from slackwater.base.diagnostic import EngineError
from slackwater.kernels.collected import counted, in_order, present, spread
from slackwater.kernels.expressions.values import column_of
from slackwater.kernels.order import Ints


def user_values(
    call: Aggregation,
    ranks: Ints,
    weight: Ints,
    begin: Ints,
    end: Ints,
    values: pl.Series,
    shown: Ints | None,
) -> pl.Series:
    """The aggregate of each range [begin, end) of values; NULL where `shown` is 0, and there is no group."""
    assert call.user is not None
    assert call.argument is not None
    rows = in_order(values, call.argument.type)
    compute: _Compute = _Running(call, *rows) if retracts(call.user) else _Anew(call, *rows)
    visible = np.ones(len(begin), np.int64) if shown is None else shown
    results: list[Any] = []
    try:
        for is_there, (counts, changed) in zip(
            visible.tolist(), counted(ranks, weight, begin, end), strict=True
        ):
            compute.move(counts, changed)
            results.append(compute.value(counts) if is_there else None)
    except Failed as failed:
        raise EngineError(aggregate_failed(call, failed)) from failed.__cause__
    return column_of(results, call.type)


class _Compute(Protocol):
    def move(self, counts: Counter[int], changed: set[int] | None) -> None:
        """Take notice of the ranks whose copies have changed; None for all of another group."""

    def value(self, counts: Counter[int]) -> Any:
        """The aggregate of the values with these copies."""


class _Anew:
    """The aggregate of all rows, at each place."""

    def __init__(self, call: Aggregation, distinct: list[Row], places: list[int]) -> None:
        assert call.user is not None
        self._function, self._types = call.user, argument_types(call)
        self._distinct, self._places = distinct, places

    def move(self, counts: Counter[int], changed: set[int] | None) -> None:
        pass

    def value(self, counts: Counter[int]) -> Any:
        bag = spread(present(counts, self._distinct, self._places))
        return bag_value(self._function, bag, self._types)


class _Running:
    """An object of the class, with the rows that have been added to it and not retracted."""

    def __init__(self, call: Aggregation, distinct: list[Row], places: list[int]) -> None:
        assert call.user is not None
        self._function, self._types = call.user, argument_types(call)
        self._distinct, self._places = distinct, places
        self._forget()

    def _forget(self) -> None:
        self._state: Accumulator | None = None
        self._held: dict[int, int] = {}
        self._size = 0
        self._waiting: set[int] = set()

    def move(self, counts: Counter[int], changed: set[int] | None) -> None:
        if changed is None:
            self._forget()
        self._waiting |= counts.keys() if changed is None else changed

    def value(self, counts: Counter[int]) -> Any:
        order = sorted(self._waiting, key=self._places.__getitem__)
        moves = [(rank, max(counts[rank], 0) - self._held.get(rank, 0)) for rank in order]
        self._size += sum(copies for _, copies in moves)
        if not self._size or self._state is None:
            # Without rows an object is as new: what rounding has left in it is gone.
            self._held = {}
            self._state = Accumulator(self._function, self._types)
            moves = [(rank, copies) for rank, copies in moves if copies > 0] if self._size else []
        self._apply(moves)
        self._waiting = set()
        return self._state.finish(lambda: self._in_words(counts))

    def _apply(self, moves: list[tuple[int, int]]) -> None:
        assert self._state is not None
        for rank, copies in moves:
            for _ in range(copies):
                self._state.add(self._distinct[rank])
        for rank, copies in moves:
            for _ in range(-copies):
                self._state.retract(self._distinct[rank])
            self._held[rank] = self._held.get(rank, 0) + copies

    def _in_words(self, counts: Counter[int]) -> str:
        return group_in_words(spread(present(counts, self._distinct, self._places)))
