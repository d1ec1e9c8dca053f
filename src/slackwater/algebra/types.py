"""The types a column may have, and which of two a value of either fits into."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Type:
    """A type by its name; `arguments` are a decimal's digits or what an array, struct or map holds."""

    name: str
    arguments: tuple[int | Type | tuple[str, Type], ...] = ()

    def __str__(self) -> str:
        if not self.arguments:
            return self.name
        inside = ", ".join(f"{a[0]}: {a[1]}" if isinstance(a, tuple) else str(a) for a in self.arguments)
        return f"{self.name}({inside})" if self.is_decimal else f"{self.name}<{inside}>"

    @property
    def is_integer(self) -> bool:
        return self.name in _INTEGERS

    @property
    def is_floating(self) -> bool:
        return self.name in ("float", "double")

    @property
    def is_decimal(self) -> bool:
        return self.name == "decimal"

    @property
    def is_numeric(self) -> bool:
        return self.is_integer or self.is_floating or self.is_decimal

    @property
    def is_time(self) -> bool:
        return self.name in ("date", "timestamp", "timestamp_ntz")

    @property
    def precision(self) -> int:
        return next((a for a in self.arguments[:1] if isinstance(a, int)), 0)

    @property
    def scale(self) -> int:
        return next((a for a in self.arguments[1:2] if isinstance(a, int)), 0)


_INTEGERS: Final = ("tinyint", "smallint", "int", "bigint")
INTEGER_DIGITS: Final = {"tinyint": 3, "smallint": 5, "int": 10, "bigint": 19}
"""The decimal digits of the largest integer of each type."""
MAX_PRECISION: Final = 38
LEAST: Final = -(1 << 63)
GREATEST: Final = (1 << 63) - 1
"""The bounds of a bigint, and so of every integer that a function gives."""

BOOLEAN: Final = Type("boolean")
TINYINT: Final = Type("tinyint")
SMALLINT: Final = Type("smallint")
INT: Final = Type("int")
BIGINT: Final = Type("bigint")
FLOAT: Final = Type("float")
DOUBLE: Final = Type("double")
STRING: Final = Type("string")
BINARY: Final = Type("binary")
DATE: Final = Type("date")
TIMESTAMP: Final = Type("timestamp")
"""An instant, the same in every time zone."""
TIMESTAMP_NTZ: Final = Type("timestamp_ntz")
"""A date and time of day without a zone; beside an instant it is read as UTC."""
INTERVAL: Final = Type("interval")
"""A length of time inside an expression: `ts + INTERVAL '5' MINUTE`."""
NULL: Final = Type("null")
"""The type of a bare NULL: it fits into every other type."""
UNKNOWN: Final = Type("unknown")
"""The type of what has already been reported as wrong; it agrees with everything."""


def decimal(precision: int, scale: int) -> Type:
    return Type("decimal", (min(precision, MAX_PRECISION), min(scale, MAX_PRECISION)))


def array(element: Type) -> Type:
    return Type("array", (element,))


def element_of(type_: Type) -> Type:
    """The type of an array's elements; those of a NULL are NULLs."""
    element = type_.arguments[0] if type_.name == "array" else NULL
    return element if isinstance(element, Type) else UNKNOWN


def map_of(key: Type, value: Type) -> Type:
    return Type("map", (key, value))


def struct(**fields: Type) -> Type:
    return Type("struct", tuple(fields.items()))


def entries_of(type_: Type) -> Type:
    """A map as the array of its entries, structs of a key and a value, in the order of the keys."""
    key, value = (argument for argument in type_.arguments if isinstance(argument, Type))
    return array(struct(key=key, value=value))


def is_comparable(type_: Type) -> bool:
    """Whether values of the type are equal or not, and in an order: not those with a map in them."""
    inner = (argument[1] if isinstance(argument, tuple) else argument for argument in type_.arguments)
    return type_.name != "map" and all(is_comparable(part) for part in inner if isinstance(part, Type))


def fields_of(type_: Type) -> list[tuple[str, Type]]:
    """The names and types of the fields of a struct."""
    return [argument for argument in type_.arguments if isinstance(argument, tuple)]


def common(one: Type, other: Type) -> Type | None:
    """The smallest type both fit into, if there is one.

    An integer beside a decimal is a decimal with room for its digits; beside a floating number
    both become doubles, because a float cannot hold every int.
    """
    if one == other or other in (NULL, UNKNOWN):
        return one
    if one in (NULL, UNKNOWN):
        return other
    if one.is_numeric and other.is_numeric:
        return _common_number(one, other)
    if one.is_time and other.is_time:
        return TIMESTAMP if TIMESTAMP in (one, other) else TIMESTAMP_NTZ
    if one.name == other.name == "array":
        inner = common(element_of(one), element_of(other))
        return None if inner is None else array(inner)
    if one.name == other.name == "struct":
        return _common_struct(one, other)
    if one.name == other.name == "map":
        whole = common(entries_of(one), entries_of(other))
        return None if whole is None else map_of(*(inner for _, inner in fields_of(element_of(whole))))
    return None


def _common_struct(one: Type, other: Type) -> Type | None:
    """Structs have a type in common if their fields have, one by one; the names are those of the first."""
    fields: dict[str, Type] = {}
    if len(one.arguments) != len(other.arguments):
        return None
    for (name, a), (_, b) in zip(fields_of(one), fields_of(other), strict=True):
        inner = common(a, b)
        if inner is None:
            return None
        fields[name] = inner
    return struct(**fields)


def _common_number(one: Type, other: Type) -> Type:
    if one.is_floating or other.is_floating:
        return DOUBLE
    if one.is_integer and other.is_integer:
        return max(one, other, key=lambda t: _INTEGERS.index(t.name))
    a, b = _as_decimal(one), _as_decimal(other)
    scale = max(a.scale, b.scale)
    return decimal(max(a.precision - a.scale, b.precision - b.scale) + scale, scale)


def _as_decimal(type_: Type) -> Type:
    return type_ if type_.is_decimal else decimal(INTEGER_DIGITS[type_.name], 0)
