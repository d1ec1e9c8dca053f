"""The blocks of a session, by what a query must have to be answered from them.      Goldstein, Larson 2001, 4

A filter tree: blocks are divided by their leaves, then by the conditions, keys, aggregates and columns that
they have, so that whole divisions are passed over at once. In a division the cheapest blocks come first, and
ranges are compared before anything else is.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

from slackwater.algebra.expressions import Aggregation, Column, Expression
from slackwater.optimize.facts.columns import columns
from slackwater.optimize.sharing.conditions import Interval
from slackwater.optimize.sharing.cost import Costs
from slackwater.optimize.sharing.form import Form
from slackwater.optimize.sharing.match import Match, matched

T = TypeVar("T")
_ALL = Interval()


class _Entry(NamedTuple, Generic[T]):
    least: float
    """What a query over it costs at least."""
    tightness: tuple[float, ...]
    number: int
    form: Form
    item: T


@dataclass(frozen=True, slots=True)
class Signature:
    """What all blocks of a division have in common, by which a query can do nothing with any of them."""

    ranged: frozenset[str]
    residuals: frozenset[Expression]
    is_grouped: bool
    columns: frozenset[str] | None
    """The columns of leaves that a row of the block has, if it has nothing else."""
    calls: frozenset[str]
    """The functions of its aggregates."""


class Index(Generic[T]):
    """Blocks, each with what the caller knows it by."""

    def __init__(self, costs: Costs) -> None:
        self._costs = costs
        self._tree: dict[tuple[int, ...], dict[Signature, list[_Entry[T]]]] = {}
        self._count = 0

    def add(self, form: Form, item: T) -> None:
        division = self._tree.setdefault(form.leaves, {}).setdefault(signature(form), [])
        self._count += 1
        insort(
            division, _Entry(self._costs.least(form), _tightness(form), self._count, form, item), key=_place
        )

    def matches(
        self, query: Form, limit: float, accepts: Callable[[Match, T], bool]
    ) -> Iterator[tuple[Match, T]]:
        """The blocks that the query can be computed from for less than the limit, the cheapest first."""
        matches: list[tuple[float, int, Match, T]] = []
        needs = _Needs.of(query)
        for known, division in self._tree.get(query.leaves, {}).items():
            if needs.may_come_from(known):
                matches += self._first(query, known, division, limit, accepts)
        for _, _, match, item in sorted(matches, key=lambda entry: entry[:2]):
            yield match, item

    def _first(
        self,
        query: Form,
        known: Signature,
        division: list[_Entry[T]],
        limit: float,
        accepts: Callable[[Match, T], bool],
    ) -> Iterator[tuple[float, int, Match, T]]:
        """The cheapest block of a division that the query can be computed from."""
        is_plain = not query.facts.classes and len(set(query.leaves)) == len(query.leaves)
        for least, _, number, form, item in division:
            if least >= limit:
                return
            if form is query or (is_plain and not _may_match(form, query, known)):
                continue
            match = matched(query, form)
            if match is not None and accepts(match, item) and (total := self._costs.over(match)) < limit:
                yield total, number, match, item
                return


def _place(entry: _Entry[T]) -> tuple[float, tuple[float, ...], int]:
    return entry[:3]


def signature(form: Form) -> Signature:
    """The division that a block belongs to."""
    is_plain = not form.facts.classes
    functions = frozenset(call.function for call in form.calls)
    return Signature(
        frozenset(form.facts.ranges) if is_plain else frozenset(),
        form.facts.residuals if is_plain else frozenset(),
        form.block.grouping is not None,
        _plain_columns(form) if is_plain else None,
        functions,
    )


def _plain_columns(form: Form) -> frozenset[str] | None:
    """The columns of leaves that a row of the block has; None if it has values computed from some."""
    names: set[str] = set()
    for expr in form.block.columns.values():
        value = form.ungrouped(expr)
        if not isinstance(value, Column):
            return None
        names.add(value.name)
    return frozenset(names)


@dataclass(frozen=True, slots=True)
class _Needs:
    """What a query needs of any block."""

    is_plain: bool
    ranged: frozenset[str]
    residuals: frozenset[Expression]
    is_grouped: bool
    rows: frozenset[str]
    """The columns that it needs of rows."""
    keys: frozenset[str]
    """The columns that it needs of groups."""
    calls: tuple[Aggregation, ...]

    @staticmethod
    def of(query: Form) -> _Needs:
        facts, grouping = query.facts, query.block.grouping
        if grouping is None:
            rows = [query.ungrouped(expr) for expr in query.block.columns.values()]
        else:
            rows = [*query.keys, *(call.argument for call in query.calls if call.argument is not None)]
        known = facts.literals.keys()
        return _Needs(
            not facts.classes and len(set(query.leaves)) == len(query.leaves),
            frozenset(facts.ranges), facts.residuals, grouping is not None,
            _names(rows) - known, _names(query.keys) - known, query.calls,
        )  # fmt: skip

    def may_come_from(self, known: Signature) -> bool:
        """Whether the query could be computed from blocks of a division; False is a promise."""
        if known.is_grouped and not self.is_grouped:
            return False
        if known.is_grouped and any(not _is_in(call, known) for call in self.calls):
            return False
        if not self.is_plain:
            return True
        needed = self.keys if known.is_grouped else self.rows
        has_columns = known.columns is None or needed <= known.columns
        return has_columns and known.ranged <= self.ranged and known.residuals <= self.residuals


def _is_in(call: Aggregation, known: Signature) -> bool:
    """Whether an aggregate may be one of those of a division, or of its keys."""
    is_of_keys = call.argument is not None and (call.distinct or call.function in ("min", "max"))
    return is_of_keys or call.function in known.calls


def _names(exprs: list[Expression] | tuple[Expression, ...]) -> frozenset[str]:
    return frozenset[str]().union(*map(columns, exprs))


def _may_match(view: Form, query: Form, known: Signature) -> bool:
    """Whether the ranges of the view contain those of the query, and what is narrower can be selected."""
    if view.facts.classes:
        return True
    mine, theirs = query.facts.ranges, view.facts.ranges
    if not all(mine.get(name, _ALL) <= interval for name, interval in theirs.items()):
        return False
    columns = known.columns
    return columns is None or all(name in columns or theirs.get(name) == own for name, own in mine.items())


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
