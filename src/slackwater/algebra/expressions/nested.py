"""What functions over arrays and maps take and give: rules for their types.

array_contains(array<int>, double)     both are cast: array<double>, double
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import cycle

from slackwater.algebra.expressions.signatures import Rule, shared
from slackwater.algebra.types import (
    NULL,
    Type,
    array,
    common,
    element_of,
    entries_of,
    fields_of,
    map_of,
    struct,
)

Adapting = Callable[[Sequence[Type]], Sequence[Type] | None]
"""The types that arguments of these types are cast to; None if they do not go together."""


def listed(types: Sequence[Type]) -> Type | None:
    """An array of values of the type that all fit into."""
    together = shared(types)
    return None if together is None else array(together)


def element(types: Sequence[Type]) -> Type:
    return element_of(types[0])


def as_first(types: Sequence[Type]) -> Type:
    return types[0]


def inner_array(types: Sequence[Type]) -> Type:
    """Of an array of arrays, the type of those."""
    return element_of(types[0])


def repeated(types: Sequence[Type]) -> Type:
    return array(types[0])


def zipped(types: Sequence[Type]) -> Type:
    """An array of structs with an element of each array; binding finds better names of the fields."""
    return array(struct(**{str(place): element_of(type_) for place, type_ in enumerate(types)}))


def alike(types: Sequence[Type]) -> Type | None:
    """The type of the arrays, which is the same for all."""
    known = {type_ for type_ in types if type_ != NULL}
    return known.pop() if len(known) == 1 else None if known else NULL


def when_alike(result: Type) -> Rule:
    return lambda types: None if alike(types) is None else result


def beside_array(place: int) -> Adapting:
    """The array and the value at `place`, in the type that elements and the value fit into."""

    def adapted(types: Sequence[Type]) -> Sequence[Type] | None:
        together = common(element_of(types[0]), types[place]) if len(types) > place else None
        if together is None:
            return None
        return [array(together), *types[1:place], together, *types[place + 1 :]]

    return adapted


def with_element(place: int, result: Type | None = None) -> Rule:
    """The result, or else the array's type, if the value at `place` may be an element of the array."""

    def result_of(types: Sequence[Type]) -> Type | None:
        whole = array(types[place]) if types[0] == NULL else types[0]
        fits = types[place] in (element_of(whole), NULL)
        return (result or whole) if fits else None

    return result_of


def _inside(type_: Type) -> tuple[Type, Type]:
    """The types of the keys and values of a map; those of a NULL are NULLs."""
    if type_.name != "map":
        return NULL, NULL
    (_, key), (_, value) = fields_of(element_of(entries_of(type_)))
    return key, value


def pairs(types: Sequence[Type]) -> Sequence[Type] | None:
    """Keys and values in turn, all keys in one type, and all values in one."""
    keys, values = shared(types[::2]), shared(types[1::2])
    if keys is None or values is None:
        return None
    return [target for target, _ in zip(cycle((keys, values)), types, strict=False)]


def mapped(types: Sequence[Type]) -> Type | None:
    """A map of keys and values that come in turn."""
    keys, values = alike(types[::2]), alike(types[1::2])
    is_even = len(types) % 2 == 0
    return map_of(keys, values) if is_even and keys is not None and values is not None else None


def mapped_arrays(types: Sequence[Type]) -> Type:
    return map_of(element_of(types[0]), element_of(types[1]))


def mapped_entries(types: Sequence[Type]) -> Type:
    fields = [type_ for _, type_ in fields_of(element_of(types[0]))] or [NULL, NULL]
    return map_of(fields[0], fields[1])


def keys_of(types: Sequence[Type]) -> Type:
    return array(_inside(types[0])[0])


def values_of(types: Sequence[Type]) -> Type:
    return array(_inside(types[0])[1])


def entries(types: Sequence[Type]) -> Type:
    return NULL if types[0] == NULL else entries_of(types[0])


def beside_map(types: Sequence[Type]) -> Sequence[Type] | None:
    """The map and a key of its type."""
    key, value = _inside(types[0])
    together = common(key, types[1]) if len(types) == 2 else None
    return None if together is None else [map_of(together, value), together]


def with_key(result: Type | None = None) -> Rule:
    """The result, or else the type of the map's values, if the second may be a key."""

    def result_of(types: Sequence[Type]) -> Type | None:
        key, value = _inside(types[0])
        fits = NULL in types[:2] or types[1] == key
        return (result or value) if fits else None

    return result_of
