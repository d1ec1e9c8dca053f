"""Functions of users: Python functions over rows or columns, and checks of what they return.

A function is scalar, an aggregate (`user_aggregates`), or one that returns rows (`user_tables`). It is
assumed to be deterministic, and a scalar one over columns to compute each row by itself: its value is the one
that it would return for columns of that row alone.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import lru_cache
from typing import Any, Final

import polars as pl

from slackwater.algebra.column_types import field_names
from slackwater.algebra.expressions.casts import inner_types
from slackwater.algebra.import_paths import function_at, unwrapped
from slackwater.algebra.types import Type
from slackwater.algebra.values import canonical, map_value

ROWS: Final = "rows"
POLARS: Final = "polars"
ARROW: Final = "arrow"
PANDAS: Final = "pandas"
KINDS: Final = (ROWS, POLARS, ARROW)
"""What a function is called with: the values of a row, Polars columns, or Arrow arrays. UDFs of Spark may
have Series of pandas."""
SCALAR: Final = "scalar"
AGGREGATE: Final = "aggregate"
TABLE: Final = "table"
OF_NONE: Final = "aggregate of none"
FORMS: Final = (SCALAR, AGGREGATE, TABLE, OF_NONE)
"""What a function gives: a value of a row, one of the rows of a group, rows as an array, or the value that
an aggregate has of no rows."""
_BITS = {"tinyint": 7, "smallint": 15, "int": 31, "bigint": 63}


@dataclass(frozen=True, slots=True)
class UserFunction:
    """A function by its name, its signature, and the import path `module:function` of its code.

    One that cannot be imported, such as a lambda, has its code instead of a path; it comes from the program
    that registered it, and never from a checkpoint.
    """

    name: str
    path: str
    kind: str
    result: Type
    arguments: tuple[Type, ...] | None = None
    """The types of its arguments; None for any."""
    strict: bool = False
    """Whether it is NULL, and not called, where an argument is NULL."""
    code: bytes = field(default=b"", repr=False)
    form: str = SCALAR

    @property
    def signature(self) -> str:
        """`f(int, string) returns bigint`."""
        takes = "…" if self.arguments is None else ", ".join(map(str, self.arguments))
        form = "" if self.form == SCALAR else f"{self.form} "
        return f"{form}{self.name}({takes}) returns {self.result}"


class Rejected(Exception):
    """A value that a function of a user returned and that its type does not have."""


@lru_cache(maxsize=256)
def python_function(function: UserFunction) -> Callable[..., Any]:
    """The Python function, imported by its path or loaded from what its own program registered."""
    loaded = function_at(function.path) if function.path else pickle.loads(function.code)
    inside: Callable[..., Any] = unwrapped(loaded)
    return inside


def row_value(function: UserFunction, values: Sequence[Any], types: Sequence[Type]) -> Any:
    """The value of a function over rows; whatever it raises, and Rejected for a value of another type."""
    if function.strict and None in values:
        return None
    call = python_function(function)
    return returned(call(*map(passed, values, types)), function.result)


def returned(value: Any, type_: Type) -> Any:
    """A value of the type, as the algebra has it; raises Rejected."""
    if hasattr(value, "item") and not isinstance(value, pl.Series):
        value = value.item()  # a scalar of numpy
    name = type_.name
    match value:
        case None:
            return None
        case bool() if name == "boolean":
            return value
        case bool():
            pass
        case int() if name in _BITS and -(1 << _BITS[name]) <= value < 1 << _BITS[name]:
            return value
        case int() | float() if type_.is_floating:
            return canonical(float(value))
        case int() | Decimal() if type_.is_decimal:
            return _decimal(Decimal(value), type_)
        case str() if name == "string":
            return value
        case bytes() | bytearray() if name == "binary":
            return bytes(value)
        case datetime() if name in ("timestamp", "timestamp_ntz"):
            return value.astimezone(UTC).replace(tzinfo=None) if value.tzinfo else value
        case date() if name == "date" and not isinstance(value, datetime):
            return value
        case list() | tuple() if name == "array":
            return tuple(returned(item, inner_types(type_)[0]) for item in value)
        case dict() if name == "struct":
            fields = [argument for argument in type_.arguments if isinstance(argument, tuple)]
            return tuple(returned(value.get(field), inner) for field, inner in fields)
        case dict() if name == "map" and None not in value:
            key, item = inner_types(type_)
            return map_value((returned(k, key), returned(v, item)) for k, v in value.items())
    raise Rejected(f"it returned {_short(value)}, which is not of type {type_}")


def shown_row(values: Sequence[Any]) -> str:
    """The arguments of a call, in short."""
    return ", ".join("NULL" if value is None else _short(value) for value in values)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:39]}…"


def _decimal(value: Decimal, type_: Type) -> Decimal:
    if value.is_finite():
        rounded = value.quantize(Decimal(1).scaleb(-type_.scale)) if abs(value) < 10**38 else value
        if rounded == value and len(rounded.as_tuple().digits) <= type_.precision:
            return canonical(rounded)  # type: ignore[no-any-return]
    raise Rejected(f"it returned {value}, which is not of type {type_}")


def passed(value: Any, type_: Type) -> Any:
    """A value of the algebra as Python has it: lists and dicts for arrays and structs."""
    if value is None or type_.name not in ("array", "struct", "map"):
        return value
    inner = inner_types(type_)
    if type_.name == "map":
        return {passed(key, inner[0]): passed(item, inner[1]) for key, item in value}
    if type_.name == "array":
        return [passed(item, inner[0]) for item in value]
    names = field_names(type_)
    return {name: passed(item, kind) for name, item, kind in zip(names, value, inner, strict=True)}
