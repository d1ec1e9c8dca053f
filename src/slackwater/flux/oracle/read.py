"""XML text -> tree, by expat. Nothing is fetched: an external entity is an error."""

from __future__ import annotations

from typing import Any
from xml.parsers import expat

from slackwater.base.diagnostic import EngineError
from slackwater.flux import problems
from slackwater.flux.values.tree import Name, Node, rooted

_BETWEEN = "\1"
_XML = {"xml": "http://www.w3.org/XML/1998/namespace"}


def read(content: str | bytes, name: str = "<input>") -> Node:
    """The document that the content is."""
    reading = _Reading()
    try:
        reading.parser.Parse(content, True)
    except expat.ExpatError as error:
        where = f"{name}:{error.lineno}:{error.offset + 1}"
        message = expat.ErrorString(error.code) or "not XML"
        raise EngineError(problems.MALFORMED_XML.at(where=where, message=message)) from None
    return rooted(reading.document)


class _Reading:
    """What expat calls back; the element under construction is the last of the stack."""

    def __init__(self) -> None:
        self.document = Node("document")
        self.stack = [self.document]
        self.declared: dict[str, str] = {}
        self.parser = parser = expat.ParserCreate(namespace_separator=_BETWEEN)
        parser.namespace_prefixes = True
        parser.buffer_text = True
        parser.ordered_attributes = True
        parser.StartNamespaceDeclHandler = self.declare
        parser.StartElementHandler = self.start
        parser.EndElementHandler = self.end
        parser.CharacterDataHandler = self.characters
        parser.CommentHandler = self.comment
        parser.ProcessingInstructionHandler = self.instruction
        parser.ExternalEntityRefHandler = self.refuse

    def declare(self, prefix: str | None, uri: str | None) -> None:
        self.declared[prefix or ""] = uri or ""

    def start(self, name: str, attributes: Any) -> None:
        outer = self.stack[-1].namespaces if len(self.stack) > 1 else {}
        namespaces = {prefix: uri for prefix, uri in {**outer, **self.declared}.items() if uri}
        node = Node("element", _name(name), namespaces=namespaces)
        for attribute, value in zip(attributes[::2], attributes[1::2], strict=True):
            node.attributes.append(Node("attribute", _name(attribute), value))
        self.declared = {}
        self.stack[-1].children.append(node)
        self.stack.append(node)

    def end(self, _name: str) -> None:
        self.stack.pop()

    def characters(self, text: str) -> None:
        self.stack[-1].children.append(Node("text", text=text))

    def comment(self, text: str) -> None:
        self.stack[-1].children.append(Node("comment", text=text))

    def instruction(self, target: str, text: str) -> None:
        self.stack[-1].children.append(Node("processing-instruction", Name(target), text))

    def refuse(self, *_entity: object) -> int:
        """Zero makes expat report an error at the reference."""
        return 0


def _name(written: str) -> Name:
    """From what expat gives: namespace, local name and prefix."""
    parts = written.split(_BETWEEN)
    match parts:
        case [local]:
            return Name(local)
        case [uri, local]:
            prefix = "xml" if uri == _XML["xml"] else ""
            return Name(local, uri, prefix)
        case _:
            return Name(parts[1], parts[0], parts[2])
