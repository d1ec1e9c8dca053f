"""Aggregates over windows that move in steps: which of them can be computed from panes together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from slackwater import algebra
from slackwater.algebra.expressions import Aggregation, Column, Expression, column
from slackwater.algebra.points import EARLIEST
from slackwater.base.time import INFINITY
from slackwater.optimize.facts.columns import columns
from slackwater.optimize.facts.failing import may_fail
from slackwater.optimize.rebuild import substituted
from slackwater.optimize.sharing.conditions import canonical, canonical_call
from slackwater.optimize.sharing.form import Form
from slackwater.optimize.sharing.streams import TIME

FEWEST = 3
"""So many different aggregates over windows of a stream are computed from panes; of fewer, each by itself."""


@dataclass(frozen=True)
class Paned:
    """An aggregate over a window that moves in steps of `period`, from `phase` on."""

    form: Form
    window: algebra.Range
    period: int
    phase: int
    is_refreshed: bool
    """Whether points of synchronization are its steps; else it is the window that slides."""

    @cached_property
    def keys(self) -> tuple[Expression, ...]:
        assert self.form.block.grouping is not None
        return tuple(_plain(key) for key in self.form.block.grouping.keys)

    @cached_property
    def calls(self) -> tuple[Aggregation, ...]:
        assert self.form.block.grouping is not None
        calls = (canonical_call(call, {}) for call in self.form.block.grouping.aggregations)
        return tuple(
            Aggregation(c.type, c.function, None if c.argument is None else _plain(c.argument)) for c in calls
        )

    @cached_property
    def conditions(self) -> tuple[Expression, ...]:
        return tuple(_plain(condition) for condition in self.form.block.conditions)

    @property
    def offset(self) -> int:
        """What is added to the time of an element before its pane is found."""
        return (self.window.duration - self.phase) % self.period


def paned(form: Form) -> Paned | None:
    """The block as an aggregate over panes, if it is one whose aggregates can be put together."""
    block = form.block
    if block.grouping is None or len(block.leaves) != 1 or block.partners or not block.grouping.aggregations:
        return None
    window = block.leaves[0]
    if not isinstance(window, algebra.Range) or window.duration + window.slide >= INFINITY // 4:
        return None
    parts = (
        *block.grouping.keys,
        *(c.argument for c in block.grouping.aggregations if c.argument is not None),
    )
    if any(f"0:{TIME}" in columns(part) for part in (*parts, *block.conditions)) or any(map(may_fail, parts)):
        return None
    if not all(map(_is_additive, block.grouping.aggregations)):
        return None
    if block.times.is_always:
        return Paned(form, window, window.slide, 0, False) if window.slide > 1 else None
    classes = block.times.points.classes
    if window.slide > 1 or block.times.events is not None or len(classes) != 1:
        return None
    one = classes[0]
    is_endless = one.since == EARLIEST and one.until == INFINITY
    return Paned(form, window, one.period, one.residue, True) if is_endless and one.period > 1 else None


def _is_additive(call: Aggregation) -> bool:
    """Whether the aggregate of rows is one of the aggregates of parts of them."""
    if call.function in ("min", "max"):
        return True
    # The sum of doubles is rounded once, and cannot be put together from rounded sums.
    return not call.distinct and (
        call.function == "count" or (call.function == "sum" and not call.type.is_floating)
    )


def _plain(expr: Expression) -> Expression:
    """Over the columns of the stream, in one form."""
    inner = canonical(expr, {})
    return substituted(inner, {name: column(name.partition(":")[2], type_) for name, type_ in _typed(inner)})


def _typed(expr: Expression) -> list[tuple[str, algebra.types.Type]]:
    return [(part.name, part.type) for part in expr.walk() if isinstance(part, Column)]


def families(aggregates: Iterable[Paned]) -> list[list[Paned]]:
    """The aggregates that the same panes serve: over one stream, with periods that divide each other."""
    alike: list[list[Paned]] = []
    for one in sorted(aggregates, key=lambda one: (one.is_refreshed, one.period)):
        for family in alike:
            first = family[0]
            is_alike = first.window.source is one.window.source and first.is_refreshed == one.is_refreshed
            step = first.period
            if one.is_refreshed:
                fits = one.period % step == 0 and (one.phase - first.phase) % step == 0
            else:
                fits = one.period == step
            if is_alike and fits:
                family.append(one)
                break
        else:
            alike.append([one])
    return [family for family in alike if len(_different(family)) >= FEWEST]


def _different(family: Sequence[Paned]) -> set[tuple[object, ...]]:
    return {(frozenset(one.conditions), frozenset(one.keys), one.window.duration) for one in family}
