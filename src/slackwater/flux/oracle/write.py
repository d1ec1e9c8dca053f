"""Items -> text, as XQuery serializes them: method xml, no declaration, no indentation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from slackwater.flux.values.atomic import Item
from slackwater.flux.values.casts import text_of
from slackwater.flux.values.errors import lonely_attribute
from slackwater.flux.values.tree import Node
from slackwater.xml.serialize import escape_attribute, escape_text

_NOTHING: dict[str, str] = {}


def serialized(items: Iterable[Item]) -> str:
    """Serialize items: adjacent atomic values separated by a space, nodes as markup."""
    parts: list[str] = []
    after_value = False
    for item in items:
        if isinstance(item, Node):
            if item.kind == "attribute":
                raise lonely_attribute()
            parts.append("".join(_node(item, _NOTHING)))
        else:
            parts.append((" " if after_value else "") + escape_text(text_of(item)))
        after_value = not isinstance(item, Node)
    return "".join(parts)


def _node(node: Node, inherited: dict[str, str]) -> Iterator[str]:
    match node.kind:
        case "document":
            for child in node.children:
                yield from _node(child, inherited)
        case "element":
            yield from _element(node, inherited)
        case "text":
            yield escape_text(node.text)
        case "comment":
            yield f"<!--{node.text}-->"
        case "processing-instruction":
            yield f"<?{node.name} {node.text}?>" if node.text else f"<?{node.name}?>"
        case "attribute":
            raise lonely_attribute()


def _element(node: Node, inherited: dict[str, str]) -> Iterator[str]:
    yield f"<{node.name}"
    for prefix, uri in _declarations(node, inherited):
        yield f' xmlns{":" if prefix else ""}{prefix}="{escape_attribute(uri)}"'
    for attribute in node.attributes:
        yield f' {attribute.name}="{escape_attribute(attribute.text)}"'
    if not node.children:
        yield "/>"
        return
    yield ">"
    for child in node.children:
        yield from _node(child, node.namespaces)
    yield f"</{node.name}>"


def _declarations(node: Node, inherited: dict[str, str]) -> Iterator[tuple[str, str]]:
    """The namespaces that an element must declare, given those it inherits."""
    if inherited.get("") and not node.namespaces.get(""):
        yield "", ""
    for prefix, uri in node.namespaces.items():
        if inherited.get(prefix) != uri:
            yield prefix, uri
