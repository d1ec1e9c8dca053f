"""The context of an expression: variables, the focus, the query's declarations and inputs."""

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
    """The part of the context that is constant in a query."""

    functions: Mapping[str, ast.FunctionDeclaration]
    external: Mapping[str, Callable[[Items], Items]]
    streams: Mapping[str, Node]
    documents: Mapping[str, Node]
    empty_greatest: bool = False
    namespaces: Mapping[str, str] = field(default_factory=dict)
    """The namespaces of the prolog, in which functions are declared."""


@dataclass(frozen=True, slots=True)
class Context:
    program: Program
    variables: Mapping[str, Items]
    focus: Focus | None
    namespaces: Mapping[str, str] = field(default_factory=dict)
    """Prefix -> namespace; the empty prefix is the default for elements."""
    globals: Mapping[str, Items] = field(default_factory=dict)

    def bound(self, name: str, value: Items) -> Context:
        return replace(self, variables={**self.variables, name: value})

    def focused(self, item: Item, position: int = 1, size: int = 1) -> Context:
        return replace(self, focus=Focus(item, position, size))

    def item(self) -> Item:
        if self.focus is None:
            raise no_context()
        return self.focus.item

    def name(self, qname: str, is_element: bool = True) -> Name:
        """The expanded name of a name in the query."""
        prefix, colon, local = qname.rpartition(":")
        if not colon:
            return Name(local, self.namespaces.get("", "") if is_element else "")
        return Name(local, self.namespaces[prefix], prefix)


def declared(declarations: tuple[ast.Declaration, ...]) -> Mapping[str, str]:
    """Prefix -> namespace, of the prolog of a query."""
    namespaces = dict(PREFIXES)
    for declaration in declarations:
        match declaration:
            case ast.NamespaceDeclaration(prefix, uri):
                namespaces[prefix] = uri
                if not uri:
                    del namespaces[prefix]
            case ast.DefaultNamespace("element", uri):
                namespaces[""] = uri
            case _:
                pass
    return namespaces


Evaluate: TypeAlias = Callable[[ast.Expr, Context], Items]
"""Evaluates an expression in a context."""
