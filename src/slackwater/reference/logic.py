"""Functions that accept NULLs, or do not evaluate all arguments: they take evaluators, not values."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

from slackwater.algebra.expressions.nodes import Call, Literal
from slackwater.algebra.expressions.signatures import shared
from slackwater.algebra.types import Type
from slackwater.algebra.values import NAN, Row
from slackwater.reference.casts import conversion
from slackwater.reference.comparison import comparison
from slackwater.reference.values import sort_key

Evaluator = Callable[[Row, Mapping[str, Any]], Any]
"""An expression's value for a row, and for the rows around it by column name."""


def converted(evaluate: Evaluator, source: Type, target: Type) -> Evaluator:
    """The value as one of the target type; only for conversions that always fit."""
    convert = conversion(source, target)
    if convert is None:
        return evaluate
    return lambda row, outer: None if (value := evaluate(row, outer)) is None else convert(value)


def _alike(call: Call, arguments: Sequence[Evaluator]) -> list[Evaluator]:
    """The arguments as values of their common type."""
    types = [argument.type for argument in call.arguments]
    target = shared(types)
    if target is None:
        return list(arguments)
    return [converted(evaluate, type_, target) for evaluate, type_ in zip(arguments, types, strict=True)]


def _connected(decisive: bool) -> Callable[[Call, Sequence[Evaluator]], Evaluator]:
    """AND stops at the first false, OR at the first true; otherwise one NULL makes it NULL."""

    def make(call: Call, arguments: Sequence[Evaluator]) -> Evaluator:
        def connected(row: Row, outer: Mapping[str, Any]) -> bool | None:
            result: bool | None = not decisive
            for evaluate in arguments:
                value: bool | None = evaluate(row, outer)
                if value is decisive:
                    return decisive
                if value is None:
                    result = None
            return result

        return connected

    return make


def _is_null(call: Call, arguments: Sequence[Evaluator]) -> Evaluator:
    (evaluate,) = arguments
    return lambda row, outer: evaluate(row, outer) is None


def _is_not_distinct_from(call: Call, arguments: Sequence[Evaluator]) -> Evaluator:
    one, other = arguments
    equal = comparison("eq", *(argument.type for argument in call.arguments))

    def same(row: Row, outer: Mapping[str, Any]) -> bool:
        a, b = one(row, outer), other(row, outer)
        return a is b if a is None or b is None else equal(a, b)

    return same


def _coalesce(call: Call, arguments: Sequence[Evaluator]) -> Evaluator:
    evaluators = _alike(call, arguments)

    def first(row: Row, outer: Mapping[str, Any]) -> Any:
        for evaluate in evaluators:
            value = evaluate(row, outer)
            if value is not None:
                return value
        return None

    return first


def _nullif(call: Call, arguments: Sequence[Evaluator]) -> Evaluator:
    one, other = arguments
    equal = comparison("eq", *(argument.type for argument in call.arguments))

    def unless_equal(row: Row, outer: Mapping[str, Any]) -> Any:
        a, b = one(row, outer), other(row, outer)
        return None if a is not None and b is not None and equal(a, b) else a

    return unless_equal


def _extreme(choose: Callable[..., Any]) -> Callable[[Call, Sequence[Evaluator]], Evaluator]:
    def make(call: Call, arguments: Sequence[Evaluator]) -> Evaluator:
        evaluators = _alike(call, arguments)

        def chosen(row: Row, outer: Mapping[str, Any]) -> Any:
            values = [value for evaluate in evaluators if (value := evaluate(row, outer)) is not None]
            return choose(values, key=sort_key, default=None)

        return chosen

    return make


def _in_list(call: Call, arguments: Sequence[Evaluator]) -> Evaluator:
    sought, *listed = _alike(call, arguments)
    if all(isinstance(argument, Literal) for argument in call.arguments[1:]):
        return _in_set(sought, [evaluate((), {}) for evaluate in listed])

    def is_among(row: Row, outer: Mapping[str, Any]) -> bool | None:
        value = sought(row, outer)
        if value is None:
            return None
        values = [evaluate(row, outer) for evaluate in listed]
        return True if _as_key(value) in map(_as_key, values) else None if None in values else False

    return is_among


def _in_set(sought: Evaluator, values: Sequence[Hashable]) -> Evaluator:
    known = frozenset(_as_key(value) for value in values if value is not None)
    missing = None if None in values else False

    def is_among(row: Row, outer: Mapping[str, Any]) -> bool | None:
        value = sought(row, outer)
        return None if value is None else True if _as_key(value) in known else missing

    return is_among


def _as_key(value: Any) -> Any:
    return NAN if value != value else value


def case(branches: Sequence[tuple[Evaluator, Evaluator]], otherwise: Evaluator) -> Evaluator:
    """Conditions in turn, and only the result of the first that is true."""

    def chosen(row: Row, outer: Mapping[str, Any]) -> Any:
        for condition, result in branches:
            if condition(row, outer) is True:
                return result(row, outer)
        return otherwise(row, outer)

    return chosen


LAZY: dict[str, Callable[[Call, Sequence[Evaluator]], Evaluator]] = {
    "and": _connected(decisive=False),
    "or": _connected(decisive=True),
    "is_null": _is_null,
    "is_not_distinct_from": _is_not_distinct_from,
    "coalesce": _coalesce,
    "nullif": _nullif,
    "greatest": _extreme(max),
    "least": _extreme(min),
    "in_list": _in_list,
}
