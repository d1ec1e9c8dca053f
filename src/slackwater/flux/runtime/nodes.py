"""Nodes in buffers, and the names that expat gives."""

from __future__ import annotations

from functools import lru_cache

from slackwater.flux.values.casts import to_double
from slackwater.flux.values.tree import Name, Node, descendants
from slackwater.xml.events import BETWEEN

XML = "http://www.w3.org/XML/1998/namespace"
NODE_BYTES = 200
"""The size of a node in a buffer beside its text, about: measured over the nodes of an auction document."""


MOST_NAMES = 1 << 14
"""Most names that are cached: a document may have any number of them."""


class BufferedNode(Node):
    """A node of a buffer; a node that is in two buffers has the same `order` in both."""

    __slots__ = ()

    @property
    def value(self) -> str:
        children = self.children
        if len(children) == 1 and (only := children[0]).kind == "text":
            return only.text
        if not children:
            return self.text
        return "".join([node.text for node in descendants(self) if node.kind == "text"])


@lru_cache(MOST_NAMES)
def expat_name(raw: str) -> Name:
    """The name that expat gives as namespace, local name and prefix."""
    parts = raw.split(BETWEEN)
    match parts:
        case [local]:
            return Name(local)
        case [uri, local]:
            return Name(local, uri, "xml" if uri == XML else "")
        case _:
            return Name(parts[1], parts[0], parts[2])


class TagNames(dict[str, str]):
    """Names as expat gives them -> as they are in tags."""

    def __missing__(self, raw: str) -> str:
        qname = raw if BETWEEN not in raw else str(expat_name(raw))
        if len(self) < MOST_NAMES:
            self[raw] = qname
        return qname


def in_document_order(nodes: list[Node]) -> list[Node]:
    """The nodes in document order without duplicates, which they usually are already."""
    if len(nodes) < 2:
        return nodes
    orders = [node.order for node in nodes]
    if all(map(tuple.__lt__, orders, orders[1:])):
        return nodes
    by_order = dict(zip(orders, nodes, strict=True))
    return [by_order[order] for order in sorted(by_order)]


def number(text: str) -> float:
    """A text as xs:double; plain numerals are converted without checking the grammar."""
    if text.isascii() and text.replace(".", "", 1).isdigit():
        return float(text)
    return to_double(text)
