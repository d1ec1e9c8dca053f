"""What an expression is evaluated in: variables, the focus, the query's declarations and inputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from slackwater.flux.values.atomic import Item, Items
from slackwater.flux.values.errors import no_context
from slackwater.flux.values.tree import Name, Node
from slackwater.language.xquery import syntax as ast
from slackwater.language.xquery.functions import PREFIXES


@dataclass(frozen=True, slots=True)
class Focus:
    """The context item, its position and how many there are."""

    item: Item
    position: int = 1
    size: int = 1


@dataclass(frozen=True, slots=True)
class Program:
    """What is the same everywhere in a query."""

    functions: Mapping[str, ast.FunctionDeclaration]
    external: Mapping[str, Callable[[Items], Items]]
    streams: Mapping[str, Node]
    documents: Mapping[str, Node]
    empty_greatest: bool = False
    namespaces: Mapping[str, str] = field(default_factory=dict)
    """Those of the prolog, which functions are written in."""


@dataclass(frozen=True, slots=True)
class Context:
    program: Program
    variables: Mapping[str, Items]
    focus: Focus | None
    namespaces: Mapping[str, str] = field(default_factory=dict)
    """Prefix -> namespace; the empty prefix is that of elements without one."""
    globals: Mapping[str, Items] = field(default_factory=dict)

    def bound(self, name: str, value: Items) -> Context:
        return replace(self, variables={**self.variables, name: value})

    def focused(self, item: Item, position: int = 1, size: int = 1) -> Context:
        return replace(self, focus=Focus(item, position, size))

    def item(self) -> Item:
        if self.focus is None:
            raise no_context()
        return self.focus.item

    def name(self, written: str, is_element: bool = True) -> Name:
        """The expanded name of a name as written in the query."""
        prefix, colon, local = written.rpartition(":")
        if not colon:
            return Name(local, self.namespaces.get("", "") if is_element else "")
        return Name(local, self.namespaces[prefix], prefix)


def declared(declarations: tuple[ast.Declaration, ...]) -> Mapping[str, str]:
    """Prefix -> namespace, as a query declares them."""
    found = dict(PREFIXES)
    for each in declarations:
        match each:
            case ast.NamespaceDeclaration(prefix, uri):
                found[prefix] = uri
                if not uri:
                    del found[prefix]
            case ast.DefaultNamespace("element", uri):
                found[""] = uri
            case _:
                pass
    return found


Evaluate: TypeAlias = Callable[[ast.Expr, Context], Items]
"""What gives an expression its value."""
