"""XML text -> tree, a node for each event of the parser. External entities are errors, never fetched."""

from __future__ import annotations

from slackwater.flux.runtime.nodes import expat_name
from slackwater.flux.values.tree import Name, Node, rooted
from slackwater.xml.events import Attributes, Parser
from slackwater.xml.source import BytesSource


def read(content: str | bytes, name: str = "<input>") -> Node:
    """Parse a document; the encoding that a text declares is ignored."""
    if isinstance(content, str):
        source = BytesSource(content.encode(), name, encoding="utf-8")
    else:
        source = BytesSource(content, name)
    parser = Parser(source)
    reading = _Reading(parser)
    parser.run()
    return rooted(reading.document)


class _Reading:
    """The handlers of the parser; the last of the stack is the element under construction."""

    def __init__(self, parser: Parser) -> None:
        self.document = Node("document")
        self.stack = [self.document]
        self.declared: dict[str, str] = {}
        parser.raw = True
        parser.handle(self.start, self.end, self.characters)
        parser.expat.StartNamespaceDeclHandler = self.declare
        parser.expat.CommentHandler = self.comment
        parser.expat.ProcessingInstructionHandler = self.instruction

    def declare(self, prefix: str | None, uri: str | None) -> None:
        self.declared[prefix or ""] = uri or ""

    def start(self, name: str, attributes: Attributes) -> None:
        outer = self.stack[-1].namespaces if len(self.stack) > 1 else {}
        namespaces = {prefix: uri for prefix, uri in {**outer, **self.declared}.items() if uri}
        node = Node("element", expat_name(name), namespaces=namespaces)
        for attribute, value in attributes.items():
            node.attributes.append(Node("attribute", expat_name(attribute), value))
        self.declared = {}
        self.stack[-1].children.append(node)
        self.stack.append(node)

    def end(self, _name: str) -> None:
        self.stack.pop()

    def characters(self, text: str) -> None:
        """Append a part of a text: a chunk of the document may end within it."""
        siblings = self.stack[-1].children
        if siblings and siblings[-1].kind == "text":
            text = siblings.pop().text + text
        siblings.append(Node("text", text=text))

    def comment(self, text: str) -> None:
        self.stack[-1].children.append(Node("comment", text=text))

    def instruction(self, target: str, text: str) -> None:
        self.stack[-1].children.append(Node("processing-instruction", Name(target), text))
