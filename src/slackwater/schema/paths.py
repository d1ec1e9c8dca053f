"""Which elements can stand where: `//name` and `*` as child steps, where the schema has no cycle there."""

from __future__ import annotations

from collections.abc import Iterator

from slackwater.schema.schema import Type

Path = tuple[str, ...]
MOST_PATHS = 4096
"""More are no help to anyone: then descendants count as unresolved."""


def children(type: Type) -> list[tuple[str, Type]]:
    """The children that a type lists, in the order in which its content model names them."""
    return [(name, child) for name in type.names if (child := type.child(name)) is not None]


def reachable(type: Type) -> list[Type]:
    """The type and all types below it, each once."""
    found = {id(type): type}
    waiting = [type]
    while waiting:
        for _, child in children(waiting.pop()):
            if id(child) not in found:
                found[id(child)] = child
                waiting.append(child)
    return list(found.values())


def is_open(type: Type) -> bool:
    """Somewhere at or below the type, any element may stand."""
    return any(not each.is_known for each in reachable(type))


def is_recursive(type: Type) -> bool:
    """Elements of the type, or of one below it, may hold themselves; so it is where nothing is known."""
    return paths(type) is None


def holds(type: Type, name: str) -> bool:
    """An element called `name` can stand somewhere below the type."""
    return any(not each.is_known or name in each.names for each in reachable(type))


def paths(type: Type) -> dict[Path, Type] | None:
    """Every path below the type, with the type it leads to; none where there is no end of them."""
    found = resolve_descendants(type, None)
    return None if found is None else dict(found)


def resolve_descendants(type: Type, name: str | None) -> tuple[tuple[Path, Type], ...] | None:
    """The child steps that `//name` stands for, below the type; no name means every element.

    None where they cannot be listed: a cycle on the way to such an element, or nothing is known.
    """
    if is_open(type):
        return None
    useful = {id(each) for each in reachable(type) if name is None or holds(each, name)}
    try:
        found = list(_walk(type, name, useful, ()))
    except _Endless:
        return None
    return tuple(found)


class _Endless(Exception):
    """There are too many paths, or infinitely many."""


def _walk(
    type: Type, name: str | None, useful: set[int], above: tuple[tuple[str, int], ...]
) -> Iterator[tuple[Path, Type]]:
    inside = {key for _, key in above}
    count = 0
    for step, child in children(type):
        path = (*(each for each, _ in above), step)
        if name is None or step == name:
            yield path, child
        if id(child) in useful:
            if id(child) in inside or child is type:
                raise _Endless
            for each in _walk(child, name, useful, (*above, (step, id(child)))):
                count += 1
                if count > MOST_PATHS:
                    raise _Endless
                yield each
