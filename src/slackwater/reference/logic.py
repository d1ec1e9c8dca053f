"""Functions that accept NULLs, or do not evaluate all arguments: they take evaluators, not values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from slackwater.algebra.errors import bad_cast
from slackwater.algebra.expressions.nodes import Call, Cast, Expression, Literal
from slackwater.algebra.expressions.signatures import shared
from slackwater.algebra.expressions.type_names import type_name
from slackwater.algebra.types import Type
from slackwater.algebra.values import NAN, Row
from slackwater.base.diagnostic import EngineError
from slackwater.reference.casts import conversion
from slackwater.reference.comparison import comparison
from slackwater.reference.values import sort_key

Evaluator = Callable[[Row, Mapping[str, Any]], Any]
"""An expression's value for a row, and for the rows around it by column name."""


def cast(expr: Cast, operand: Evaluator) -> Evaluator:
    """The operand as a value of the cast's type; what does not fit is NULL if lenient, else an error."""
    convert = conversion(expr.operand.type, expr.type)
    if convert is None:
        return operand

    def converted(row: Row, outer: Mapping[str, Any]) -> Any:
        value = operand(row, outer)
        if value is None:
            return None
        try:
            return convert(value)
        except (ValueError, OverflowError):
            if expr.lenient:
                return None
            raise EngineError(bad_cast(expr, value)) from None

    return converted


def cast_to(part: Expression, evaluate: Evaluator, target: Type) -> Evaluator:
    """The part as a value of the target type, as if it had been written with a cast."""
    return cast(Cast(target, part, origin=part.origin), evaluate)


def alike(call: Call, arguments: Sequence[Evaluator]) -> list[Evaluator]:
    """The arguments as values of their common type."""
    target = shared([part.type for part in call.arguments])
    if target is None:
        return list(arguments)
    pairs = zip(call.arguments, arguments, strict=True)
    return [cast_to(part, evaluate, target) for part, evaluate in pairs]


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
    evaluators = alike(call, arguments)

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
        evaluators = alike(call, arguments)

        def chosen(row: Row, outer: Mapping[str, Any]) -> Any:
            values = [value for evaluate in evaluators if (value := evaluate(row, outer)) is not None]
            return choose(values, key=sort_key, default=None)

        return chosen

    return make


def _in_list(call: Call, arguments: Sequence[Evaluator]) -> Evaluator:
    sought, *listed = alike(call, arguments)
    if all(isinstance(argument, Literal) for argument in call.arguments[1:]):
        return _in_set(sought, listed)

    def is_among(row: Row, outer: Mapping[str, Any]) -> bool | None:
        value = sought(row, outer)
        if value is None:
            return None
        values = [evaluate(row, outer) for evaluate in listed]
        return True if _as_key(value) in map(_as_key, values) else None if None in values else False

    return is_among


def _in_set(sought: Evaluator, literals: Sequence[Evaluator]) -> Evaluator:
    @cache  # only where a row is compared: a literal may not fit the type in common
    def members() -> tuple[frozenset[Any], bool | None]:
        values = [evaluate((), {}) for evaluate in literals]
        known = frozenset(_as_key(value) for value in values if value is not None)
        return known, None if None in values else False

    def is_among(row: Row, outer: Mapping[str, Any]) -> bool | None:
        value = sought(row, outer)
        if value is None:
            return None
        known, missing = members()
        return True if _as_key(value) in known else missing

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


def _is_nan(call: Call, arguments: Sequence[Evaluator]) -> Evaluator:
    (evaluate,) = arguments
    return lambda row, outer: (value := evaluate(row, outer)) != value


def _nanvl(call: Call, arguments: Sequence[Evaluator]) -> Evaluator:
    one, other = arguments

    def first_number(row: Row, outer: Mapping[str, Any]) -> float | None:
        a, b = one(row, outer), other(row, outer)
        value = b if a != a else a
        return None if value is None else float(value)

    return first_number


def _struct(call: Call, arguments: Sequence[Evaluator]) -> Evaluator:
    return lambda row, outer: tuple(evaluate(row, outer) for evaluate in arguments)


def _typeof(call: Call, arguments: Sequence[Evaluator]) -> Evaluator:
    name = type_name(call.arguments[0].type)

    def evaluate(row: Row, outer: Mapping[str, Any]) -> str:
        arguments[0](row, outer)
        return name

    return evaluate


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
    "isnan": _is_nan,
    "nanvl": _nanvl,
    "struct": _struct,
    "typeof": _typeof,
}
