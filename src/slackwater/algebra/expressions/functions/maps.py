"""Maps: entries of a key, which is not NULL and there once, and a value, in the order of the keys."""

from __future__ import annotations

from slackwater.algebra.expressions import nested as n
from slackwater.algebra.expressions.signatures import Family, Function
from slackwater.algebra.types import BOOLEAN

_MAP, _ARRAY, _ANY = Family.MAP, Family.ARRAY, Family.ANY
_WRONG = "NULL if a key is NULL or there twice"

FUNCTIONS = (
    Function(
        "map",
        (_ANY, _ANY),
        n.mapped,
        f"the map of keys and values that come in turn; {_WRONG}",
        optional=2,
        variadic=True,
        strict=False,
        partial=True,
        adapts=n.pairs,
        together=", keys and values in turn, each of types that fit together",
    ),
    Function(
        "map_from_arrays",
        (_ARRAY, _ARRAY),
        n.mapped_arrays,
        f"the map of the keys in the first and the values in the second; {_WRONG}, or not as many as values",
        partial=True,
    ),
    Function(
        "map_from_entries",
        (Family.PAIRS,),
        n.mapped_entries,
        f"the map of structs of a key and a value; {_WRONG}, or a struct is NULL",
        partial=True,
    ),
    Function("map_keys", (_MAP,), n.keys_of, "the keys, in their order"),
    Function("map_values", (_MAP,), n.values_of, "the values, in the order of the keys"),
    Function(
        "map_entries",
        (_MAP,),
        n.entries,
        "the entries, structs of a key and a value, in the order of the keys",
    ),
    Function(
        "map_value",
        (_MAP, _ANY),
        n.with_key(),
        "the value of the key; NULL if there is no such key",
        adapts=n.beside_map,
        partial=True,
        together=", of the type of its keys",
        also="`m[k]`, `element_at(m, k)`, `m.k`",
    ),
    Function(
        "map_contains_key",
        (_MAP, _ANY),
        n.with_key(BOOLEAN),
        "whether it has the key",
        adapts=n.beside_map,
        together=", of the type of its keys",
    ),
    Function(
        "map_concat",
        (_MAP,),
        n.alike,
        "the entries of all; NULL if two have the same key",
        variadic=True,
        unifies=True,
        partial=True,
        together=", of keys and values of one type each",
    ),
)
