"""Arrays: with Polars where it has the function, else row by row.

Values of one type are equal in Python where they are equal here, NaN included: it is one object.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from itertools import repeat
from operator import or_
from typing import Any, Final

import polars as pl

from slackwater.algebra.expressions import Call
from slackwater.algebra.types import element_of
from slackwater.algebra.values import Row
from slackwater.kernels.expressions.decimals import Maker
from slackwater.kernels.expressions.logic import alike
from slackwater.kernels.expressions.rows import rows_of, types_of
from slackwater.kernels.expressions.rowwise import rowwise
from slackwater.kernels.expressions.terms import Term, faults_of, let
from slackwater.kernels.expressions.values import column_of, dtype

_MOST: Final = 1_000_000


def by_polars(body: Callable[..., pl.Expr]) -> Maker:
    """A function that Polars has, of all its arguments."""

    def make(call: Call, arguments: Sequence[Term]) -> Term:
        return Term(let(body, *(argument.value for argument in arguments)), faults_of(arguments))

    return make


def _array(call: Call, arguments: Sequence[Term]) -> Term:
    """Polars would append arrays to each other, so each value is a struct on the way."""
    kind = dtype(call.type)
    if not arguments:
        return Term(pl.lit(column_of([()], call.type)).first())
    _, terms = alike(call, arguments)
    inner = dtype(element_of(call.type))
    wrapped = [pl.struct(term.value.cast(inner).alias("value")) for term in terms]
    values = pl.concat_list(wrapped).list.eval(pl.element().struct.field("value"))
    return Term(values.cast(kind), faults_of(terms))


def _get(values: pl.Expr, place: pl.Expr) -> pl.Expr:
    at = pl.when(place >= 0).then(place).cast(pl.Int64)
    return pl.when(at.is_not_null()).then(values.list.get(at.fill_null(0), null_on_oob=True))


def _element_at(values: pl.Expr, place: pl.Expr) -> pl.Expr:
    at = pl.when(place > 0).then(place - 1).when(place < 0).then(place).cast(pl.Int64)
    return pl.when(at.is_not_null()).then(values.list.get(at.fill_null(0), null_on_oob=True))


def _slice(values: pl.Expr, place: pl.Expr, count: pl.Expr) -> pl.Expr:
    size = values.list.len().cast(pl.Int64)
    start = pl.when(place > 0).then(place - 1).otherwise(size + place)
    is_within = (place != 0) & (count >= 0)
    length = pl.when(start < 0).then(0).otherwise(count)
    return pl.when(is_within).then(values.list.slice(pl.max_horizontal(start, 0), length))


def _sorted(call: Call, arguments: Sequence[Term]) -> Term:
    def ordered(values: pl.Expr, ascending: pl.Expr | None = None) -> pl.Expr:
        up = values.list.sort(nulls_last=False)
        if ascending is None:
            return up
        down = values.list.sort(descending=True, nulls_last=True)
        return pl.when(ascending).then(up).when(~ascending).then(down)

    return by_polars(ordered)(call, arguments)


def _concat(call: Call, arguments: Sequence[Term]) -> Term:
    values = [argument.value.cast(dtype(call.type)) for argument in arguments]
    is_null = reduce(or_, (value.is_null() for value in values))
    return Term(pl.when(~is_null).then(pl.concat_list(values)), faults_of(arguments))


def _extreme(values: pl.Expr, place: int) -> pl.Expr:
    return values.list.drop_nulls().list.sort().list.get(place, null_on_oob=True)


def _contains(values: Row, sought: Any) -> bool | None:
    return True if sought in values else None if None in values else False


def _overlap(one: Row, other: Row) -> bool | None:
    if {*one} & {*other} - {None}:
        return True
    return None if one and other and None in (*one, *other) else False


def _join(values: Row, between: str, *null: str) -> str:
    known = (*null, None)[0]
    return between.join(text for value in values if (text := known if value is None else value) is not None)


def _zipped(*arrays: Row) -> Row:
    longest = max(map(len, arrays))
    return tuple(zip(*((*values, *repeat(None, longest - len(values))) for values in arrays), strict=True))


def _flatten(arrays: Row) -> Row | None:
    return None if None in arrays else sum(arrays, ())


def _sequence(start: int, stop: int, *steps: int) -> Row | None:
    step = steps[0] if steps else 1 if stop >= start else -1
    if not step:
        return (start,) if start == stop else None
    numbers = range(start, stop + (step > 0) - (step < 0), step)
    is_wrong = (stop > start and step < 0) or (stop < start and step > 0)
    return None if is_wrong or abs(stop - start) // abs(step) >= _MOST else tuple(numbers)


def _insert(values: Row, place: int, value: Any) -> Row | None:
    if not place or abs(place) > _MOST:
        return None
    missing = abs(place) - 1 - len(values)
    changed = [*values, *repeat(None, missing)] if place > 0 else [*repeat(None, missing), *values]
    changed.insert(place - 1 if place > 0 else len(changed) + place + 1, value)
    return tuple(changed)


def loose(function: Callable[..., Row | None], known: slice) -> Maker:
    """A function that is computed row by row, and NULL only where one of the `known` arguments is."""

    def make(call: Call, arguments: Sequence[Term]) -> Term:
        types = types_of(call)

        def computed(columns: Sequence[pl.Series]) -> pl.Series:
            rows: Iterator[Row] = iter(rows_of(columns, types))
            return column_of((None if None in row[known] else function(*row) for row in rows), call.type)

        values = [argument.value for argument in arguments]
        answer = pl.map_batches(values, computed, return_dtype=dtype(call.type), is_elementwise=True)
        return Term(answer, faults_of(arguments))

    return make


MAKERS: dict[str, Maker] = {
    "array": _array,
    "get": by_polars(_get),
    "element_at": by_polars(_element_at),
    "size": by_polars(lambda values: values.list.len().cast(pl.Int64)),
    "array_contains": rowwise(_contains),
    "array_position": rowwise(lambda values, value: values.index(value) + 1 if value in values else 0),
    "array_remove": rowwise(lambda values, value: tuple(x for x in values if x != value and x is not value)),
    "array_append": loose(lambda values, value: (*values, value), slice(1)),
    "array_prepend": loose(lambda values, value: (value, *values), slice(1)),
    "array_insert": loose(_insert, slice(2)),
    "array_distinct": rowwise(lambda values: tuple(dict.fromkeys(values))),
    "array_compact": by_polars(lambda values: values.list.drop_nulls()),
    "array_union": rowwise(lambda one, other: tuple(dict.fromkeys((*one, *other)))),
    "array_intersect": rowwise(lambda one, other: tuple(dict.fromkeys(x for x in one if x in {*other}))),
    "array_except": rowwise(lambda one, other: tuple(dict.fromkeys(x for x in one if x not in {*other}))),
    "arrays_overlap": rowwise(_overlap),
    "arrays_zip": rowwise(_zipped),
    "array_join": rowwise(_join),
    "array_min": by_polars(lambda values: _extreme(values, 0)),
    "array_max": by_polars(lambda values: _extreme(values, -1)),
    "sort_array": _sorted,
    "array_sort": by_polars(lambda values: values.list.sort(nulls_last=True)),
    "array_reverse": by_polars(lambda values: values.list.reverse()),
    "array_concat": _concat,
    "slice": by_polars(_slice),
    "flatten": rowwise(_flatten),
    "sequence": rowwise(_sequence),
    "array_repeat": loose(lambda value, count: None if count > _MOST else (value,) * count, slice(1, 2)),
}
