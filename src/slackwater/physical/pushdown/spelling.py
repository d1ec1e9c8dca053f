"""Expressions in Spark SQL, where that means the same for every row.

    a >= 500 AND s IN ('x', 'y')     ─►  ((`a` >= CAST('500' AS BIGINT)) AND (`s` IN (…)))
    a * 2 > 10                       ─►  None: it may overflow, and the error has to be ours

Only what cannot fail is spelled, from the records of the functions (`functions.spark`). Nothing depends on
the session: neither on its time zone, nor on how it escapes texts, nor on ANSI mode.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta
from typing import Any

from slackwater.algebra.expressions import Call, Case, Cast, Column, Expression, Literal
from slackwater.algebra.expressions.functions import FUNCTIONS
from slackwater.algebra.types import Type, common
from slackwater.optimize.facts.failing import may_fail

_SPARK_NAMES = {
    "boolean": "BOOLEAN", "tinyint": "TINYINT", "smallint": "SMALLINT", "int": "INT", "bigint": "BIGINT",
    "float": "FLOAT", "double": "DOUBLE", "string": "STRING", "binary": "BINARY", "date": "DATE",
    "timestamp": "TIMESTAMP", "timestamp_ntz": "TIMESTAMP_NTZ",
}  # fmt: skip
_DAY_ZERO = date(1970, 1, 1)
_EPOCH = datetime(1970, 1, 1)


def spelled(expr: Expression, columns: Mapping[str, str]) -> str | None:
    """The expression in Spark SQL, with its columns as spelled there; None where there is no equal one."""
    if may_fail(expr):
        return None
    try:
        return _spelled(expr, columns)
    except _NoSpelling:
        return None


class _NoSpelling(Exception):
    """Some part has no equal in Spark SQL."""


def spark_name(type_: Type) -> str | None:
    """The name of a type in Spark SQL; None of those whose values are not compared there as here."""
    if type_.is_decimal:
        return f"DECIMAL({type_.precision}, {type_.scale})"
    return _SPARK_NAMES.get(type_.name)


def _spelled(expr: Expression, columns: Mapping[str, str]) -> str:
    match expr:
        case Column(name=name) if name in columns and spark_name(expr.type):
            return columns[name]
        case Literal(value=value):
            return _literal(value, expr.type)
        case Call():
            return _call(expr, columns)
        case Case(branches=branches, otherwise=otherwise):
            whens = [
                f"WHEN {_spelled(condition, columns)} THEN {_as(expr.type, value, columns)}"
                for condition, value in branches
            ]
            return f"CASE {' '.join(whens)} ELSE {_as(expr.type, otherwise, columns)} END"
        case Cast(operand=operand) if _widens(operand.type, expr.type):
            return f"CAST({_spelled(operand, columns)} AS {_name(expr.type)})"
    raise _NoSpelling


def _call(call: Call, columns: Mapping[str, str]) -> str:
    function = FUNCTIONS[call.function]
    if function.spark is None:
        raise _NoSpelling
    if not function.unifies:
        return function.spark([_spelled(part, columns) for part in call.arguments])
    types = {part.type for part in call.arguments if part.type.name != "null"}
    if len(types) != 1:
        raise _NoSpelling  # Spark would convert them by rules of its own
    (type_,) = types
    return function.spark([_as(type_, part, columns) for part in call.arguments])


def _as(type_: Type, expr: Expression, columns: Mapping[str, str]) -> str:
    """An expression of that type; a bare NULL gets it."""
    if expr.type.name == "null":
        return f"CAST(NULL AS {_name(type_)})"
    if expr.type != type_:
        raise _NoSpelling
    return _spelled(expr, columns)


def _name(type_: Type) -> str:
    name = spark_name(type_)
    if name is None:
        raise _NoSpelling
    return name


def _widens(source: Type, target: Type) -> bool:
    """Whether CAST leaves every number as it is; a bigint may be rounded to a double."""
    is_exact = all(type_.is_integer or type_.is_decimal for type_ in (source, target))
    is_double = target.name == "double" and source.name in ("tinyint", "smallint", "int", "float")
    return source == target or is_double or (is_exact and common(source, target) == target)


def _literal(value: Any, type_: Type) -> str:
    name = _name(type_)
    if value is None:
        return f"CAST(NULL AS {name})"
    spell = _LITERALS.get(type_.name)
    return f"CAST('{_number(value)}' AS {name})" if spell is None else spell(value)


def _number(value: Any) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"
    return repr(value) if isinstance(value, float) else str(value)


def _bytes(content: bytes) -> str:
    return f"X'{content.hex()}'"


_LITERALS: Mapping[str, Callable[[Any], str]] = {
    "boolean": lambda value: "TRUE" if value else "FALSE",
    # As bytes: whether a backslash escapes is a setting of Spark's.
    "string": lambda value: f"CAST({_bytes(value.encode())} AS STRING)",
    "binary": _bytes,
    "date": lambda value: f"date_from_unix_date({(value - _DAY_ZERO).days})",
    "timestamp": lambda value: f"timestamp_micros({(value - _EPOCH) // timedelta(microseconds=1)})",
    "timestamp_ntz": lambda value: f"TIMESTAMP_NTZ '{value.isoformat(sep=' ')}'",
}
