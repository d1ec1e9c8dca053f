"""Documents as trees: the data of the reference evaluator.

A whole tree is in memory. Nodes are compared by identity; `order` is the position in document order, where a
tree comes before the trees made after it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Literal

Kind = Literal["document", "element", "attribute", "text", "comment", "processing-instruction"]
_TREES = count()


@dataclass(frozen=True, slots=True)
class Name:
    """An expanded name, with the prefix that it was spelled with."""

    local: str
    uri: str = ""
    prefix: str = field(default="", compare=False)

    def __str__(self) -> str:
        return f"{self.prefix}:{self.local}" if self.prefix else self.local


def with_free_prefix(name: Name, namespaces: Mapping[str, str], place: int) -> Name:
    """The name of an attribute, the `place`-th of an element that has these namespaces.

    A prefix that is bound to another namespace there gets a number, as in Saxon.
    """
    prefix = name.prefix
    while namespaces.get(prefix, name.uri) != name.uri:
        prefix = f"{name.prefix}_{place}"
        place += 1
    return name if prefix == name.prefix else Name(name.local, name.uri, prefix)


@dataclass(eq=False, slots=True)
class Node:
    """A node of any kind; `text` is the content of one that has no children."""

    kind: Kind
    name: Name | None = None
    text: str = ""
    attributes: list[Node] = field(default_factory=list)
    children: list[Node] = field(default_factory=list)
    namespaces: dict[str, str] = field(default_factory=dict)
    parent: Node | None = field(default=None, repr=False)
    order: tuple[int, int] = (0, 0)

    @property
    def value(self) -> str:
        """The string value: the text below, in order."""
        if self.kind not in ("document", "element"):
            return self.text
        return "".join(node.text for node in descendants(self) if node.kind == "text")

    @property
    def root(self) -> Node:
        node = self
        while node.parent is not None:
            node = node.parent
        return node


def descendants(node: Node) -> Iterator[Node]:
    """All nodes below a node, in document order, without attributes."""
    waiting = node.children[::-1]
    while waiting:
        current = waiting.pop()
        yield current
        waiting.extend(reversed(current.children))


def rooted(root: Node) -> Node:
    """The tree with parents set, adjacent texts joined and nodes numbered in document order."""
    tree = next(_TREES)
    numbers = count()
    waiting = [root]
    while waiting:
        node = waiting.pop()
        node.order = (tree, next(numbers))
        node.children = _joined(node.children)
        for attribute in node.attributes:
            attribute.parent = node
            attribute.order = (tree, next(numbers))
        for child in node.children:
            child.parent = node
        waiting.extend(reversed(node.children))
    return root


def _joined(children: list[Node]) -> list[Node]:
    """Children without empty texts and with adjacent texts joined."""
    merged: list[Node] = []
    for child in children:
        if child.kind == "text" and merged and merged[-1].kind == "text":
            merged[-1] = Node("text", text=merged[-1].text + child.text)
        elif child.kind != "text" or child.text:
            merged.append(child)
    return merged


def copied(node: Node) -> Node:
    """A deep copy without a parent, not yet rooted."""
    return Node(
        node.kind,
        node.name,
        node.text,
        [copied(attribute) for attribute in node.attributes],
        [copied(child) for child in node.children],
        dict(node.namespaces),
    )


def in_document_order(nodes: list[Node]) -> list[Node]:
    """The nodes sorted, without duplicates."""
    return sorted({id(node): node for node in nodes}.values(), key=lambda node: node.order)
