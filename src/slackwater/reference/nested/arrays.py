"""Functions of arrays, on tuples; NULL equals NULL where an array is taken as a set."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import zip_longest
from typing import Any, Final

from slackwater.algebra.expressions.nodes import Call
from slackwater.algebra.values import Row
from slackwater.reference.logic import Evaluator, alike
from slackwater.reference.values import sort_key

MOST: Final = 1_000_000
"""No function makes an array of more elements out of numbers."""


def _same(a: Any, b: Any) -> bool:
    return sort_key(a) == sort_key(b)


def _has(values: Row, sought: Any) -> bool:
    return any(_same(value, sought) for value in values)


def _distinct(values: Sequence[Any]) -> Row:
    return tuple(value for place, value in enumerate(values) if not _has(tuple(values[:place]), value))


def _get(values: Row, place: int) -> Any:
    return values[place] if 0 <= place < len(values) else None


def _element_at(values: Row, place: int) -> Any:
    return _get(values, place - 1 if place > 0 else len(values) + place) if place else None


def _contains(values: Row, sought: Any) -> bool | None:
    return _has(values, sought) or (None if None in values else False)


def _position(values: Row, sought: Any) -> int:
    return next((place for place, value in enumerate(values, 1) if _same(value, sought)), 0)


def _overlap(one: Row, other: Row) -> bool | None:
    if any(value is not None and _has(other, value) for value in one):
        return True
    return None if one and other and (None in one or None in other) else False


def _join(values: Row, between: str, null: str | None = None) -> str:
    texts = [null if value is None else value for value in values]
    return between.join(text for text in texts if text is not None)


def _known(values: Row) -> list[Any]:
    return [value for value in values if value is not None]


def _sorted(values: Row, ascending: bool = True) -> Row:
    return tuple(sorted(values, key=sort_key, reverse=not ascending))


def _nulls_last(values: Row) -> Row:
    known = sorted(_known(values), key=sort_key)
    return (*known, *[None] * (len(values) - len(known)))


def _slice(values: Row, place: int, count: int) -> Row | None:
    if place == 0 or count < 0:
        return None
    start = place - 1 if place > 0 else len(values) + place
    return values[start : start + count] if start >= 0 else ()


def _flatten(arrays: Row) -> Row | None:
    return None if None in arrays else tuple(value for array in arrays for value in array)


def _sequence(start: int, stop: int, step: int | None = None) -> Row | None:
    step = (1 if start <= stop else -1) if step is None else step
    if step == 0:
        return (start,) if start == stop else None
    if (stop - start) * step < 0 or (stop - start) // step >= MOST:
        return None
    return tuple(range(start, stop + (1 if step > 0 else -1), step))


def _inserted(values: Row, place: int, value: Any) -> Row | None:
    """Beyond an end, the places between are NULL."""
    if place == 0 or abs(place) > MOST:
        return None
    if place > 0:
        padded = (*values, *[None] * (place - 1 - len(values)))
        return (*padded[: place - 1], value, *padded[place - 1 :])
    if -place <= len(values) + 1:
        at = len(values) + place + 1
        return (*values[:at], value, *values[at:])
    return (value, *[None] * (-place - 1 - len(values)), *values)


def _array(call: Call, arguments: Sequence[Evaluator]) -> Evaluator:
    evaluators = alike(call, arguments)
    return lambda row, outer: tuple(evaluate(row, outer) for evaluate in evaluators)


def _of_array(function: Callable[..., Row | None]) -> Callable[[Call, Sequence[Evaluator]], Evaluator]:
    """A function that is NULL where the array is, but not where the last argument is."""

    def make(call: Call, arguments: Sequence[Evaluator]) -> Evaluator:
        def evaluate(row: Row, outer: Mapping[str, Any]) -> Row | None:
            *first, last = (argument(row, outer) for argument in arguments)
            return None if None in first else function(*first, last)

        return evaluate

    return make


def _repeat(call: Call, arguments: Sequence[Evaluator]) -> Evaluator:
    value, count = arguments

    def evaluate(row: Row, outer: Mapping[str, Any]) -> Row | None:
        times = count(row, outer)
        return None if times is None or times > MOST else (value(row, outer),) * times

    return evaluate


LAZY: dict[str, Callable[[Call, Sequence[Evaluator]], Evaluator]] = {
    "array": _array,
    "array_append": _of_array(lambda values, value: (*values, value)),
    "array_prepend": _of_array(lambda values, value: (value, *values)),
    "array_insert": _of_array(_inserted),
    "array_repeat": _repeat,
}
PLAIN: dict[str, Callable[..., Any]] = {
    "get": _get,
    "element_at": _element_at,
    "size": len,
    "array_contains": _contains,
    "array_position": _position,
    "array_remove": lambda values, value: tuple(x for x in values if not _same(x, value)),
    "array_distinct": _distinct,
    "array_compact": lambda values: tuple(_known(values)),
    "array_union": lambda one, other: _distinct((*one, *other)),
    "array_intersect": lambda one, other: _distinct([value for value in one if _has(other, value)]),
    "array_except": lambda one, other: _distinct([value for value in one if not _has(other, value)]),
    "arrays_overlap": _overlap,
    "arrays_zip": lambda *arrays: tuple(zip_longest(*arrays)),
    "array_join": _join,
    "array_min": lambda values: min(_known(values), key=sort_key, default=None),
    "array_max": lambda values: max(_known(values), key=sort_key, default=None),
    "sort_array": _sorted,
    "array_sort": _nulls_last,
    "array_reverse": lambda values: values[::-1],
    "array_concat": lambda *arrays: tuple(value for array in arrays for value in array),
    "slice": _slice,
    "flatten": _flatten,
    "sequence": _sequence,
}
