"""Constructors: new trees from content, which is copied."""

from __future__ import annotations

from collections.abc import Iterable

from slackwater.flux.values.atomic import Items, Untyped, at_most_one, atomized
from slackwater.flux.values.casts import text_of
from slackwater.flux.values.context import Context
from slackwater.flux.values.errors import (
    bad_comment,
    declaring_attribute,
    duplicate_attribute,
    late_attribute,
    not_a_name,
    wrong_type,
)
from slackwater.flux.values.tree import Name, Node, copied, rooted, with_free_prefix
from slackwater.language.xquery import syntax as ast
from slackwater.language.xquery.markup import NAME, declares_namespace, is_comment


def element(name: Name, parts: Iterable[Items], declared: dict[str, str]) -> Node:
    """An element with this content: the items of each enclosed expression."""
    node = Node("element", name, namespaces=dict(declared))
    _declare(node, name)
    for part in parts:
        for piece in content(part):
            _add(node, piece)
    for place, attribute in enumerate(node.attributes, 1):
        assert attribute.name is not None
        if attribute.name.uri:
            attribute.name = with_free_prefix(attribute.name, node.namespaces, place)
        _declare(node, attribute.name)
    for child in node.children:
        _inherit(child, node.namespaces)
    return rooted(node)


def document(items: Items) -> Node:
    node = Node("document")
    for piece in content(items):
        if piece.kind == "attribute":
            raise wrong_type("a document has no attributes")
        node.children.append(piece)
    return rooted(node)


def content(items: Items) -> list[Node]:
    """The content of a node from items: copies of nodes, and a text for each run of atomic values."""
    nodes: list[Node] = []
    run: list[str] = []
    for item in items:
        if not isinstance(item, Node):
            run.append(text_of(item))
            continue
        if run:
            nodes.append(Node("text", text=" ".join(run)))
            run = []
        nodes.extend(map(copied, item.children) if item.kind == "document" else [copied(item)])
    return [*nodes, Node("text", text=" ".join(run))] if run else nodes


def _add(node: Node, piece: Node) -> None:
    if piece.kind == "text" and not piece.text:
        return
    if piece.kind != "attribute":
        node.children.append(piece)
        return
    if node.children:
        raise late_attribute()
    if any(attribute.name == piece.name for attribute in node.attributes):
        raise duplicate_attribute(str(piece.name))
    node.attributes.append(piece)


def _declare(node: Node, name: Name) -> None:
    if name.uri and name.prefix != "xml":
        node.namespaces.setdefault(name.prefix, name.uri)


def _inherit(node: Node, namespaces: dict[str, str]) -> None:
    """A copied element inherits the namespaces of its new parent."""
    if node.kind != "element":
        return
    assert node.name is not None
    for prefix, uri in namespaces.items():
        if prefix or node.name.uri:
            node.namespaces.setdefault(prefix, uri)
    for child in node.children:
        _inherit(child, namespaces)


def joined_text(items: Items) -> str:
    """The atomic values with a space between them."""
    return " ".join(map(text_of, atomized(items)))


def comment(items: Items) -> Node:
    text = joined_text(items)
    if not is_comment(text):
        raise bad_comment()
    return rooted(Node("comment", text=text))


def computed_name(items: Items, context: Context, is_element: bool) -> Name:
    value = at_most_one(items, "a name")
    if not isinstance(value, str | Untyped):
        raise wrong_type("a name is a text")
    name = text_of(value).strip()
    if not NAME.fullmatch(name) or name.rpartition(":")[0] not in {"", *context.namespaces}:
        raise not_a_name(name)
    if not is_element and declares_namespace(name):
        raise declaring_attribute(name)
    return context.name(name, is_element)


def declared_namespaces(node: ast.Element) -> dict[str, str]:
    """Prefix -> namespace, as the attributes of a start tag declare them."""
    namespaces: dict[str, str] = {}
    for attribute in node.attributes:
        prefix = attribute.name.partition(":")[2]
        if declares_namespace(attribute.name) and prefix != "xml":
            namespaces[prefix] = attribute.constant or ""
    return namespaces
