"""Maps: lists of structs of a key and a value, in the order of the keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from slackwater.algebra.expressions import Call
from slackwater.algebra.types import Type, element_of, entries_of, fields_of, is_comparable
from slackwater.algebra.values import Row, map_value
from slackwater.kernels.expressions.decimals import Maker
from slackwater.kernels.expressions.nested.arrays import by_polars, loose
from slackwater.kernels.expressions.rowwise import rowwise
from slackwater.kernels.expressions.terms import Term
from slackwater.kernels.expressions.values import column_of

_KEY, _VALUE = pl.element().struct.field("key"), pl.element().struct.field("value")


def _map(call: Call, arguments: Sequence[Term]) -> Term:
    if not arguments:
        return Term(pl.lit(column_of([()], call.type)).first())
    return loose(lambda *row: map_value(zip(row[::2], row[1::2], strict=True)), slice(0, None, 2))(
        call, arguments
    )


def _from_arrays(keys: Row, values: Row) -> Row | None:
    return None if len(keys) != len(values) else map_value(zip(keys, values, strict=True))


def _value(entries: Row, key: Any) -> Any:
    return dict(entries).get(key)


def _joined(*maps: Row) -> Row | None:
    return map_value([entry for entries in maps for entry in entries])


def in_order(value: pl.Expr, type_: Type) -> pl.Expr:
    """The value with the entries of the maps in it in the order of their keys, as all maps have them here."""
    if is_comparable(type_):
        return value
    if type_.name == "struct":
        fields = [in_order(pl.field(name), kind).alias(name) for name, kind in fields_of(type_)]
        return value.struct.with_fields(fields)
    if type_.name == "array":
        return value.list.eval(in_order(pl.element(), element_of(type_)))
    inside = in_order(value, entries_of(type_))
    return inside.list.eval(pl.element().sort_by(_KEY))


MAKERS: dict[str, Maker] = {
    "map": _map,
    "map_from_arrays": rowwise(_from_arrays),
    "map_from_entries": rowwise(lambda entries: None if None in entries else map_value(entries)),
    "map_keys": by_polars(lambda entries: entries.list.eval(_KEY)),
    "map_values": by_polars(lambda entries: entries.list.eval(_VALUE)),
    "map_entries": by_polars(lambda entries: entries),
    "map_value": rowwise(_value),
    "map_contains_key": rowwise(lambda entries, key: key in dict(entries)),
    "map_concat": rowwise(_joined),
}
