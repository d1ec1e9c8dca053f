"""Fields of structs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from slackwater.algebra.expressions.nodes import Call, Literal
from slackwater.algebra.types import element_of, fields_of
from slackwater.algebra.values import Row


def field(call: Call) -> Callable[[Row, str], Any]:
    """The value at the place of the name; of an array, that of every struct in it."""
    whole, name = call.arguments
    assert isinstance(name, Literal)
    is_array = whole.type.name == "array"
    fields = fields_of(element_of(whole.type) if is_array else whole.type)
    place = [known for known, _ in fields].index(name.value)
    if is_array:
        return lambda values, _: tuple(None if value is None else value[place] for value in values)
    return lambda value, _: value[place]


MAKERS: dict[str, Callable[[Call], Callable[..., Any]]] = {"field": field}
