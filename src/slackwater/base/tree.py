"""Trees of frozen records: the nodes below a node, all of them, and a node with those below it changed.

The nodes below a node are its fields that are nodes, alone or in a tuple.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, replace
from functools import cache
from typing import Any, TypeVar, cast

N = TypeVar("N")


@cache
def _names(kind: Any) -> tuple[str, ...]:
    return tuple(part.name for part in fields(kind))


def children(node: object, kind: type[N]) -> Iterator[N]:
    """The nodes of that kind directly below, in the order of the fields."""
    for name in _names(cast(Any, type(node))):
        value = getattr(node, name)
        for item in value if isinstance(value, tuple) else (value,):
            if isinstance(item, kind):
                yield item


def walk(node: N, below: Callable[[N], Iterable[N]]) -> Iterator[N]:
    """The node and all below it, a parent before its children."""
    waiting = [node]
    while waiting:
        current = waiting.pop()
        yield current
        waiting += reversed(tuple(below(current)))


def walk_once(node: N, below: Callable[[N], Iterable[N]]) -> Iterator[N]:
    """As `walk`; an object that stands at several places comes once."""
    seen: set[int] = set()
    waiting = [node]
    while waiting:
        current = waiting.pop()
        if id(current) not in seen:
            seen.add(id(current))
            yield current
            waiting += reversed(tuple(below(current)))


def rebuild(node: N, kind: type[Any], change: Callable[[Any], Any]) -> N:
    """The node with every node of that kind directly below it changed; itself where nothing changes."""
    changes: dict[str, Any] = {}
    for name in _names(cast(Any, type(node))):
        old = getattr(node, name)
        if isinstance(old, kind):
            new = change(old)
            if new is not old:
                changes[name] = new
        elif isinstance(old, tuple) and any(isinstance(item, kind) for item in old):
            items = tuple(change(item) if isinstance(item, kind) else item for item in old)
            if any(new is not before for new, before in zip(items, old, strict=True)):
                changes[name] = items
    return replace(node, **changes) if changes else node  # type: ignore[type-var]
