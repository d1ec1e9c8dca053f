"""Paths of elements: `//name` and `*` as child steps, where the schema has no cycle."""

from __future__ import annotations

from collections.abc import Iterator

from slackwater.schema.schema import Type

Path = tuple[str, ...]
MOST_PATHS = 4096
"""With more paths than this, descendants count as unresolved."""


def children(type: Type) -> list[tuple[str, Type]]:
    """The children of a type, in the order of its content model."""
    return [(name, child) for name in type.names if (child := type.child(name)) is not None]


def reachable(type: Type) -> list[Type]:
    """The type and all types below it, without duplicates."""
    types = {id(type): type}
    waiting = [type]
    while waiting:
        for _, child in children(waiting.pop()):
            if id(child) not in types:
                types[id(child)] = child
                waiting.append(child)
    return list(types.values())


def is_open(type: Type) -> bool:
    """The type, or one below it, allows any element."""
    return any(not other.is_known for other in reachable(type))


def is_recursive(type: Type) -> bool:
    """The type, or one below it, may contain itself; always true where nothing is known."""
    return paths(type) is None


def holds(type: Type, name: str) -> bool:
    """An element called `name` can occur below the type."""
    return any(not other.is_known or name in other.names for other in reachable(type))


def paths(type: Type) -> dict[Path, Type] | None:
    """Every path below the type, with the type it leads to; None where there are infinitely many."""
    steps = resolve_descendants(type, None)
    return None if steps is None else dict(steps)


def resolve_descendants(type: Type, name: str | None) -> tuple[tuple[Path, Type], ...] | None:
    """The child steps that `//name` stands for, below the type; no name means every element.

    None where they cannot be listed: there is a cycle on the way, or nothing is known.
    """
    if is_open(type):
        return None
    useful = {id(other) for other in reachable(type) if name is None or holds(other, name)}
    try:
        steps = list(_walk(type, name, useful, ()))
    except _Endless:
        return None
    return tuple(steps)


class _Endless(Exception):
    """There are too many paths, or infinitely many."""


def _walk(
    type: Type, name: str | None, useful: set[int], above: tuple[tuple[str, int], ...]
) -> Iterator[tuple[Path, Type]]:
    inside = {key for _, key in above}
    count = 0
    for step, child in children(type):
        path = (*(name_above for name_above, _ in above), step)
        if name is None or step == name:
            yield path, child
        if id(child) in useful:
            if id(child) in inside or child is type:
                raise _Endless
            for pair in _walk(child, name, useful, (*above, (step, id(child)))):
                count += 1
                if count > MOST_PATHS:
                    raise _Endless
                yield pair
