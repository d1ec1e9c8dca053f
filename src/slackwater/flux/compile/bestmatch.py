"""Best-match joins as functions: candidates are measured one by one, and only the best are kept.

Numbers of one kind and sets of texts are compared directly. Where that would not be exact (a decimal beside a
double, an order that is a function), all candidates are kept and compared by the definition.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

from slackwater.flux.compile import expressions as compiler
from slackwater.flux.compile.context import StaticContext
from slackwater.flux.compile.nearby import Distance
from slackwater.flux.compile.skyline import Dominates, Point, Skyline, dominance
from slackwater.flux.values.arithmetic import negated
from slackwater.flux.values.atomic import Atomic, Item, Items, Number, Untyped, atomized, truth
from slackwater.flux.values.bestmatch import bound_of, common, includes, is_within, measured
from slackwater.flux.values.errors import Wrong
from slackwater.flux.values.tree import Node
from slackwater.language.xquery import syntax as ast

_EXACT = 1 << 53
_DOUBLE, _OTHER = 1, 2
"""Kinds of numbers that compare exactly among themselves; integers below 2**53 compare exactly with both."""

Values = list[tuple[Items, ...]]
"""The items of a candidate in every dimension; of a dimension of min or max, its number."""
Compare = Callable[[tuple[Items, ...], tuple[Items, ...]], bool]


class Inexact(Exception):
    """Candidates cannot be compared directly."""


class Measure:
    """The items of the current pair in one dimension."""

    def __init__(
        self, dimension: ast.Dimension, static: StaticContext, distance: Distance | None = None
    ) -> None:
        self.dimension = dimension
        self.distance = distance
        """The value, where it may be known without the expression."""
        self.order = dimension.order
        self.is_number = dimension.order in ast.EXTREMES
        self.values = [compiler.items(expr, static) for expr in dimension.values]
        self.bound = compiler.items(dimension.bound, static) if dimension.bound is not None else None
        self.is_set = dimension.order in ast.SET_ORDERS and dimension.order not in static.scope.functions
        self.function = None if self.is_number or self.is_set else _compared(dimension, static)

    def items(self) -> tuple[Items, ...] | None:
        """None where the pair is no candidate."""
        if not self.is_number:
            return tuple(value() for value in self.values)
        try:
            number = self.distance() if self.distance is not None else None
            if number is None:
                number = measured(self.values[0]())
            if number is None or number != number:
                return None
            if self.bound is not None and not is_within(self.order, number, bound_of(self.bound())):
                return None
        except Wrong as wrong:
            raise wrong.at(self.dimension.span) from None
        return ([number],)

    def is_as_good(self, one: tuple[Items, ...], other: tuple[Items, ...]) -> bool:
        """By the definition."""
        if self.is_number:
            return is_within(self.order, one[0][0], other[0][0])  # type: ignore[arg-type]
        if self.function is not None:
            return self.function(one, other)
        first, second = common(*one), common(*other)
        return includes(first, second) if self.order == "subset" else includes(second, first)


def _compared(dimension: ast.Dimension, static: StaticContext) -> Compare:
    """An order that is a function of the values of two pairs; a missing value is the empty sequence."""
    scope = static.scope
    names = [f"#{len(scope.env)}.{place}" for place in range(4)]
    slots = [scope.bind(name, "items") for name in names]
    arguments = tuple(map(ast.Variable, names))
    call = compiler.items(ast.Call(dimension.order, arguments, span=dimension.span), static)

    def run(one: tuple[Items, ...], other: tuple[Items, ...]) -> bool:
        scope.env[slots[0]], scope.env[slots[1]] = one if len(one) > 1 else (one[0], [])
        scope.env[slots[2]], scope.env[slots[3]] = other if len(other) > 1 else (other[0], [])
        return truth(call())

    return run


class Joining:
    """The candidates of one run of the join's loops."""

    def __init__(self, measures: list[Measure], groups: list[int]) -> None:
        self.measures = measures
        self.groups = groups
        self.number = 0
        self.rows: dict[int, list[Any]] = {}
        """The values of the loops' variables, by the number of a candidate."""

    def measured(self) -> Values | None:
        values: Values = []
        for measure in self.measures:
            items = measure.items()
            if items is None:
                return None
            values.append(items)
        return values

    def keys(self, env: list[Any]) -> list[Any]:
        """The groups that the current pair is in."""
        return [_key(env[slot]) for slot in self.groups] if self.groups else [None]

    def add(self, env: list[Any], slots: list[int]) -> None:
        """Takes the current pair if it is a candidate."""
        values = self.measured()
        if values is None:
            return
        number = self.number = self.number + 1
        if self.take(number, values, self.keys(env)):
            self.rows[number] = [env[slot] for slot in slots]

    def take(self, number: int, values: Values, keys: list[Any]) -> bool:
        """Whether the candidate may be among the best."""
        raise NotImplementedError

    def best(self) -> Iterator[list[Any]]:
        """The values of the variables for each pair of the result, in the order of the loops."""
        raise NotImplementedError


class Direct(Joining):
    """Skylines of points."""

    def __init__(self, measures: list[Measure], groups: list[int], dominates: Dominates) -> None:
        super().__init__(measures, groups)
        self.dominates = dominates
        self.kinds = [0] * len(measures)
        self.skylines: list[dict[Any, Skyline]] = [{} for _ in groups or (None,)]

    def take(self, number: int, values: Values, keys: list[Any]) -> bool:
        point = self.point(values)
        is_best = False
        for skylines, key in zip(self.skylines, keys, strict=True):
            skyline = skylines.get(key)
            if skyline is None:
                skyline = skylines[key] = Skyline(self.dominates)
            is_best |= skyline.add(point, number)
        return is_best

    def point(self, values: Values) -> Point:
        point: list[Any] = []
        for place, (measure, items) in enumerate(zip(self.measures, values, strict=True)):
            if measure.is_set:
                point.append(
                    frozenset(map(_text, atomized(items[0]))) & frozenset(map(_text, atomized(items[1])))
                )
                continue
            number: Number = items[0][0]  # type: ignore[assignment]
            self.kinds[place] |= _kind(number)
            if self.kinds[place] == _DOUBLE | _OTHER:
                raise Inexact
            point.append(negated(number) if measure.order == "max" else number)
        return tuple(point)

    def best(self) -> Iterator[list[Any]]:
        lines = [line for skylines in self.skylines for line in skylines.values()]
        numbers = {number for line in lines for equal in line.points.values() for number in equal}
        return (self.rows[number] for number in sorted(numbers))


class ByDefinition(Joining):
    """All candidates, compared pair by pair."""

    def __init__(self, measures: list[Measure], groups: list[int]) -> None:
        super().__init__(measures, groups)
        self.values: dict[int, Values] = {}
        self.members: list[dict[Any, list[int]]] = [{} for _ in groups or (None,)]
        self.keys_of: dict[int, list[Any]] = {}

    def take(self, number: int, values: Values, keys: list[Any]) -> bool:
        self.values[number] = values
        self.keys_of[number] = keys
        for members, key in zip(self.members, keys, strict=True):
            members.setdefault(key, []).append(number)
        return True

    def best(self) -> Iterator[list[Any]]:
        for number, row in self.rows.items():
            groups = zip(self.members, self.keys_of[number], strict=True)
            if any(
                not any(self.dominates(other, number) for other in members[key]) for members, key in groups
            ):
                yield row

    def dominates(self, one: int, other: int) -> bool:
        return self.are_as_good(one, other) and not self.are_as_good(other, one)

    def are_as_good(self, one: int, other: int) -> bool:
        parts = zip(self.measures, self.values[one], self.values[other], strict=True)
        return all(measure.is_as_good(left, right) for measure, left, right in parts)


def joining(measures: list[Measure], groups: list[int]) -> Callable[[], Joining]:
    """Makes the empty join of a run; its candidates may turn out to be Inexact."""
    if any(measure.function is not None for measure in measures):
        return lambda: ByDefinition(measures, groups)
    dominates = dominance([measure.order for measure in measures])
    return lambda: Direct(measures, groups, dominates)


def _kind(number: Number) -> int:
    if isinstance(number, float):
        return _DOUBLE
    return _OTHER if isinstance(number, Decimal) or abs(number) > _EXACT else 0


def _text(value: Atomic) -> str:
    if isinstance(value, Untyped):
        return value.text
    if not isinstance(value, str):
        raise Inexact
    return value


def _key(item: Item) -> Any:
    """The same for the same item: see `is_same_item`."""
    return id(item) if isinstance(item, Node) else (type(item), item)
