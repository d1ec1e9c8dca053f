"""Atomic values: types, text, numbers, casts, comparison and truth, as XQuery defines them.

    xs:string str    xs:boolean bool    xs:integer int    xs:decimal Decimal    xs:double float

and `Untyped` for the values of documents without types.
"""

from __future__ import annotations

import math
import operator
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_DOWN, Context, Decimal
from itertools import chain
from typing import Any, TypeAlias, TypeGuard

from slackwater.flux.values.errors import Wrong, bad_cast, too_long, too_many, wrong_type
from slackwater.flux.values.joined import Joined, joined
from slackwater.flux.values.tree import Node


@dataclass(frozen=True, slots=True)
class Untyped:
    """xs:untypedAtomic: the value of a node of a document without a schema."""

    text: str


class Derived(int):
    """An integer of a type derived from xs:integer; arithmetic on it gives xs:integer again."""

    type: str

    @staticmethod
    def of(value: int, name: str) -> Derived:
        derived = Derived(value)
        derived.type = name
        return derived


Number: TypeAlias = int | Decimal | float
Atomic: TypeAlias = str | bool | int | Decimal | float | Untyped
Item: TypeAlias = Node | Atomic
Items: TypeAlias = Sequence[Item]
"""A list, a range of integers, whose size in memory is constant, or several of these joined."""

EXACT = Context(prec=2000)
_DOUBLE = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?")
_DECIMAL = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)")
_INTEGER = re.compile(r"[+-]?\d+")
_SPECIAL = {"INF": math.inf, "+INF": math.inf, "-INF": -math.inf, "NaN": math.nan}
_SPACE = " \t\r\n"
_BASES = {
    "xs:byte": "xs:short", "xs:short": "xs:int", "xs:int": "xs:long", "xs:long": "xs:integer",
    "xs:unsignedInt": "xs:unsignedLong", "xs:unsignedLong": "xs:nonNegativeInteger",
    "xs:positiveInteger": "xs:nonNegativeInteger", "xs:nonNegativeInteger": "xs:integer",
    "xs:integer": "xs:decimal",
}  # fmt: skip
_BOUNDS = {
    "xs:int": (-(2**31), 2**31 - 1),
    "xs:long": (-(2**63), 2**63 - 1),
    "xs:short": (-(2**15), 2**15 - 1),
    "xs:byte": (-128, 127),
    "xs:nonNegativeInteger": (0, None),
    "xs:positiveInteger": (1, None),
    "xs:unsignedInt": (0, 2**32 - 1),
    "xs:unsignedLong": (0, 2**64 - 1),
}


def type_name(value: Atomic) -> str:
    match value:
        case Untyped():
            return "xs:untypedAtomic"
        case str():
            return "xs:string"
        case bool():
            return "xs:boolean"
        case Derived():
            return value.type
        case int():
            return "xs:integer"
        case Decimal():
            return "xs:decimal"
        case float():
            return "xs:double"


def is_derived(name: str | None, base: str) -> bool:
    """Whether a type is equal to `base`, or derived from it."""
    while name is not None and name != base:
        name = _BASES.get(name)
    return name is not None


def is_number(value: object) -> TypeGuard[Number]:
    return isinstance(value, int | Decimal | float) and not isinstance(value, bool)


def atomized(items: Items) -> Sequence[Atomic]:
    """The typed values: of a node its text, untyped; of comments and instructions a string."""
    if isinstance(items, range):
        return items
    if isinstance(items, Joined):
        return joined([atomized(part) for part in items.parts])
    values: list[Atomic] = []
    for item in items:
        if not isinstance(item, Node):
            values.append(item)
        elif item.kind in ("comment", "processing-instruction"):
            values.append(item.text)
        else:
            values.append(Untyped(item.value))
    return values


def each_kind(items: Items) -> Iterable[Item]:
    """At least one item of each type: all items of a range have the same type."""
    if isinstance(items, Joined):
        return chain.from_iterable(map(each_kind, items.parts))
    return items[:1] if isinstance(items, range) else items


def at_most_one(items: Items, what: str) -> Atomic | None:
    """The only atomic value, or None."""
    if len(items) > 1:
        raise too_many(what, len(items))
    return atomized(items)[0] if items else None


def both(left: Items, right: Items, what: str) -> tuple[Atomic, Atomic]:
    """The operands of an operator that takes exactly one value on each side."""
    for operand in (left, right):
        if len(operand) > 1:
            raise too_many(what, len(operand))
    return atomized(left)[0], atomized(right)[0]


def one_node(items: Items, op: str) -> Node | None:
    """The operand of a comparison of two nodes, or None."""
    if len(items) > 1 or (items and not isinstance(items[0], Node)):
        raise wrong_type(f"{op} compares one node with one node", "Choose one with [1].")
    return items[0] if items else None  # type: ignore[return-value]


def integers(first: int, last: int) -> Items:
    """The range `first to last`."""
    if last - first >= sys.maxsize:
        raise too_long()
    return range(first, last + 1)


def text_of(value: Atomic) -> str:
    """A value cast to xs:string."""
    match value:
        case Untyped(text):
            return text
        case str():
            return value
        case bool():
            return "true" if value else "false"
        case int():
            # Python's own str raises for very long ones.
            return f"{Decimal(value):f}"
        case Decimal():
            return _decimal_text(value)
        case float():
            return _double_text(value)


def _decimal_text(value: Decimal) -> str:
    text = f"{value:f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def _double_text(value: float) -> str:
    """Plain digits from 10⁻⁶ up to 10⁶, a mantissa and an exponent beyond."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "INF" if value > 0 else "-INF"
    if value == 0:
        return "-0" if math.copysign(1, value) < 0 else "0"
    digits = Decimal(repr(value))
    if Decimal("0.000001") <= abs(digits) < 1_000_000:
        return _decimal_text(digits)
    sign, figures, exponent = digits.normalize().as_tuple()
    assert isinstance(exponent, int)
    rest = "".join(map(str, figures[1:])) or "0"
    return f"{'-' if sign else ''}{figures[0]}.{rest}E{exponent + len(figures) - 1}"


def to_double(value: Atomic) -> float:
    match value:
        case Untyped(text) | str(text):
            trimmed = text.strip(_SPACE)
            if trimmed in _SPECIAL:
                return _SPECIAL[trimmed]
            if not _DOUBLE.fullmatch(trimmed) or not trimmed.isascii():
                raise bad_cast(text, "xs:double")
            return float(trimmed)
        case int() | Decimal():
            return _as_float(value)
        case float():
            return value


def _as_float(value: int | Decimal) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def to_number(value: Atomic | None) -> float:
    """fn:number: NaN for what is not a number."""
    if value is None:
        return math.nan
    try:
        return to_double(value)
    except Wrong:
        return math.nan


def to_decimal(value: Atomic) -> Decimal:
    match value:
        case Untyped(text) | str(text):
            trimmed = text.strip(_SPACE)
            if not _DECIMAL.fullmatch(trimmed) or not trimmed.isascii():
                raise bad_cast(text, "xs:decimal")
            return Decimal(trimmed)
        case float() if not math.isfinite(value):
            raise bad_cast(text_of(value), "xs:decimal")
        case _:
            return Decimal(value)


def to_integer(value: Atomic) -> int:
    match value:
        case Untyped(text) | str(text):
            trimmed = text.strip(_SPACE)
            if not _INTEGER.fullmatch(trimmed) or not trimmed.isascii():
                raise bad_cast(text, "xs:integer")
            return int(Decimal(trimmed))
        case float() if not math.isfinite(value):
            raise bad_cast(text_of(value), "xs:integer")
        case Decimal():
            return int(value.to_integral_value(ROUND_DOWN))
        case _:
            return int(value)


def to_boolean(value: Atomic) -> bool:
    match value:
        case Untyped(text) | str(text):
            trimmed = text.strip(_SPACE)
            if trimmed not in ("true", "1", "false", "0"):
                raise bad_cast(text, "xs:boolean")
            return trimmed in ("true", "1")
        case _:
            return bool(value) and value == value


def cast_to(value: Atomic, name: str) -> Atomic:
    """The value cast to the named type."""
    match name:
        case "xs:string":
            return text_of(value)
        case "xs:untypedAtomic":
            return Untyped(text_of(value))
        case "xs:boolean":
            return to_boolean(value)
        case "xs:double":
            return to_double(value)
        case "xs:decimal":
            return to_decimal(value)
        case "xs:integer":
            return to_integer(value)
    least, most = _BOUNDS[name]
    number = to_integer(value)
    if number < least or (most is not None and number > most):
        raise bad_cast(text_of(value), name)
    return Derived.of(number, name)


def truth(items: Items) -> bool:
    """The effective boolean value."""
    if not items:
        return False
    first = items[0]
    if isinstance(first, Node):
        return True
    if len(items) > 1:
        raise wrong_type("a sequence of several values is neither true nor false", "Use exists( ... ).")
    match first:
        case Untyped(text) | str(text):
            return text != ""
        case _:
            return bool(first) and first == first


_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt,
    ">=": operator.ge,
}  # fmt: skip
GENERAL_OF = {"eq": "=", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


def compared(op: str, left: Atomic, right: Atomic) -> bool:
    """Compare two values of comparable types; untyped ones are texts."""
    left, right = _typed(left), _typed(right)
    if is_number(left) and is_number(right):
        return _COMPARE[op](*alike(left, right))
    if type(left) is not type(right):
        raise wrong_type(f"a value of type {type_name(left)} cannot be compared with {type_name(right)}")
    return _COMPARE[op](left, right)


def generally_compared(op: str, left: Sequence[Atomic], right: Sequence[Atomic]) -> bool:
    """Whether some value of the left compares with some value of the right."""
    return any(compared(op, *_converted(one, other)) for one in left for other in right)


def _converted(left: Atomic, right: Atomic) -> tuple[Atomic, Atomic]:
    """Convert untyped values to the type of the other operand; for a number, to xs:double."""
    if isinstance(left, Untyped) and not isinstance(right, Untyped):
        return _as_type_of(left, right), right
    if isinstance(right, Untyped) and not isinstance(left, Untyped):
        return left, _as_type_of(right, left)
    return left, right


def _as_type_of(value: Untyped, other: Atomic) -> Atomic:
    if isinstance(other, bool):
        return to_boolean(value)
    return to_double(value) if is_number(other) else value.text


def _typed(value: Atomic) -> str | bool | int | Decimal | float:
    return value.text if isinstance(value, Untyped) else value


def alike(left: Number, right: Number) -> tuple[Number, Number]:
    """Two numbers of one type: the wider one of integer, decimal, double."""
    if isinstance(left, float) or isinstance(right, float):
        return to_double(left), to_double(right)
    if isinstance(left, Decimal) or isinstance(right, Decimal):
        return to_decimal(left), to_decimal(right)
    return left, right
