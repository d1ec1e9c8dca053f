"""A whole query: its declarations and its body."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal as OneOf
from typing import TypeAlias

from slackwater.language.xquery.syntax.nodes import Expr, Node
from slackwater.language.xquery.syntax.paths import SequenceType


@dataclass(frozen=True, slots=True)
class Parameter(Node):
    name: str
    type: SequenceType | None = None


@dataclass(frozen=True, slots=True)
class FunctionDeclaration(Node):
    """`declare function name(parameters) as result { body }`; no body means external."""

    name: str
    parameters: tuple[Parameter, ...]
    result: SequenceType | None
    body: Expr | None


@dataclass(frozen=True, slots=True)
class VariableDeclaration(Node):
    """`declare variable $name := value`; no value means external."""

    name: str
    type: SequenceType | None
    value: Expr | None


@dataclass(frozen=True, slots=True)
class NamespaceDeclaration(Node):
    """`declare namespace prefix = "uri"`."""

    prefix: str
    uri: str


@dataclass(frozen=True, slots=True)
class DefaultNamespace(Node):
    """`declare default element namespace "uri"`."""

    kind: OneOf["element", "function"]
    uri: str


@dataclass(frozen=True, slots=True)
class BoundarySpace(Node):
    """`declare boundary-space preserve`, which the parser has already applied."""

    preserve: bool


@dataclass(frozen=True, slots=True)
class EmptyOrder(Node):
    """`declare default order empty greatest`."""

    greatest: bool


Declaration: TypeAlias = (
    FunctionDeclaration
    | VariableDeclaration
    | NamespaceDeclaration
    | DefaultNamespace
    | BoundarySpace
    | EmptyOrder
)


@dataclass(frozen=True, slots=True)
class Module(Node):
    """A whole query."""

    body: Expr
    declarations: tuple[Declaration, ...] = ()

    @property
    def functions(self) -> tuple[FunctionDeclaration, ...]:
        return tuple(
            declaration for declaration in self.declarations if isinstance(declaration, FunctionDeclaration)
        )
