"""Conditions as keys of a group: rows that no condition tells apart are one class.

    t > 20, t > 30, t <= 40         classes of t:   0 | 20 | 1 | 30 | 2 | 40 | 3         t > 30 is: class ≥ 2

Ranges of a column divide its values into classes; another condition is a key itself, true, false or NULL.
What can be computed from keys that are there anyway needs no further key.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from math import prod
from typing import Any

from slackwater.algebra.expressions import Case, Column, Expression, Literal, column
from slackwater.algebra.types import BIGINT, BOOLEAN
from slackwater.optimize.build import call
from slackwater.optimize.sharing.conditions import Bound, bound
from slackwater.optimize.sharing.match import computed_from

Cut = tuple[Any, bool]
"""Between the values below and above: before the value itself, or (True) after it."""


class Buckets:
    """Keys for conditions, beside keys that are there anyway."""

    def __init__(self, conditions: Iterable[Expression], keys: Mapping[Expression, str]) -> None:
        self._table = {key: column(name, key.type) for key, name in keys.items()}
        self._cuts: dict[Column, dict[Cut, Literal]] = {}
        self._booleans: dict[Expression, str] = {}
        for condition in conditions:
            self._add(condition)
        self._order = {one: sorted(cuts) for one, cuts in self._cuts.items()}
        self._names = {one: f"b:{at}" for at, one in enumerate(self._cuts)}

    def _add(self, condition: Expression) -> None:
        if computed_from(condition, self._table) is not None:
            return
        limit = bound(condition)
        if limit is None:
            self._booleans.setdefault(condition, f"c:{len(self._booleans)}")
            return
        for cut in (_low(limit), _high(limit)):
            if cut is not None:
                self._cuts.setdefault(limit.column, {})[cut] = limit.literal

    @property
    def count(self) -> int:
        """How many classes of rows there may be."""
        return prod([3] * len(self._booleans) + [len(cuts) + 1 for cuts in self._cuts.values()])

    @property
    def columns(self) -> dict[str, Expression]:
        """The further keys."""
        classes = {self._names[one]: self._class(one) for one in self._cuts}
        return classes | {name: condition for condition, name in self._booleans.items()}

    def condition(self, condition: Expression) -> Expression:
        """The condition over the keys."""
        if (known := computed_from(condition, self._table)) is not None:
            return known
        if condition in self._booleans:
            return column(self._booleans[condition], BOOLEAN)
        limit = bound(condition)
        assert limit is not None
        place = column(self._names[limit.column], BIGINT)
        low, high = _low(limit), _high(limit)
        parts = [] if low is None else [call("ge", place, self._number(limit.column, low, 1))]
        parts += [] if high is None else [call("le", place, self._number(limit.column, high, 0))]
        return parts[0] if len(parts) == 1 else call("and", *parts)

    def _number(self, one: Column, cut: Cut, above: int) -> Literal:
        """The class under a cut, or the one above it."""
        return Literal(BIGINT, bisect_left(self._order[one], cut) + above)

    def _class(self, one: Column) -> Expression:
        """How many cuts are below the value; NULL for NULL."""
        branches: list[tuple[Expression, Expression]] = []
        for number, cut in reversed(list(enumerate(self._order[one], start=1))):
            literal = self._cuts[one][cut]
            branches.append((call("gt" if cut[1] else "ge", one, literal), Literal(BIGINT, number)))
        branches.append((call("is_null", one), Literal(BIGINT, None)))
        return Case(BIGINT, tuple(branches), Literal(BIGINT, 0))


def _low(limit: Bound) -> Cut | None:
    """The cut that the values of the range are above."""
    low = limit.interval.low
    return None if low is None else (low.value, not low.is_closed)


def _high(limit: Bound) -> Cut | None:
    """The cut that they are below."""
    high = limit.interval.high
    return None if high is None else (high.value, high.is_closed)
