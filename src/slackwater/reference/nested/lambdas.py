"""Functions of functions over arrays and maps, in plain Python: a function is called when it is needed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from itertools import zip_longest
from typing import Any

from slackwater.algebra.expressions.nodes import HigherCall, Lambda
from slackwater.algebra.values import Row, canonical, map_value
from slackwater.reference.logic import Evaluator
from slackwater.reference.values import sort_key

Called = Callable[..., Any]
"""A function of a query; of more values than it has parameters, it takes the first."""


def higher(call: HigherCall, arguments: Sequence[Evaluator], bodies: Sequence[Evaluator]) -> Evaluator:
    """The call as a function of a row; NULL where an array or map is."""
    function, collections = MEANINGS[call.function], 1 if call.function == "aggregate" else len(arguments)

    def evaluate(row: Row, outer: Mapping[str, Any]) -> Any:
        values = [argument(row, outer) for argument in arguments]
        if None in values[:collections]:
            return None
        functions = [_called(*pair, row, outer) for pair in zip(call.lambdas, bodies, strict=True)]
        return function(*values, *functions)

    return evaluate


def _called(function: Lambda, body: Evaluator, row: Row, outer: Mapping[str, Any]) -> Called:
    names = [parameter.name for parameter in function.parameters]

    def call(*values: Any) -> Any:
        return canonical(body(row, {**outer, **dict(zip(names, values, strict=False))}))

    return call


def _decided(values: Row, test: Called, decisive: bool) -> bool | None:
    """The disjunction of the answers if true decides, or their conjunction if false does, three-valued."""
    answers: set[bool | None] = set()
    for value in values:
        answer: bool | None = test(value)
        if answer is decisive:
            return decisive
        answers.add(answer)
    return None if None in answers else not decisive


def _aggregate(values: Row, start: Any, merge: Called, finish: Called = lambda whole: whole) -> Any:
    return finish(reduce(merge, values, start))


class _NoOrder(Exception):
    """The function of an order was NULL."""


def _sorted(values: Row, compare: Called) -> Row | None:
    """Merge sort: the halves, the first of which is no longer, sorted and merged.

    This defines which elements are compared, and the result of functions that are no order.
    """
    try:
        return _merge_sorted(values, compare)
    except _NoOrder:
        return None


def _merge_sorted(values: Row, compare: Called) -> Row:
    if len(values) < 2:
        return values
    half = len(values) // 2
    one, other = _merge_sorted(values[:half], compare), _merge_sorted(values[half:], compare)
    merged: list[Any] = []
    while one and other:
        sign = compare(one[0], other[0])
        if sign is None:
            raise _NoOrder
        if sign <= 0:
            merged.append(one[0])
            one = one[1:]
        else:
            merged.append(other[0])
            other = other[1:]
    return (*merged, *one, *other)


def _zip_maps(one: Row, other: Row, function: Called) -> Row | None:
    def value(entries: Row, sought: Any) -> Any:
        return next((item for key, item in entries if sort_key(key) == sort_key(sought)), None)

    keys = sorted({sort_key(key): key for key, _ in (*one, *other)}.items())
    return map_value([(key, function(key, value(one, key), value(other, key))) for _, key in keys])


MEANINGS: dict[str, Callable[..., Any]] = {
    "transform": lambda values, f: tuple(f(value, place) for place, value in enumerate(values)),
    "filter": lambda values, f: tuple(v for place, v in enumerate(values) if f(v, place) is True),
    "exists": lambda values, f: _decided(values, f, True),
    "forall": lambda values, f: _decided(values, f, False),
    "aggregate": _aggregate,
    "zip_with": lambda one, other, f: tuple(f(*pair) for pair in zip_longest(one, other)),
    "array_sort": _sorted,
    "map_filter": lambda entries, f: tuple(entry for entry in entries if f(*entry) is True),
    "transform_keys": lambda entries, f: map_value([(f(key, value), value) for key, value in entries]),
    "transform_values": lambda entries, f: tuple((key, f(key, value)) for key, value in entries),
    "map_zip_with": _zip_maps,
}
