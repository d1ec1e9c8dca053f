"""Arguments of functions over arrays: which function is meant, and casts between elements and values."""

from __future__ import annotations

from slackwater.algebra.expressions import Expression
from slackwater.algebra.expressions.functions import FUNCTIONS
from slackwater.algebra.types import UNKNOWN
from slackwater.bind.coercion import coerced

_OVER_ARRAYS = {"concat": "array_concat", "reverse": "array_reverse"}
"""Functions of texts that are also called with arrays, and what they are then."""


def over_arrays(name: str, arguments: list[Expression]) -> tuple[str, list[Expression]]:
    """The function that a name means for these arguments, and the arguments."""
    is_array = any(argument.type.name == "array" for argument in arguments)
    return _OVER_ARRAYS.get(name, name) if is_array else name, arguments


def adapted(name: str, arguments: list[Expression]) -> list[Expression]:
    """The arguments cast to the types that the function needs of them together."""
    adapts, types = FUNCTIONS[name].adapts, [argument.type for argument in arguments]
    targets = None if adapts is None or UNKNOWN in types or not types else adapts(types)
    if targets is None:
        return arguments
    return [coerced(argument, target) for argument, target in zip(arguments, targets, strict=True)]
