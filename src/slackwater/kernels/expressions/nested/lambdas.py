"""Functions of functions over columns: a function is called for the elements of all rows at once.

The value of a row is computed by a generator. It yields which function it needs for which values, is sent the
outcomes and returns the value, so that what one row needs is computed together with what the others need:

    transform     all elements of all arrays in one step
    aggregate     the first elements of all arrays, the second ones, …
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from slackwater.algebra.expressions import Column, HigherCall, Lambda, free_variables_of
from slackwater.algebra.types import STRING, Type
from slackwater.algebra.values import Row, map_value
from slackwater.base.diagnostic import EngineError
from slackwater.kernels.expressions.rows import rows_of
from slackwater.kernels.expressions.terms import Fault, Term, faults_of
from slackwater.kernels.expressions.values import column_of, dtype, values_of

Request = tuple[int, list[Row]]
"""Which of the functions, and the values that it is called with, call by call."""
Computed = Generator[Request, list[Any], Any]


@dataclass(frozen=True, slots=True)
class _Failure:
    """The outcome of a call that is an error of the data."""

    error: EngineError


class _Failed(Exception):
    """The value of a row needs an outcome that is an error."""

    def __init__(self, error: EngineError) -> None:
        self.error = error


def _value(outcome: Any) -> Any:
    if isinstance(outcome, _Failure):
        raise _Failed(outcome.error)
    return outcome


def _all(outcomes: Sequence[Any]) -> Iterator[Any]:
    return map(_value, outcomes)


def _transform(values: Row) -> Computed:
    return tuple(_all((yield 0, [(value, place) for place, value in enumerate(values)])))


def _filter(values: Row) -> Computed:
    tests = yield 0, [(value, place) for place, value in enumerate(values)]
    return tuple(value for value, test in zip(values, _all(tests), strict=True) if test)


def _decided(decisive: bool) -> Callable[[Row], Computed]:
    """Whether the function is true of some elements, or of all: up to the first that decides."""

    def decide(values: Row) -> Computed:
        is_known = True
        for answer in _all((yield 0, [(value,) for value in values])):
            if answer is decisive:
                return decisive
            is_known = is_known and answer is not None
        return not decisive if is_known else None

    return decide


def _aggregate(finishes: bool) -> Callable[[Row, Any], Computed]:
    def aggregate(values: Row, start: Any) -> Computed:
        state = start
        for value in values:
            (state,) = _all((yield 0, [(state, value)]))
        if finishes:
            (state,) = _all((yield 1, [(state,)]))
        return state

    return aggregate


def _zip_with(one: Row, other: Row) -> Computed:
    longest = max(len(one), len(other))
    padded = [(*values, *[None] * (longest - len(values))) for values in (one, other)]
    return tuple(_all((yield 0, list(zip(*padded, strict=True)))))


def _array_sort(values: Row) -> Computed:
    """A merge sort of halves; NULL where the function is."""
    ordered = yield from _merge_sort(values, 0, len(values))
    return ordered


def _merge_sort(values: Row, start: int, end: int) -> Computed:
    if end - start < 2:
        return values[start:end]
    middle = start + (end - start) // 2
    left = yield from _merge_sort(values, start, middle)
    if left is None:
        return None
    right = yield from _merge_sort(values, middle, end)
    if right is None:
        return None
    merged: list[Any] = []
    i = j = 0
    while i < len(left) and j < len(right):
        (sign,) = _all((yield 0, [(left[i], right[j])]))
        if sign is None:
            return None
        if sign > 0:
            merged.append(right[j])
            j += 1
        else:
            merged.append(left[i])
            i += 1
    return (*merged, *left[i:], *right[j:])


def _map_filter(entries: Row) -> Computed:
    tests = yield 0, list(entries)
    return tuple(entry for entry, test in zip(entries, _all(tests), strict=True) if test)


def _transform_keys(entries: Row) -> Computed:
    keys = list(_all((yield 0, list(entries))))
    return map_value(zip(keys, (value for _, value in entries), strict=True))


def _transform_values(entries: Row) -> Computed:
    values = list(_all((yield 0, list(entries))))
    return tuple(zip((key for key, _ in entries), values, strict=True))


def _map_zip_with(one: Row, other: Row) -> Computed:
    first, second = dict(one), dict(other)
    keys = map_value(dict.fromkeys((*first, *second)).items()) or ()
    values = _all((yield 0, [(key, first.get(key), second.get(key)) for key, _ in keys]))
    return tuple(zip((key for key, _ in keys), values, strict=True))


def _computed(call: HigherCall) -> Callable[..., Computed]:
    if call.function == "aggregate":
        return _aggregate(len(call.lambdas) > 1)
    return COMPUTED[call.function]


COMPUTED: dict[str, Callable[..., Computed]] = {
    "transform": _transform,
    "filter": _filter,
    "exists": _decided(True),
    "forall": _decided(False),
    "aggregate": _aggregate(False),
    "zip_with": _zip_with,
    "array_sort": _array_sort,
    "map_filter": _map_filter,
    "transform_keys": _transform_keys,
    "transform_values": _transform_values,
    "map_zip_with": _map_zip_with,
}


def higher(call: HigherCall, arguments: Sequence[Term], bodies: Sequence[Term]) -> Term:
    """The call's value; errors in the functions are faults of the rows that need their values."""
    calls = _Calls(call, bodies)
    inputs = [*(argument.value for argument in arguments), *map(pl.col, calls.captured)]
    faults = faults_of(arguments)
    if not faults_of(bodies):
        value = pl.map_batches(inputs, calls.values, return_dtype=dtype(call.type), is_elementwise=True)
        return Term(value, faults)
    kind = pl.Struct({"value": dtype(call.type), "why": pl.String()})
    both = pl.map_batches(inputs, calls.answers, return_dtype=kind, is_elementwise=True)
    why = both.struct.field("why")
    return Term(
        both.struct.field("value"), (*faults, Fault(why.is_not_null(), calls.error, ((why, STRING),)))
    )


class _Calls:
    """The rows of a batch, and the calls of functions for them."""

    def __init__(self, call: HigherCall, bodies: Sequence[Term]) -> None:
        self.call = call
        self.functions = [_Function(*pair) for pair in zip(call.lambdas, bodies, strict=True)]
        self.captured = sorted({name for function in self.functions for name in function.captured})
        """The columns that functions use, and variables of functions around them."""
        self._compute = _computed(call)
        self._last: tuple[list[pl.Series], pl.Series] | None = None
        self._errors: dict[str, EngineError] = {}

    def values(self, columns: Sequence[pl.Series]) -> pl.Series:
        return self.answers(columns).struct.field("value")

    def answers(self, columns: Sequence[pl.Series]) -> pl.Series:
        """The values and the keys of errors, computed once for the expressions that use them."""
        last = self._last
        if last is not None and all(
            one.dtype == other.dtype and one.equals(other, null_equal=True)
            for one, other in zip(columns, last[0], strict=True)
        ):
            return last[1]
        values, failures = self._answered(columns)
        value = column_of(values, self.call.type).alias("value")
        answers = pl.DataFrame([value, pl.Series("why", failures, dtype=pl.String())]).to_struct("")
        self._last = list(columns), answers
        return answers

    def error(self, why: str) -> EngineError:
        return self._errors[why]

    def _answered(self, columns: Sequence[pl.Series]) -> tuple[list[Any], list[str | None]]:
        self._errors = {}
        plain = len(self.call.arguments)
        size = max(map(len, columns)) if all(map(len, columns)) else 0
        rows = rows_of(columns[:plain], [argument.type for argument in self.call.arguments])
        rows = rows * size if len(rows) < size else rows
        around = pl.DataFrame(
            {name: one.alias(name) for name, one in zip(self.captured, columns[plain:], strict=True)}
        )
        values: list[Any] = [None] * size
        failures: list[str | None] = [None] * size
        collections = 1 if self.call.function == "aggregate" else plain
        running = {at: self._compute(*row) for at, row in enumerate(rows) if None not in row[:collections]}
        sent: dict[int, Any] = dict.fromkeys(running)
        while sent:
            requests: dict[int, Request] = {}
            for at, outcomes in sent.items():
                try:
                    requests[at] = running[at].send(outcomes)
                except StopIteration as ended:
                    values[at] = ended.value
                except _Failed as failed:
                    failures[at] = key = str(len(self._errors))
                    self._errors[key] = failed.error
            sent = self._outcomes(requests, around)
        return values, failures

    def _outcomes(self, requests: dict[int, Request], around: pl.DataFrame) -> dict[int, Any]:
        """The outcomes of the calls that rows need, function by function."""
        outcomes: dict[int, Any] = {}
        for place, function in enumerate(self.functions):
            calling = {at: calls for at, (which, calls) in requests.items() if which == place}
            rows = [at for at, calls in calling.items() for _ in calls]
            answers = iter(
                function.outcomes([one for calls in calling.values() for one in calls], rows, around)
            )
            for at, calls in calling.items():
                outcomes[at] = [next(answers) for _ in calls]
        return outcomes


class _Function:
    """A function x -> … over the columns of its parameters and those that it uses besides."""

    def __init__(self, function: Lambda, body: Term) -> None:
        self.parameters, self.type, self.body = function.parameters, function.body.type, body
        columns = {part.name for part in function.body.walk() if isinstance(part, Column)}
        self.captured = columns | free_variables_of(function)

    def outcomes(self, calls: list[Row], rows: list[int], around: pl.DataFrame) -> list[Any]:
        """The value of each call, or its failure; `rows` are the rows that the calls are made for."""
        if not calls:
            return []
        parameters = [
            column_of([values[place] for values in calls], one.type).alias(one.name)
            for place, one in enumerate(self.parameters)
        ]
        own = {one.name for one in self.parameters}
        outside = around.select(pl.exclude(*own)) if own & {*around.columns} else around
        frame = outside[rows].hstack(parameters) if outside.columns else pl.DataFrame(parameters)
        outcomes: list[Any] = self._values(frame, self.body.value, self.type)
        failed: set[int] = set()
        for fault in self.body.faults:
            where = [at for at, is_wrong in enumerate(_column(frame, fault.where)) if is_wrong]
            for at in set(where) - failed:
                one = frame[at]
                about = [self._values(one, expr, type_)[0] for expr, type_ in fault.about]
                outcomes[at] = _Failure(fault.error(*about))
            failed |= {*where}
        return outcomes

    @staticmethod
    def _values(frame: pl.DataFrame, expr: pl.Expr, type_: Type) -> list[Any]:
        return values_of(_column(frame, expr), type_)


def _column(frame: pl.DataFrame, expr: pl.Expr) -> pl.Series:
    """The expression's value in every row; that of a literal is a single one."""
    column = frame.select(expr.alias("value"))["value"]
    return column if len(column) == frame.height else column.new_from_index(0, frame.height)
