"""Trees of paths below a variable: projections for buffers, and dependencies (definition 3.4.17)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from slackwater.flux.plan.state import BARE, WHOLE, Projection
from slackwater.flux.plan.syntax import EVERYTHING, NOTHING, Past
from slackwater.schema import TEXT, Type
from slackwater.schema.paths import children, holds, is_open, reachable
from slackwater.schema.schema import UNKNOWN, Kind


@dataclass(eq=False)
class Place:
    """A node of the tree of paths, and what is used of the document's nodes that it stands for."""

    attributes: set[str] = field(default_factory=set)
    value: bool = False
    text: bool = False
    whole: bool = False
    children: dict[str, Place] = field(default_factory=dict)
    below: dict[str, Place] = field(default_factory=dict)

    def child(self, name: str) -> Place:
        return self.children.setdefault(name, Place())

    def descendant(self, name: str) -> Place:
        return self.below.setdefault(name, Place())

    def everything_below(self) -> Iterator[Place]:
        """The places below, at any depth."""
        for place in (*self.children.values(), *self.below.values()):
            yield place
            yield from place.everything_below()


Places = list[Place]


def use_whole(places: Places) -> None:
    for place in places:
        place.whole = True


def use_value(places: Places) -> None:
    for place in places:
        place.value = True


def projection(place: Place, type: Type) -> Projection:
    """The projection of a place with nodes of this type; a node that is used whole needs no paths."""
    both = place.text and place.value and type.kind is not Kind.TEXT
    if place.whole or both:
        return WHOLE
    return Projection(
        frozenset({"*"} if "*" in place.attributes else place.attributes),
        place.value,
        place.text,
        False,
        tuple(
            (name, projection(child, _child(type, name))) for name, child in sorted(place.children.items())
        ),
        tuple(
            (name, projection(descendant, _below(type, name)))
            for name, descendant in sorted(place.below.items())
        ),
    )


def _child(type: Type, name: str) -> Type:
    return type.child(name) or UNKNOWN


def _below(type: Type, name: str) -> Type:
    """The type of all elements of this name below, if they have one in common."""
    types = {
        id(child): child for parent in reachable(type) for called, child in children(parent) if called == name
    }
    return next(iter(types.values())) if len(types) == 1 and not is_open(type) else UNKNOWN


def dependencies(place: Place, type: Type) -> Past:
    """dep($y, α): the children that are read; all where that is not known (definition 3.4.17)."""
    if place.whole or place.value:
        return EVERYTHING
    names = set(place.children) | ({TEXT} if place.text else set())
    for name in place.below:
        if not type.is_known or is_open(type) or name == "*":
            return EVERYTHING
        names |= {child for child in type.names if child == name or holds(_child(type, child), name)}
    if "*" in names:
        if not type.is_known:
            return EVERYTHING
        names = (names - {"*"}) | set(type.names)
    return frozenset(names) or NOTHING


def union(left: Projection, right: Projection) -> Projection:
    """The projection that holds both."""
    if left.whole or right.whole or left == right:
        return WHOLE if left.whole or right.whole else left
    return Projection(
        left.attributes | right.attributes,
        left.value or right.value,
        left.text or right.text,
        False,
        _merged(left.children, right.children),
        _merged(left.below, right.below),
    )


def _merged(
    left: tuple[tuple[str, Projection], ...], right: tuple[tuple[str, Projection], ...]
) -> tuple[tuple[str, Projection], ...]:
    merged = dict(left)
    for name, added in right:
        merged[name] = union(merged.get(name, BARE), added)
    return tuple(sorted(merged.items(), key=lambda item: item[0]))
