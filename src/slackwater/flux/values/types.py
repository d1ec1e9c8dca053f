"""Sequence types: matching, and the conversion of arguments."""

from __future__ import annotations

from slackwater.flux.values.atomic import (
    Atomic,
    Item,
    Items,
    Untyped,
    atomized,
    each_kind,
    is_derived,
    is_number,
    type_name,
)
from slackwater.flux.values.axes import matches
from slackwater.flux.values.casts import cast_to, to_decimal, to_double
from slackwater.flux.values.context import Context
from slackwater.flux.values.errors import Wrong, wrong_type
from slackwater.flux.values.tree import Node
from slackwater.language.xquery import syntax as ast


def is_instance(items: Items, type_: ast.SequenceType, context: Context) -> bool:
    return _counts(len(items), type_) and all(_is(item, type_.item, context) for item in each_kind(items))


def coerced(items: Items, type_: ast.SequenceType | None, context: Context) -> Items:
    """A value converted to the type of a parameter: untyped values are cast, numbers promoted."""
    if type_ is None:
        return items
    value = items
    if not type_.item.endswith(")") and not (isinstance(items, range) and _is(0, type_.item, context)):
        value = [_promoted(atom, type_.item) for atom in atomized(items)]
    return checked(value, type_, context)


def checked(items: Items, type_: ast.SequenceType | None, context: Context) -> Items:
    """The value unchanged; raises if it is not of the type of its variable."""
    if type_ is not None and not is_instance(items, type_, context):
        raise wrong_type(f"the value is not of type {type_.item}{type_.occurrence}")
    return items


def cast(items: Items, type_: ast.SequenceType) -> Items:
    values = atomized(items)
    if not values and type_.occurrence == "?":
        return []
    if len(values) != 1:
        raise wrong_type(f"one value can be cast to {type_.item}, not {len(values)}")
    return [cast_to(values[0], type_.item)]


def is_castable(items: Items, type_: ast.SequenceType) -> bool:
    try:
        cast(items, type_)
    except Wrong:
        return False
    return True


def _counts(size: int, type_: ast.SequenceType) -> bool:
    if type_.item == "empty-sequence()":
        return size == 0
    match type_.occurrence:
        case "?":
            return size <= 1
        case "*":
            return True
        case "+":
            return size >= 1
        case _:
            return size == 1


def _promoted(value: Atomic, name: str) -> Atomic:
    if isinstance(value, Untyped) and name not in ("xs:untypedAtomic", "xs:anyAtomicType"):
        return to_double(value) if name == "xs:numeric" else cast_to(value, name)
    if is_number(value):
        if name == "xs:double":
            return to_double(value)
        if name == "xs:decimal" and isinstance(value, int):
            return to_decimal(value)
    return value


def _is(item: Item, name: str, context: Context) -> bool:
    kind, parenthesis, inside = name.partition("(")
    if parenthesis:
        return _is_kind(item, kind, inside.removesuffix(")"), context)
    if isinstance(item, Node):
        return False
    match name:
        case "xs:anyAtomicType":
            return True
        case "xs:numeric":
            return is_number(item)
        case _:
            return is_derived(type_name(item), name)


def _is_kind(item: Item, kind: str, name: str, context: Context) -> bool:
    if kind == "item":
        return True
    if not isinstance(item, Node):
        return False
    test = ast.KindTest(kind, None if name in ("", "*") else name)  # type: ignore[arg-type]
    return matches(test, "self", item, context)
