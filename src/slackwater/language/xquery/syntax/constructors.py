"""Constructors of nodes, direct and computed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal as OneOf

from slackwater.language.xquery.syntax.nodes import Expr, Node


@dataclass(frozen=True, slots=True)
class Characters(Expr):
    """Text in a direct constructor, references resolved and boundary white space dropped."""

    text: str


@dataclass(frozen=True, slots=True)
class Attribute(Node):
    """`name="text{expr}"` in a start tag; each expression is one enclosed expression."""

    name: str
    content: tuple[Expr, ...] = ()

    @property
    def constant(self) -> str | None:
        """The value, if it contains no expression."""
        texts = [part.text for part in self.content if isinstance(part, Characters)]
        return "".join(texts) if len(texts) == len(self.content) else None


@dataclass(frozen=True, slots=True)
class Element(Expr):
    """`<name …>content</name>`: Characters, and an expression for each `{ … }` or nested constructor."""

    name: str
    attributes: tuple[Attribute, ...] = ()
    content: tuple[Expr, ...] = ()


@dataclass(frozen=True, slots=True)
class Comment(Expr):
    """`<!-- text -->`"""

    text: str


@dataclass(frozen=True, slots=True)
class ProcessingInstruction(Expr):
    """`<?target text?>`"""

    target: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Computed(Expr):
    """`element {name} {content}` and so on; a constant name is a String, text and document have none."""

    kind: OneOf["element", "attribute", "text", "document", "comment"]
    name: Expr | None
    content: Expr

    def __post_init__(self) -> None:
        if (self.name is not None) != (self.kind in ("element", "attribute")):
            raise ValueError("an element and an attribute have a name, and nothing else has")
