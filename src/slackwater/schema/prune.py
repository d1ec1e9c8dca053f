"""Which elements a reader may skip: those of which no occurrence is used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from slackwater.schema.paths import children, holds, reachable
from slackwater.schema.schema import Type


@dataclass(frozen=True)
class Projection:
    """The part of an element that a query reads: itself, some of its children, or the `whole`."""

    children: Mapping[str, Projection] = field(default_factory=dict)
    whole: bool = False


EVERYTHING = Projection(whole=True)


def prunable(type: Type, projection: Projection) -> frozenset[str]:
    """Names of elements that can be cut out of the bytes, with everything inside them.

    No occurrence of such a name is used, except inside another element that is cut out; and none contains
    another of its own name, so that its first end tag is its own. Only the outermost are listed.
    """
    used, unused = _occurrences(type, projection)
    if used is None:
        return frozenset()
    not_prunable = used | _inside_themselves(type)
    names: set[str] = set()
    seen: set[int] = set()
    while unused:
        name, element_type = unused.pop()
        if name not in not_prunable:
            names.add(name)
        elif id(element_type) not in seen:
            seen.add(id(element_type))
            unused += children(element_type)
    return frozenset(names)


def _occurrences(type: Type, projection: Projection) -> tuple[set[str] | None, list[tuple[str, Type]]]:
    """The names that are used (None where any could be), and the children that are not."""
    used: set[str] = set()
    unused: list[tuple[str, Type]] = []
    waiting = [(type, projection)]
    while waiting:
        current, part = waiting.pop()
        if part.whole:
            below = reachable(current)
            if not all(other.is_known for other in below):
                return None, []
            used.update(name for other in below for name in other.names)
            continue
        for name, child_part in part.children.items():
            child = current.child(name)
            if child is not None:
                used.add(name)
                waiting.append((child, child_part))
        unused += [pair for pair in children(current) if pair[0] not in part.children]
    return used, unused


def _inside_themselves(type: Type) -> set[str]:
    return {name for other in reachable(type) for name, child in children(other) if holds(child, name)}
