"""Atomic values: their types, atomization and truth, as XQuery defines them.

    xs:string str    xs:boolean bool    xs:integer int    xs:decimal Decimal    xs:double float

and `Untyped` for the values of documents without types.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from itertools import chain
from typing import TypeAlias, TypeGuard

from slackwater.flux.values.errors import too_long, too_many, wrong_type
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
_BASES = {
    "xs:byte": "xs:short", "xs:short": "xs:int", "xs:int": "xs:long", "xs:long": "xs:integer",
    "xs:unsignedInt": "xs:unsignedLong", "xs:unsignedLong": "xs:nonNegativeInteger",
    "xs:positiveInteger": "xs:nonNegativeInteger", "xs:nonNegativeInteger": "xs:integer",
    "xs:integer": "xs:decimal",
}  # fmt: skip


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
