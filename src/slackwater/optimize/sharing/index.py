"""The blocks of a session by what a query must have to be answered from them.      Goldstein, Larson 2001, 4

A filter tree: blocks are divided by their leaves, then by the conditions, keys and columns that they have, so
that whole divisions are passed over at once. In a division the cheapest blocks come first.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from slackwater.optimize.sharing.conditions import Interval
from slackwater.optimize.sharing.cost import rate, work
from slackwater.optimize.sharing.form import Form
from slackwater.optimize.sharing.match import Match, matched

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Signature:
    """What all blocks of a division have in common."""

    ranged: frozenset[str]
    residuals: frozenset[object]
    is_grouped: bool
    columns: frozenset[str]


@dataclass(slots=True)
class _Division(Generic[T]):
    entries: list[tuple[float, tuple[float, ...], int, Form, T]] = field(default_factory=list)


class Index(Generic[T]):
    """Blocks, each with what the caller knows it by."""

    def __init__(self) -> None:
        self._tree: dict[tuple[int, ...], dict[Signature, _Division[T]]] = {}
        self._count = 0

    def add(self, form: Form, item: T) -> None:
        division = self._tree.setdefault(form.leaves, {}).setdefault(signature(form), _Division())
        self._count += 1
        insort(division.entries, (rate(form), _tightness(form), self._count, form, item), key=lambda e: e[:3])

    def matches(
        self, query: Form, limit: float, accepts: Callable[[Match, T], bool]
    ) -> Iterator[tuple[Match, T]]:
        """The blocks that the query can be computed from for less than the limit, the cheapest first."""
        found: list[tuple[float, int, Match, T]] = []
        for known, division in self._tree.get(query.leaves, {}).items():
            if not _may_contain(known, query):
                continue
            for rows, _, number, form, item in division.entries:
                if rows >= limit:
                    break
                if form is query or not _ranges_contain(form, query):
                    continue
                if (match := matched(query, form)) is None or not accepts(match, item):
                    continue
                if (cost := work(query, match)) < limit:
                    found.append((cost, number, match, item))
                    break
        for _, _, match, item in sorted(found, key=lambda entry: entry[:2]):
            yield match, item


def signature(form: Form) -> Signature:
    classes = frozenset(form.facts.classes.values())
    ranged = frozenset(name for name in form.facts.ranges) | classes
    return Signature(ranged, form.facts.residuals, form.block.grouping is not None, _columns(form))


def _columns(form: Form) -> frozenset[str]:
    return frozenset()


def _may_contain(view: Signature, query: Form) -> bool:
    return not (view.is_grouped and query.block.grouping is None)


def _ranges_contain(view: Form, query: Form) -> bool:
    """Whether the ranges of the view contain those of the query, where columns have the same names."""
    if view.facts.classes or query.facts.classes or len(set(query.leaves)) < len(query.leaves):
        return True
    mine = query.facts.ranges
    return all(mine.get(name, Interval()) <= interval for name, interval in view.facts.ranges.items())


def _tightness(form: Form) -> tuple[float, ...]:
    """Less for narrower ranges."""
    ends: list[float] = []
    for _, interval in sorted(form.facts.ranges.items()):
        low: Any = 0 if interval.low is None else interval.low.value
        high: Any = 0 if interval.high is None else interval.high.value
        ends += [-float(low) if _is_number(low) else 0.0, float(high) if _is_number(high) else 0.0]
    return tuple(ends)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float)
