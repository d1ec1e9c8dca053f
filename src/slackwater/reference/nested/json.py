"""JSON to values and back, by the definition in `algebra.json_values`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from slackwater.algebra.expressions.nodes import Call
from slackwater.algebra.json_values import from_json, to_json

MAKERS: dict[str, Callable[[Call], Callable[..., Any]]] = {
    "from_json": lambda call: lambda text, _: from_json(text, call.type),
    "to_json": lambda call: lambda value: to_json(value, call.arguments[0].type),
}
