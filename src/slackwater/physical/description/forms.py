"""Forms: how a field is written in a description and read from it, and tables of records with such fields.

    Filter(predicate)     {"is": "filter", "predicate": {"is": "call", "function": "gt", …}}

The names in a description are listed in tables, beside the classes and attributes that they stand for today.
Renaming a class or an attribute changes the table and no description.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

KIND = "is"
"""The key of a record's kind."""

Data = Any
"""What JSON has: texts, numbers, booleans, None, lists, and dicts of them."""


class Unreadable(ValueError):
    """A description of something that this version does not have; says what."""


@dataclass(frozen=True, slots=True)
class Form:
    """How a field is written, and read."""

    write: Callable[[Any], Data]
    read: Callable[[Data], Any]


def _same(value: Any) -> Any:
    return value


PLAIN = Form(_same, _same)
"""A text, a whole number, a boolean, None."""
NAMES = Form(list, tuple)


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a record: its attribute today, and its form. A later field is left out while it is None."""

    attribute: str
    form: Form = PLAIN
    is_later: bool = False

    def is_missing(self, record: Any) -> bool:
        return self.is_later and getattr(record, self.attribute) is None


@dataclass(frozen=True, slots=True)
class Shape:
    """A class, with the names of its fields in descriptions."""

    kind: type[Any]
    fields: Mapping[str, Field]


def optional(form: Form) -> Form:
    return Form(
        lambda value: None if value is None else form.write(value),
        lambda data: None if data is None else form.read(data),
    )


def many(form: Form) -> Form:
    """A tuple of such values."""
    return Form(
        lambda values: [form.write(value) for value in values],
        lambda data: tuple(form.read(item) for item in data),
    )


def pair(first: Form, second: Form) -> Form:
    return Form(
        lambda value: [first.write(value[0]), second.write(value[1])],
        lambda data: (first.read(data[0]), second.read(data[1])),
    )


def one_of(what: str, known: Callable[[], Mapping[str, Any]]) -> Form:
    """A name that has to be in a table of this version."""

    def read(name: Data) -> Data:
        if name not in known():
            raise Unreadable(f'{what} "{name}"')
        return name

    return Form(_same, read)


def table(what: str, shapes: Mapping[str, Shape]) -> Form:
    """Records whose kinds are in a table."""
    names = {shape.kind: name for name, shape in shapes.items()}

    def write(record: Any) -> Data:
        name = names[type(record)]
        fields = shapes[name].fields
        parts = {
            key: field.form.write(getattr(record, field.attribute))
            for key, field in fields.items()
            if not field.is_missing(record)
        }
        return {KIND: name, **parts}

    def read(data: Data) -> Any:
        name = data.get(KIND)
        if name not in shapes:
            raise Unreadable(f'{what} "{name}"')
        shape = shapes[name]
        if unknown := sorted(data.keys() - shape.fields.keys() - {KIND}):
            raise Unreadable(f'"{unknown[0]}" of {what} "{name}"')
        return shape.kind(
            **{
                field.attribute: field.form.read(data[key])
                for key, field in shape.fields.items()
                if key in data or not field.is_later
            }
        )

    return Form(write, read)
