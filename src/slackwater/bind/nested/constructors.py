"""Values whose type is part of the query: struct(a, b AS c), named_struct('a', x), ROW(a, b), from_json."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from slackwater.algebra.expressions import Call, Expression, Literal
from slackwater.algebra.expressions.casts import inner_types
from slackwater.algebra.expressions.functions import FUNCTIONS
from slackwater.algebra.types import NULL, STRING, UNKNOWN, Type, array, element_of, struct
from slackwater.base.span import Span
from slackwater.bind import errors
from slackwater.bind.nested import problems
from slackwater.bind.nested.schemas import schema_type
from slackwater.bind.scope import unique_names

if TYPE_CHECKING:
    from slackwater.bind.expressions import Expressions

Node = exp.Expression
Constructor = Callable[[Sequence[Node], "Expressions", Span], Expression]


def constructed(node: Node, binder: Expressions, span: Span) -> Expression | None:
    """The value that the node makes; None if it is no constructor."""
    if isinstance(node, exp.Struct):
        return _struct(node.expressions, binder, span)
    constructor = CONSTRUCTORS.get(node.name.lower()) if isinstance(node, exp.Anonymous) else None
    return None if constructor is None else constructor(node.expressions, binder, span)


def _struct(items: Sequence[Node], binder: Expressions, span: Span) -> Expression:
    names = [_name(item, place) for place, item in enumerate(items, 1)]
    return _of_fields(names, list(map(_value, items)), binder, span)


def _value(item: Node) -> Node:
    value = item.expression if isinstance(item, exp.PropertyEQ) else item.unalias()
    assert isinstance(value, Node)
    return value


def _name(item: Node, place: int) -> str:
    """The name of a field, as that of an item of a select list."""
    if isinstance(item, exp.PropertyEQ):
        return str(item.this.name)
    if isinstance(item, exp.Alias):
        return item.alias
    return item.name if isinstance(item, exp.Column | exp.Dot) else f"col{place}"


def _named_struct(items: Sequence[Node], binder: Expressions, span: Span) -> Expression:
    names = [item.name for item in items[::2] if isinstance(item, exp.Literal) and item.is_string]
    if len(names) * 2 != len(items) or not items:
        binder.binding.report(problems.BAD_NAMES.at(span))
        return Literal(UNKNOWN, None, origin=span)
    return _of_fields(names, items[1::2], binder, span)


def _row(items: Sequence[Node], binder: Expressions, span: Span) -> Expression:
    return _of_fields([f"col{place}" for place in range(1, len(items) + 1)], items, binder, span)


def _of_fields(names: Sequence[str], items: Sequence[Node], binder: Expressions, span: Span) -> Expression:
    values = [binder.bind(item) for item in items]
    types = [value.type for value in values]
    if UNKNOWN in types:
        return Literal(UNKNOWN, None, origin=span)
    if NULL in types or not types:
        return binder.applied("struct", values, span)  # which reports the value without a type
    fields = dict(zip(unique_names(list(names)), types, strict=True))
    return Call(struct(**fields), "struct", tuple(values), origin=span)


def _arrays_zip(items: Sequence[Node], binder: Expressions, span: Span) -> Expression:
    """An array of structs, whose fields have the names of the columns that the arrays are, or places."""
    whole = binder.applied("arrays_zip", [binder.bind(item) for item in items], span)
    if not isinstance(whole, Call):
        return whole
    names = [
        item.name if isinstance(item, exp.Column | exp.Dot) else str(at) for at, item in enumerate(items)
    ]
    types = [element_of(argument.type) for argument in whole.arguments]
    fields = dict(zip(unique_names(names), types, strict=True))
    return replace(whole, type=array(struct(**fields)))


def _from_json(items: Sequence[Node], binder: Expressions, span: Span) -> Expression:
    schema = items[1] if len(items) == 2 else None
    is_text = isinstance(schema, exp.Literal) and schema.is_string
    type_ = schema_type(schema.name) if schema is not None and is_text else None
    if type_ is None or type_.name not in ("struct", "array", "map") or not _has_texts_as_keys(type_):
        place = span if schema is None else binder.binding.span(schema)
        binder.binding.report(problems.BAD_SCHEMA.at(place, text=place.content))
        return Literal(UNKNOWN, None, origin=span)
    text = binder.bind(items[0])
    if text.type not in (STRING, UNKNOWN, NULL):
        takes = FUNCTIONS["from_json"].takes
        binder.binding.report(errors.wrong_arguments("from_json", takes, span, [text.type, STRING]))
    if text.type not in (STRING, NULL):
        return Literal(UNKNOWN, None, origin=span)
    return Call(type_, "from_json", (text, binder.bind(items[1])), origin=span)


def _has_texts_as_keys(type_: Type) -> bool:
    """Whether the maps in a type have texts as keys, as objects of JSON have."""
    inner = inner_types(type_)
    return (type_.name != "map" or inner[0] == STRING) and all(map(_has_texts_as_keys, inner))


CONSTRUCTORS: dict[str, Constructor] = {
    "named_struct": _named_struct,
    "row": _row,
    "from_json": _from_json,
    "arrays_zip": _arrays_zip,
}
