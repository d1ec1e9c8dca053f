"""Scalar functions in plain Python: the evaluator of a call from the evaluators of its arguments."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from slackwater.algebra.expressions.nodes import Call
from slackwater.algebra.values import Row
from slackwater.reference import (
    arithmetic,
    astronomy,
    bits,
    calendar,
    codes,
    documents,
    edits,
    moments,
    regexes,
    texts,
)
from slackwater.reference.arithmetic import Function, Maker
from slackwater.reference.comparison import comparison
from slackwater.reference.logic import LAZY as LOGIC
from slackwater.reference.logic import Evaluator
from slackwater.reference.nested import arrays, json, maps, structs
from slackwater.reference.trying import MAKERS as TRYING


def _plain(function: Function) -> Maker:
    return lambda call: function


def _compared(call: Call) -> Function:
    one, other = call.arguments
    return comparison(call.function, one.type, other.type)


STRICT: dict[str, Maker] = {
    **arithmetic.MAKERS,
    **dict.fromkeys(("eq", "ne", "lt", "le", "gt", "ge"), _compared),
    "not": _plain(operator.not_),
    "like": texts.like,
    "ilike": texts.ilike,
    **TRYING,
    **bits.MAKERS,
    **calendar.MAKERS,
    **structs.MAKERS,
    **json.MAKERS,
    **{
        name: _plain(function)
        for family in (
            texts,
            edits,
            codes,
            documents,
            bits,
            regexes,
            calendar,
            moments,
            arrays,
            maps,
            astronomy,
        )
        for name, function in family.PLAIN.items()
    },
    "date_trunc": moments.date_trunc,
    "date_diff": moments.date_diff,
}


LAZY = {**LOGIC, **edits.LAZY, **codes.LAZY, **arrays.LAZY, **maps.LAZY}


def evaluator(call: Call, arguments: Sequence[Evaluator]) -> Evaluator:
    """The call as a function of a row; a strict function is NULL when an argument is."""
    lazy = LAZY.get(call.function)
    if lazy is not None:
        return lazy(call, arguments)
    function = STRICT[call.function](call)
    shape = _SHAPES.get(len(arguments), _of_many)
    return shape(function, *arguments)


def _of_one(function: Function, argument: Evaluator) -> Evaluator:
    return lambda row, outer: None if (a := argument(row, outer)) is None else function(a)


def _of_two(function: Function, one: Evaluator, other: Evaluator) -> Evaluator:
    def evaluate(row: Row, outer: Mapping[str, Any]) -> Any:
        a, b = one(row, outer), other(row, outer)
        return None if a is None or b is None else function(a, b)

    return evaluate


def _of_many(function: Function, *arguments: Evaluator) -> Evaluator:
    def evaluate(row: Row, outer: Mapping[str, Any]) -> Any:
        values = [argument(row, outer) for argument in arguments]
        return None if None in values else function(*values)

    return evaluate


_SHAPES: dict[int, Callable[..., Evaluator]] = {1: _of_one, 2: _of_two}
