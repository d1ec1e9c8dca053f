"""Trees of frozen records: the nodes below a node, all of them, and a node with those below it changed.

The nodes below a node are those in its fields, alone, in tuples, or in records that are parts of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, replace
from functools import cache
from typing import Any, TypeVar, cast

N = TypeVar("N")


@cache
def _names(kind: Any) -> tuple[str, ...]:
    """The fields that may have nodes: what is not compared, such as an origin, is no part of a node."""
    return tuple(part.name for part in fields(kind) if part.compare)


class Part:
    """A record inside a node, such as a branch of a loop: no node itself, but nodes in it are the node's."""

    __slots__ = ()


def children(node: object, kind: type[N]) -> Iterator[N]:
    """The nodes of that kind directly below, in the order of the fields."""
    for name in _names(cast(Any, type(node))):
        value = getattr(node, name)
        if isinstance(value, kind):
            yield value
        elif isinstance(value, tuple):
            yield from _in_tuple(value, kind)
        elif isinstance(value, Part):
            yield from children(value, kind)


def _in_tuple(items: tuple[object, ...], kind: type[N]) -> Iterator[N]:
    for item in items:
        if isinstance(item, kind):
            yield item
        elif isinstance(item, tuple):
            yield from _in_tuple(item, kind)
        elif isinstance(item, Part):
            yield from children(item, kind)


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
        new = _rebuilt(old, kind, change)
        if new is not old:
            changes[name] = new
    return replace(node, **changes) if changes else node  # type: ignore[type-var]


def _rebuilt(value: object, kind: type[Any], change: Callable[[Any], Any]) -> object:
    if isinstance(value, kind):
        return change(value)
    if isinstance(value, tuple):
        items = tuple(_rebuilt(item, kind, change) for item in value)
        return value if all(new is old for new, old in zip(items, value, strict=True)) else items
    return rebuild(value, kind, change) if isinstance(value, Part) else value


def with_children(node: N, kind: type[Any], new: Iterable[Any]) -> N:
    """The node with others in place of the nodes of that kind directly below it."""
    remaining = iter(new)
    return rebuild(node, kind, lambda _: next(remaining))
