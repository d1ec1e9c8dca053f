"""The columns of a declaration, and those that its KEY names."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from slackwater.algebra import Schema
from slackwater.algebra.types import UNKNOWN, Type
from slackwater.bind import errors
from slackwater.bind.binding import Binding
from slackwater.bind.nested.adapt import check_key
from slackwater.bind.types import type_named


def declared_columns(columns: Sequence[exp.ColumnDef], binding: Binding) -> Schema:
    """The columns with their types; unknown types and repeated names are reported."""
    known: dict[str, tuple[str, Type]] = {}
    for column in columns:
        kind = column.args.get("kind")
        type_ = type_named(kind) if isinstance(kind, exp.DataType) else None
        if type_ is None:
            place = binding.span(kind or column)
            binding.report(errors.unknown_type(" ".join(place.content.split()), place))
        if column.name.lower() in known:
            binding.report(errors.duplicate_column(column.name, binding.span(column)))
        known[column.name.lower()] = (column.name, type_ or UNKNOWN)
    return Schema(tuple(known.values()))


def key_columns(node: exp.Expression, schema: Schema, binding: Binding) -> tuple[str, ...]:
    """The columns of the KEY of a declaration, as the schema names them."""
    names = {name.lower(): name for name in schema.names}
    for column in node.args.get("key") or []:
        if column.name.lower() not in names:
            binding.report(errors.unknown_key_column(column.name, schema, binding.span(column)))
        else:
            check_key(schema.type_of(names[column.name.lower()]), binding.span(column), binding)
    return tuple(
        names[column.name.lower()] for column in node.args.get("key") or [] if column.name.lower() in names
    )
