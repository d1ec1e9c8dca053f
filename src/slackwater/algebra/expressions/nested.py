"""What functions over arrays and maps take and give: rules for their types.

array_contains(array<int>, double)     both are cast: array<double>, double
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from slackwater.algebra.expressions.signatures import Rule, shared
from slackwater.algebra.types import NULL, Type, array, common, element_of

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
