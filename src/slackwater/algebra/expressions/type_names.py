"""Types by the names that Spark's typeof gives them."""

from __future__ import annotations

from slackwater.algebra.types import Type

_NAMES = {"interval": "interval day to second", "null": "void"}


def type_name(type_: Type) -> str:
    """
    >>> type_name(Type("array", (Type("decimal", (9, 2)),)))
    'array<decimal(9,2)>'
    """
    if not type_.arguments:
        return _NAMES.get(type_.name, type_.name)
    inside = ",".join(map(_argument, type_.arguments))
    return f"{type_.name}({inside})" if type_.is_decimal else f"{type_.name}<{inside}>"


def _argument(argument: int | Type | tuple[str, Type]) -> str:
    if isinstance(argument, tuple):
        return f"{argument[0]}:{type_name(argument[1])}"
    return type_name(argument) if isinstance(argument, Type) else str(argument)
