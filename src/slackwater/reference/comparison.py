"""Comparisons of values that are not NULL.

NaN equals itself and is above every other number. An exact number is compared with a
floating one as a double, a date with a timestamp as its midnight.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from datetime import date, datetime, time
from typing import Any

from slackwater.algebra.types import Type
from slackwater.algebra.values import Row
from slackwater.reference.values import sort_key

Comparison = Callable[[Any, Any], bool]

_DIRECT: dict[str, Comparison] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
}

_FLOATING: dict[str, Comparison] = {
    "eq": lambda a, b: a == b or (a != a and b != b),
    "ne": lambda a, b: a != b and (a == a or b == b),
    "lt": lambda a, b: a < b or (b != b and a == a),
    "le": lambda a, b: a <= b or b != b,
    "gt": lambda a, b: a > b or (a != a and b == b),
    "ge": lambda a, b: a >= b or a != a,
}


def comparison(name: str, one: Type | None = None, other: Type | None = None) -> Comparison:
    """One of `eq ne lt le gt ge`, for values of these types; without types, for any two comparable values."""
    compare = _DIRECT[name]
    if one is not None and other is not None and one.is_floating and other.is_floating:
        return _FLOATING[name]
    if one is not None and other is not None and _is_exact(one) and _is_exact(other):
        same_form = one.name == other.name or (one.is_numeric and other.is_numeric)
        return compare if same_form else _by_keys(compare)
    return _by_keys(compare)


def _is_exact(type_: Type) -> bool:
    return not (type_.is_floating or type_.name in ("array", "struct", "map", "null", "unknown"))


def _by_keys(compare: Comparison) -> Comparison:
    def compared(a: Any, b: Any) -> bool:
        a, b = aligned(a, b)
        return compare(sort_key(a), sort_key(b))

    return compared


def aligned(a: Any, b: Any) -> tuple[Any, Any]:
    """Both values in a form in which they can be compared."""
    if type(a) is type(b):
        return _aligned_inside(a, b) if isinstance(a, tuple) and len(a) == len(b) else (a, b)
    if isinstance(a, float) or isinstance(b, float):
        return (a, b) if a is None or b is None else (float(a), float(b))
    return as_timestamp(a), as_timestamp(b)


def _aligned_inside(a: Row, b: Row) -> tuple[Row, Row]:
    pairs = [aligned(x, y) for x, y in zip(a, b, strict=True)]
    return tuple(x for x, _ in pairs), tuple(y for _, y in pairs)


def as_timestamp(value: Any) -> Any:
    """A date as its midnight; anything else as it is."""
    if isinstance(value, date) and not isinstance(value, datetime):
        return datetime.combine(value, time())
    return value


def compared_rows(name: str, xs: Row, ys: Row) -> bool | None:
    """`(x, …) = (y, …)` and the like, three-valued; only eq and ne take more than one column."""
    if name == "ne":
        equal = compared_rows("eq", xs, ys)
        return None if equal is None else not equal
    compare = comparison(name)
    results = [None if x is None or y is None else compare(x, y) for x, y in zip(xs, ys, strict=True)]
    return False if False in results else None if None in results else True
