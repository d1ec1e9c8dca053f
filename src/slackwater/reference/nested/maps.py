"""Functions of maps, which are tuples of entries in the order of their keys."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from slackwater.algebra.expressions.nodes import Call
from slackwater.algebra.values import Row, map_value
from slackwater.reference.logic import Evaluator
from slackwater.reference.values import sort_key


def _map(call: Call, arguments: Sequence[Evaluator]) -> Evaluator:
    def evaluate(row: Row, outer: Mapping[str, Any]) -> Row | None:
        values = [argument(row, outer) for argument in arguments]
        return map_value(zip(values[::2], values[1::2], strict=True))

    return evaluate


def _from_arrays(keys: Row, values: Row) -> Row | None:
    return map_value(zip(keys, values, strict=True)) if len(keys) == len(values) else None


def _value(entries: Row, sought: Any) -> Any:
    return next((value for key, value in entries if sort_key(key) == sort_key(sought)), None)


def _contains(entries: Row, sought: Any) -> bool:
    return any(sort_key(key) == sort_key(sought) for key, _ in entries)


LAZY: dict[str, Callable[[Call, Sequence[Evaluator]], Evaluator]] = {"map": _map}
PLAIN: dict[str, Callable[..., Any]] = {
    "map_from_arrays": _from_arrays,
    "map_from_entries": lambda entries: None if None in entries else map_value(entries),
    "map_keys": lambda entries: tuple(key for key, _ in entries),
    "map_values": lambda entries: tuple(value for _, value in entries),
    "map_entries": lambda entries: entries,
    "map_value": _value,
    "map_contains_key": _contains,
    "map_concat": lambda *maps: map_value(entry for entries in maps for entry in entries),
}
