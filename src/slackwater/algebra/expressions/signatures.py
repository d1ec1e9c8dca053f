"""What a function takes and gives: families of parameter types, and rules for the result's type."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from slackwater.algebra.types import (
    BIGINT,
    DOUBLE,
    INT,
    INTERVAL,
    NULL,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    UNKNOWN,
    Type,
    common,
    decimal,
    element_of,
    struct,
)

Rule = Callable[[Sequence[Type]], Type | None]
"""The result's type for these argument types; None if the arguments do not go together."""


class Family(StrEnum):
    """A set of types that a parameter takes, named as a sentence names it."""

    ANY = "a value"
    BOOLEAN = "a boolean"
    INTEGER = "an integer"
    NUMBER = "a number"
    TEXT = "a string"
    BINARY = "a binary value"
    CODED = "a string or binary value"
    CODE = "an integer, string or binary value"
    UNIT = "a unit of time"
    """A literal text, one of `UNITS`."""
    PATTERN = "a constant regular expression"
    REPLACEMENT = "a constant text with $1"
    GROUP = "a constant number of a group"
    FORMAT = "a constant format of times"
    ZONE = "a constant time zone"
    PRINTF = "a constant format with %s"
    DIGITS = "a constant format of numbers"
    PRINTED = "a boolean, integer, double or string"
    FIELD = "the name of a field"
    SCHEMA = "a constant schema"
    STRUCT = "a struct"
    ARRAY = "an array"
    ARRAYS = "an array of arrays"
    MAP = "a map"
    COLLECTION = "an array or map"
    PAIRS = "an array of structs with two fields"
    WORDS = "an array of strings"
    NESTED = "a struct, array or map"
    PAIR = "two numbers"
    BY = "a value and a value"
    PLACED = "a number and a constant share"
    TEXTS = "a string and optionally a constant string"
    LISTED = "a value with a known type"
    TIME = "a date or timestamp"
    MOMENT = "a date, timestamp or string"
    INTERVAL = "an interval"
    LENGTH = "a date, timestamp or interval"
    QUANTITY = "a number or interval"
    MEASURE = "a number, date, timestamp or interval"

    def takes(self, type_: Type) -> bool:
        return type_ in (NULL, UNKNOWN) or _MEMBERS[self](type_)


def _is_interval(type_: Type) -> bool:
    return type_ == INTERVAL


def _fields(type_: Type) -> tuple[str, ...]:
    """The names of the types of a struct's fields."""
    fields = type_.arguments if type_.name == "struct" else ()
    return tuple(field[1].name for field in fields if isinstance(field, tuple))


def _is_number(name: str) -> bool:
    return Type(name).is_numeric


_MEMBERS: dict[Family, Callable[[Type], bool]] = {
    Family.ANY: lambda t: True,
    Family.BOOLEAN: lambda t: t.name == "boolean",
    Family.INTEGER: lambda t: t.is_integer,
    Family.NUMBER: lambda t: t.is_numeric,
    Family.TEXT: lambda t: t.name == "string",
    Family.BINARY: lambda t: t.name == "binary",
    Family.CODED: lambda t: t.name in ("string", "binary"),
    Family.CODE: lambda t: t.is_integer or t.name in ("string", "binary"),
    Family.UNIT: lambda t: t.name == "string",
    Family.PATTERN: lambda t: t.name == "string",
    Family.REPLACEMENT: lambda t: t.name == "string",
    Family.GROUP: lambda t: t.is_integer,
    Family.FORMAT: lambda t: t.name == "string",
    Family.ZONE: lambda t: t.name == "string",
    Family.PRINTF: lambda t: t.name == "string",
    Family.DIGITS: lambda t: t.name == "string",
    Family.PRINTED: lambda t: t.is_integer or t.name in ("boolean", "double", "string"),
    Family.SCHEMA: lambda t: t.name == "string",
    Family.FIELD: lambda t: t.name == "string",
    Family.STRUCT: lambda t: t.name == "struct",
    Family.ARRAY: lambda t: t.name == "array",
    Family.ARRAYS: lambda t: element_of(t).name == "array",
    Family.MAP: lambda t: t.name == "map",
    Family.COLLECTION: lambda t: t.name in ("array", "map"),
    Family.PAIRS: lambda t: t.name == "array" and len(_fields(element_of(t))) == 2,
    Family.NESTED: lambda t: t.name in ("struct", "array", "map"),
    Family.WORDS: lambda t: t.name == "array" and element_of(t).name in ("string", "null"),
    Family.PAIR: lambda t: _fields(t)[:2] == ("double", "double"),
    Family.BY: lambda t: len(_fields(t)) == 2,
    Family.PLACED: lambda t: _fields(t)[1:] == ("double",) and _is_number(_fields(t)[0]),
    Family.TEXTS: lambda t: _fields(t)[:3] == ("string",) * 3,
    Family.LISTED: lambda t: _fields(t)[1:2] == ("string",),
    Family.TIME: lambda t: t.is_time,
    Family.MOMENT: lambda t: t.is_time or t.name == "string",
    Family.INTERVAL: _is_interval,
    Family.LENGTH: lambda t: t.is_time or _is_interval(t),
    Family.QUANTITY: lambda t: t.is_numeric or _is_interval(t),
    Family.MEASURE: lambda t: t.is_numeric or t.is_time or _is_interval(t),
}

CONSTANT = frozenset(
    (
        Family.PATTERN,
        Family.REPLACEMENT,
        Family.GROUP,
        Family.FORMAT,
        Family.ZONE,
        Family.PRINTF,
        Family.DIGITS,
        Family.FIELD,
        Family.SCHEMA,
    )
)
"""Parameters that take only literals, which are checked when the call is bound."""

UNITS = ("microsecond", "millisecond", "second", "minute", "hour", "day", "week", "month", "quarter", "year")
"""The units of `date_trunc` and `date_diff`; a week begins on Monday."""


@dataclass(frozen=True, slots=True)
class Function:
    """A scalar function; a `strict` one is NULL if an argument is.

    The last `optional` parameters may be omitted; the last parameter of a `variadic` function may be
    repeated.
    """

    name: str
    parameters: tuple[Family, ...]
    result: Rule
    meaning: str
    optional: int = 0
    variadic: bool = False
    strict: bool = True
    together: str = ""
    """What the result rule requires of the arguments beyond their families, as the end of a sentence."""
    unifies: bool = False
    """Whether its arguments are cast to their common type when it is bound."""
    adapts: Callable[[Sequence[Type]], Sequence[Type] | None] | None = None
    """The types that its arguments are cast to when it is bound, if not one in common (see `nested`)."""
    converts: bool = False
    """Whether arguments become values of their type in common; a decimal may not fit (`bad-cast`)."""
    partial: bool = False
    """Whether it may be NULL though no argument is."""
    error: str = ""
    """The code of the error that it ends in for some arguments."""
    range: Callable[[Sequence[tuple[int, int]]], tuple[int, int]] | None = None
    """Between which integers the result lies, by the ranges of the arguments; None: any of its type."""
    monotone: tuple[int, ...] = ()
    """The arguments, by position, that it is monotonic in: a greater one gives no less, the others equal."""
    spark: Callable[[Sequence[str]], str] | None = None
    """The call in Spark SQL, where that means the same for every value (see `functions.spark`)."""
    syntax: str = ""
    """Its syntax, if it is not called by its name."""
    also: str = ""
    """Other ways to write it."""

    def accepts_count(self, count: int) -> bool:
        most = len(self.parameters)
        return most - self.optional <= count and (self.variadic or count <= most)

    def family(self, index: int) -> Family:
        return self.parameters[min(index, len(self.parameters) - 1)]

    @property
    def takes(self) -> str:
        """A sentence that says what the function takes."""
        words = [str(family) for family in self.parameters]
        first = len(words) - self.optional
        words[first:] = [f"optionally {word}" for word in words[first:]]
        if self.variadic:
            words.append("any number of further such values")
        listed = f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else "".join(words)
        return f'Function "{self.name}" takes {listed or "no arguments"}{self.together}.'


@dataclass(frozen=True, slots=True)
class Mismatch:
    """Why a function does not apply: the argument at `index` is wrong, or their number (None)."""

    index: int | None
    sentence: str
    """What the function takes."""


def always(type_: Type) -> Rule:
    return lambda types: type_


def bound(types: Sequence[Type]) -> Type | None:
    """The type depends on constants, not only on types: binding finds it."""
    return None


def shared(types: Sequence[Type]) -> Type | None:
    """The smallest type that all of them fit into."""
    if UNKNOWN in types:
        return UNKNOWN
    together: Type | None = NULL
    for type_ in types:
        together = together and common(together, type_)
    return together


def structured(types: Sequence[Type]) -> Type | None:
    """A struct of fields of these types; a bare NULL has none."""
    if UNKNOWN in types:
        return UNKNOWN
    if NULL in types:
        return None
    return struct(**{f"col{place}": type_ for place, type_ in enumerate(types, 1)})


def when_comparable(type_: Type) -> Rule:
    """`type_`, if all arguments have a type in common."""
    return lambda types: type_ if shared(types) else None


def when_first_two_comparable(types: Sequence[Type]) -> Type | None:
    return types[0] if shared(types[:2]) else None


def number(types: Sequence[Type]) -> Type:
    """Integers give a bigint, a decimal stays as it is, floating numbers give a double."""
    (type_,) = types[:1]
    return BIGINT if type_.is_integer else DOUBLE if type_.is_floating else type_


def word(types: Sequence[Type]) -> Type:
    """The machine word whose bits are moved: 64 for a bigint, else 32."""
    return BIGINT if types[0] == BIGINT else INT


def whole(types: Sequence[Type]) -> Type:
    """As `number`, and a decimal loses its fraction and gains the digit a carry may need."""
    type_ = types[0]
    return decimal(type_.precision - type_.scale + 1, 0) if type_.is_decimal else number(types)


def rounded(types: Sequence[Type]) -> Type:
    """As `whole` without digits; with them a decimal keeps its scale, for they may differ by row."""
    type_ = types[0]
    if type_.is_decimal and len(types) > 1:
        return decimal(type_.precision + 1, type_.scale)
    return whole(types)


def _digits(type_: Type) -> tuple[int, int]:
    """How many digits stand before and after the decimal point."""
    exact = type_ if type_.is_decimal else common(type_, decimal(1, 0)) or type_
    return exact.precision - exact.scale, exact.scale


def _numeric(one: Type, other: Type, decimals: Callable[[Type, Type], Type]) -> Type | None:
    if not (one.is_numeric and other.is_numeric):
        return None
    if one.is_floating or other.is_floating:
        return DOUBLE
    return decimals(one, other) if one.is_decimal or other.is_decimal else BIGINT


def _sum(one: Type, other: Type) -> Type:
    (left, left_scale), (right, right_scale) = _digits(one), _digits(other)
    scale = max(left_scale, right_scale)
    return decimal(max(left, right) + 1 + scale, scale)


def _product(one: Type, other: Type) -> Type:
    (left, left_scale), (right, right_scale) = _digits(one), _digits(other)
    scale = left_scale + right_scale
    return decimal(left + right + scale, scale)


def _remainder(one: Type, other: Type) -> Type:
    return common(one, other) or one


def _binary(
    rule: Callable[[Type, Type], Type | None],
    null_before_time: Type = INTERVAL,
    null_beside_interval: Type = INTERVAL,
) -> Rule:
    """`rule` on two types, where a NULL has the type that goes with the other argument."""

    def beside(other: Type, beside_time: Type) -> Type:
        return beside_time if other.is_time else null_beside_interval if other == INTERVAL else other

    def result(types: Sequence[Type]) -> Type | None:
        if UNKNOWN in types:
            return UNKNOWN
        one, other = types
        if one == other == NULL:
            return NULL
        if one == NULL:
            return rule(beside(other, null_before_time), other)
        return rule(one, beside(one, INTERVAL) if other == NULL else other)

    return result


def _moved(time: Type) -> Type:
    """The type of a date or timestamp that an interval moves."""
    return TIMESTAMP_NTZ if time == TIMESTAMP_NTZ else TIMESTAMP


def truncated(types: Sequence[Type]) -> Type | None:
    """DATE_TRUNC(unit, time): a timestamp with a zone or without one, as the argument."""
    return _moved(types[1])


def moved_third(types: Sequence[Type]) -> Type | None:
    return _moved(types[2])


def zoned(types: Sequence[Type]) -> Type | None:
    """With a zone if it has none, and without one if it has."""
    return TIMESTAMP if types[0] == TIMESTAMP_NTZ else TIMESTAMP_NTZ


def _added(one: Type, other: Type) -> Type | None:
    if one == other == INTERVAL:
        return INTERVAL
    if {one.is_time, other.is_time} == {True, False} and INTERVAL in (one, other):
        return _moved(one if one.is_time else other)
    return _numeric(one, other, _sum)


def _subtracted(one: Type, other: Type) -> Type | None:
    if (one.is_time and other.is_time) or one == other == INTERVAL:
        return INTERVAL
    if one.is_time and other == INTERVAL:
        return _moved(one)
    return _numeric(one, other, _sum)


def _multiplied(one: Type, other: Type) -> Type | None:
    if INTERVAL in (one, other):
        return INTERVAL if one.is_integer or other.is_integer else None
    return _numeric(one, other, _product)


added = _binary(_added)
subtracted = _binary(_subtracted, null_before_time=TIMESTAMP)
multiplied = _binary(_multiplied, null_beside_interval=BIGINT)
divided = _binary(lambda one, other: _numeric(one, other, lambda a, b: DOUBLE))
remaindered = _binary(lambda one, other: _numeric(one, other, _remainder))
