"""Aggregates of users: classes with `add` and `finish`, or functions over the columns of the rows of a group.

    ⟦f⟧(G) = a.finish(), where a = C() and a.add(*x) for each row x of the bag G, in order

In order of the rows, NULL first, so that the value is a function of the bag even where adding in another
order gives another float. With a method `retract` a class promises that retract(*x) takes back add(*x), and
that the order does not matter: what changes from one instant to the next is then added and retracted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import polars as pl

from slackwater.algebra.column_types import dtype
from slackwater.algebra.expressions.casts import inner_types
from slackwater.algebra.expressions.nodes import Aggregation
from slackwater.algebra.types import Type
from slackwater.algebra.users.columns import as_kind, single_of_pandas
from slackwater.algebra.users.functions import (
    ARROW,
    PANDAS,
    ROWS,
    Rejected,
    UserFunction,
    passed,
    python_function,
    returned,
    shown_row,
)
from slackwater.algebra.values import Row

REQUIRED = ("add", "finish")
"""The methods that a class has to have."""


class Failed(Rejected):
    """An aggregate failed: where, why, and what it was called with."""

    def __init__(self, where: str, why: str, called: str) -> None:
        super().__init__(why)
        self.where, self.why, self.called = where, why, called


def retracts(function: UserFunction) -> bool:
    """Whether rows can be taken back from its state."""
    return function.kind == ROWS and hasattr(python_function(function), "retract")


def argument_types(call: Aggregation) -> tuple[Type, ...]:
    """The types of what the aggregate of a user is called with."""
    return () if call.argument is None else inner_types(call.argument.type)


def bag_value(function: UserFunction, bag: Sequence[Row], types: Sequence[Type]) -> Any:
    """The aggregate of the rows of a group, in order; raises Failed."""
    if function.kind != ROWS:
        return _of_columns(function, bag, types)
    state = Accumulator(function, types)
    for row in bag:
        state.add(row)
    return state.finish(lambda: group_in_words(bag))


class Accumulator:
    """The state of an aggregate over rows: an object of its class."""

    def __init__(self, function: UserFunction, types: Sequence[Type]) -> None:
        self._function, self._types = function, types
        self._state = _called(python_function(function), (), "", lambda: "It was called without arguments")

    def add(self, row: Row) -> None:
        self._change("add", row)

    def retract(self, row: Row) -> None:
        self._change("retract", row)

    def finish(self, group: Callable[[], str]) -> Any:
        """The value for the current rows, which an error describes as `group` does."""

        def value() -> Any:
            return returned(self._state.finish(), self._function.result)

        return _called(value, (), " in finish", group)

    def _change(self, method: str, row: Row) -> None:
        values = tuple(map(passed, row, self._types))
        change = getattr(self._state, method)
        _called(change, values, f" in {method}", lambda: f"It was called with ({shown_row(row)})")


def _of_columns(function: UserFunction, bag: Sequence[Row], types: Sequence[Type]) -> Any:
    columns = [
        pl.Series("", [passed(row[at], type_) for row in bag], dtype=dtype(type_))
        for at, type_ in enumerate(types)
    ]

    def value() -> Any:
        answer = python_function(function)(*as_kind(columns, function.kind))
        if function.kind == PANDAS:
            answer = single_of_pandas(answer, function.result)
        elif function.kind == ARROW and hasattr(answer, "as_py"):
            answer = answer.as_py()
        return returned(answer, function.result)

    return _called(value, (), "", lambda: group_in_words(bag))


def _called(
    function: Callable[..., Any], values: Sequence[Any], where: str, called: Callable[[], str]
) -> Any:
    try:
        return function(*values)
    except Exception as cause:
        why = str(cause) if isinstance(cause, Rejected) else f"it raised {type(cause).__name__}: {cause}"
        raise Failed(where, why, called()) from cause


def group_in_words(bag: Sequence[Row]) -> str:
    """How many rows a group has, and the first of them."""
    if not bag:
        return "The group has no rows"
    return f"The group has {len(bag)} row{'s' if len(bag) > 1 else ''}, the first one ({shown_row(bag[0])})"
