"""Which elements a reader may leave out unread: those whose every occurrence is unwanted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from slackwater.schema.paths import children, holds, reachable
from slackwater.schema.schema import Type


@dataclass(frozen=True)
class Wanted:
    """What is looked at in an element: itself, some of its children, or the `whole` of it."""

    children: Mapping[str, Wanted] = field(default_factory=dict)
    whole: bool = False


EVERYTHING = Wanted(whole=True)


def prunable(type: Type, wanted: Wanted) -> frozenset[str]:
    """Names of elements that can be taken out of the bytes, each with all that is in it.

    Of such a name no occurrence is wanted, except inside another element taken out; and none holds another of
    its own name, so that its first end tag is its own. The outermost are named, not those inside them.
    """
    kept, unwanted = _occurrences(type, wanted)
    if kept is None:
        return frozenset()
    blocked = kept | _inside_themselves(type)
    names: set[str] = set()
    seen: set[int] = set()
    while unwanted:
        name, found = unwanted.pop()
        if name not in blocked:
            names.add(name)
        elif id(found) not in seen:
            seen.add(id(found))
            unwanted += children(found)
    return frozenset(names)


def _occurrences(type: Type, wanted: Wanted) -> tuple[set[str] | None, list[tuple[str, Type]]]:
    """The names that are looked at, none where any could be, and the children that are not."""
    kept: set[str] = set()
    unwanted: list[tuple[str, Type]] = []
    waiting = [(type, wanted)]
    while waiting:
        current, wish = waiting.pop()
        if wish.whole:
            below = reachable(current)
            if not all(each.is_known for each in below):
                return None, []
            kept.update(name for each in below for name in each.names)
            continue
        for name, below_it in wish.children.items():
            child = current.child(name)
            if child is not None:
                kept.add(name)
                waiting.append((child, below_it))
        unwanted += [pair for pair in children(current) if pair[0] not in wish.children]
    return kept, unwanted


def _inside_themselves(type: Type) -> set[str]:
    return {name for each in reachable(type) for name, child in children(each) if holds(child, name)}
