"""Records: the elements at a path, and which parts of them become columns.

/photons/photon          <photon id="7"><pos><ra>130.9</ra> <dec>-46.1</dec></pos> <en>1.4</en></photon>
                          id, ra, dec and en are columns; pos has no text of its own
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from slackwater.base.diagnostic import Diagnostic, did_you_mean, quoted
from slackwater.schema import problems
from slackwater.schema.paths import is_recursive
from slackwater.schema.schema import Kind, Schema, Type


@dataclass(frozen=True, slots=True)
class Leaf:
    """An attribute, or an element with text only, that occurs at most once in a record."""

    name: str
    text: str | None
    """The XSD builtin type of its values, where the schema has one."""
    required: bool


def steps(record: str) -> tuple[str, ...] | None:
    """`/a/b` as names; None where `record` is no such path."""
    names = tuple(record.strip().removeprefix("/").split("/"))
    return names if record.strip().startswith("/") and all(names) else None


def record_type(schema: Schema, path: tuple[str, ...]) -> Type | Diagnostic:
    """The type of the elements at a path, or the diagnostic for the first unknown step."""
    type_, known = schema.root(path[0]), list(schema.roots)
    for place, name in enumerate(path):
        if place:
            assert type_ is not None
            known = list(type_.names)
            type_ = type_.child(name)
        if type_ is None:
            return no_such_record(schema.name, path[: place + 1], known)
    assert type_ is not None
    return type_


def leaves(type_: Type) -> list[Leaf]:
    """The columns of a record, in the order of the schema; a name that occurs twice is left out."""
    fields = [] if is_recursive(type_) else _leaves(type_, required=True)
    counts = Counter(leaf.name for leaf in fields)
    return [leaf for leaf in fields if counts[leaf.name] == 1]


def _leaves(type_: Type, *, required: bool) -> list[Leaf]:
    fields = [
        Leaf(
            attribute.name,
            attribute.type if attribute.type.startswith("xs:") else None,
            required and attribute.required,
        )
        for attribute in type_.attributes.values()
    ]
    for name in type_.names:
        child = type_.child(name)
        if child is None or not type_.automaton.at_most_one(name):
            continue
        inner = required and type_.automaton.at_least_one(name)
        if child.kind is Kind.TEXT:
            fields.append(Leaf(name, child.text, inner))
        fields += _leaves(child, required=inner)
    return fields


def no_such_record(schema: str, path: tuple[str, ...], known: list[str]) -> Diagnostic:
    return problems.NO_SUCH_RECORD.at(
        where=schema,
        path="/".join(path),
        known=quoted(known),
        detail=None if known else "That element has no children.",
        hint=did_you_mean(path[-1], known),
    )
