"""The columns of a stream or relation: names, each unique, in order, with their types."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from slackwater.algebra.types import Type


@dataclass(frozen=True, slots=True)
class Schema:
    columns: tuple[tuple[str, Type], ...]

    def __post_init__(self) -> None:
        names = self.names
        if len(set(names)) != len(names):
            raise ValueError(f"a schema names each column once: {', '.join(names)}")

    @staticmethod
    def of(**columns: Type) -> Schema:
        return Schema(tuple(columns.items()))

    def __iter__(self) -> Iterator[tuple[str, Type]]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def __add__(self, other: Schema) -> Schema:
        return Schema(self.columns + other.columns)

    def __str__(self) -> str:
        return f"({', '.join(f'{name} {type_}' for name, type_ in self.columns)})"

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.columns)

    @property
    def types(self) -> tuple[Type, ...]:
        return tuple(type_ for _, type_ in self.columns)

    def index(self, name: str) -> int:
        return self.names.index(name)

    def type_of(self, name: str) -> Type:
        return self.columns[self.index(name)][1]
