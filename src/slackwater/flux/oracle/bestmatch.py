"""The best-match join, from its definitions (4.2.4 to 4.2.6, 4.2.12 and 4.2.13): all pairs with all pairs.

Definition 4.2.3 lets a pair dominate another that is equally good everywhere, and then two such pairs would
remove each other. Here, a pair dominates another if it is at least as good everywhere and better somewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from slackwater.flux.values.atomic import Item, Items, truth
from slackwater.flux.values.bestmatch import bound_of, common, includes, is_same_item, is_within, measured
from slackwater.flux.values.context import Context, Evaluate
from slackwater.flux.values.errors import Wrong
from slackwater.language.xquery import syntax as ast


@dataclass(frozen=True, slots=True)
class Candidate:
    """A pair with its items in every dimension, within all bounds."""

    context: Context
    values: tuple[tuple[Items, ...], ...]

    def item(self, variable: ast.Variable) -> Item:
        return self.context.variables[variable.name][0]


def best(join: ast.BestMatch, pairs: Sequence[Context], value: Evaluate) -> list[Context]:
    """The pairs that are candidates and that no candidate of their group dominates, in their order."""
    candidates = [candidate for pair in pairs if (candidate := _candidate(join, pair, value)) is not None]

    def is_best(one: Candidate, group: ast.Variable | None) -> bool:
        return not any(
            _dominates(join, other, one, value)
            for other in candidates
            if group is None or is_same_item(one.item(group), other.item(group))
        )

    groups = join.groups or (None,)
    return [one.context for one in candidates if any(is_best(one, group) for group in groups)]


def _candidate(join: ast.BestMatch, pair: Context, value: Evaluate) -> Candidate | None:
    values: list[tuple[Items, ...]] = []
    for dimension in join.dimensions:
        try:
            items = _measured(dimension, pair, value)
        except Wrong as wrong:
            raise wrong.at(dimension.span) from None
        if items is None:
            return None
        values.append(items)
    return Candidate(pair, tuple(values))


def _measured(dimension: ast.Dimension, pair: Context, value: Evaluate) -> tuple[Items, ...] | None:
    """The items of a pair in a dimension; None if it has no number there, or one beyond the bound."""
    items = tuple(value(expr, pair) for expr in dimension.values)
    if dimension.order not in ast.EXTREMES:
        return items
    number = measured(items[0])
    if number is None:
        return None
    if dimension.bound is not None:
        bound = bound_of(value(dimension.bound, pair))
        if not is_within(dimension.order, number, bound):
            return None
    return ([number],)


def _dominates(join: ast.BestMatch, one: Candidate, other: Candidate, value: Evaluate) -> bool:
    """(r × s) ≺ (r' × s')"""
    places = range(len(join.dimensions))
    return all(_is_as_good(join, place, one, other, value) for place in places) and not all(
        _is_as_good(join, place, other, one, value) for place in places
    )


def _is_as_good(join: ast.BestMatch, place: int, one: Candidate, other: Candidate, value: Evaluate) -> bool:
    """(r × s) ≤ (r' × s') in one dimension; a function says true for it, and nothing if it cannot compare."""
    dimension, left, right = join.dimensions[place], one.values[place], other.values[place]
    order = dimension.order
    if order in ast.EXTREMES:
        (number,), (limit,) = left[0], right[0]
        return is_within(order, number, limit)  # type: ignore[arg-type]
    if order in ast.SET_ORDERS and order not in one.context.program.functions:
        first, second = common(*left), common(*right)
        return includes(first, second) if order == "subset" else includes(second, first)
    context = one.context
    names = [f"#{number}" for number in range(4)]
    for name, items in zip(names, (*_both(left), *_both(right)), strict=True):
        context = context.bound(name, items)
    return truth(value(ast.Call(order, tuple(map(ast.Variable, names)), span=dimension.span), context))


def _both(items: tuple[Items, ...]) -> tuple[Items, Items]:
    """The arguments for one pair; a dimension with one expression leaves the other empty."""
    return (items[0], items[1]) if len(items) > 1 else (items[0], [])
