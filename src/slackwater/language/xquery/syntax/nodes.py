"""The base classes of the syntax tree, and how to walk it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from slackwater.base import tree
from slackwater.base.span import Span


@dataclass(frozen=True, slots=True)
class Node:
    """Anything in the tree; the span in the text takes no part in equality."""

    span: Span | None = field(default=None, compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Expr(Node):
    """An expression; its value is a sequence of items."""


def children(node: Node) -> Iterator[Node]:
    """The nodes directly below, in the order of the text."""
    return tree.children(node, Node)


def nearest_expressions(node: Node) -> Iterator[Expr]:
    """The expressions below a node that are in no other one: through its clauses, steps and attributes."""
    for child in children(node):
        if isinstance(child, Expr):
            yield child
        else:
            yield from nearest_expressions(child)


def walk(node: Node) -> Iterator[Node]:
    """The node and all below it, a parent before its children."""
    return tree.walk(node, children)
