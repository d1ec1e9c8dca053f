"""Output as it is known: pieces of text, with tags that close themselves and spaces between atomic values.

A start tag stays open until content comes: attributes may still join it, and without content it is `<a/>`.
Namespaces are looked at only while one is declared around.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from slackwater.flux.runtime.nodes import TagNames, expat_name
from slackwater.flux.values.atomic import Items, text_of
from slackwater.flux.values.errors import duplicate_attribute, late_attribute, lonely_attribute
from slackwater.flux.values.tree import Name, Node, with_free_prefix
from slackwater.xml.serialize import escape_attribute, escape_text

_NOTHING: dict[str, str] = {}

MANY = 1 << 14
"""How many pieces may be waiting before they are put together."""

Namespaces = Mapping[str, str]


class Writer:
    """What one query has written and has not been taken yet."""

    __slots__ = (
        "after_value", "attributes", "depth", "ending", "heavy", "open", "own", "pieces", "scopes",
        "sink", "unended", "written",
    )  # fmt: skip

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.heavy: list[str] = []
        """Pieces put together already, where none are taken while a handler runs."""
        self.sink: Callable[[str], object] | None = None
        """Takes what has been written as soon as it is much."""
        self.open = False
        """The last start tag is not closed yet."""
        self.attributes: set[Name] | None = None
        """The attributes of the open tag; none where no constructor wrote it."""
        self.own: dict[str, str] = {}
        """The prefixes that the open tag uses or declares itself."""
        self.after_value = False
        self.depth = 0
        """How many elements of constructors are open."""
        self.scopes: list[Namespaces] = []
        """The namespaces of the elements around, as long as there are some."""
        self.ending: str | None = None
        """What ends each item of the answer; none: there is a space between two values, and no more."""
        self.unended = False
        """The last item has not been ended."""
        self.written = TagNames()

    def taken(self) -> str:
        """What has been written since the last time."""
        if self.depth == 0:
            self._end_item()
        text = "".join([*self.heavy, *self.pieces])
        self.heavy.clear()
        self.pieces.clear()
        return text

    def relieve(self) -> None:
        """Much has been written in one go: it is put together, and given away if it can be."""
        text = "".join(self.pieces)
        self.pieces.clear()
        if self.sink is not None:
            self.sink(text)
        else:
            self.heavy.append(text)

    def item(self) -> None:
        """An item begins; inside an element it is content and no item of the answer."""
        if self.ending is not None and self.depth == 0:
            self._end_item()
            self.unended = True
            self.after_value = False

    def _end_item(self) -> None:
        if self.unended and self.ending is not None:
            self.pieces.append(self.ending)
            self.unended = False

    def begin(self) -> None:
        """Something comes that is no attribute."""
        if self.open:
            self.pieces.append(">")
            self.open = False
        self.after_value = False

    def start(self, name: Name, own: Namespaces, attributes: Iterable[tuple[Name, str]]) -> None:
        """A start tag that a constructor makes."""
        self.item()
        self.begin()
        self.depth += 1
        declared = self.declared(name, own) if own or self.scopes else ""
        self.attributes = set()
        self.own = dict(own)
        self.pieces.append(f"<{name}{declared}")
        self.open = True
        for each, text in attributes:
            self.attribute(each, text)

    def declared(self, name: Name, own: Namespaces) -> str:
        """The declarations that an element needs below the one around it; it is around what follows."""
        around = self.scopes[-1] if self.scopes else _NOTHING
        namespaces = dict(own)
        for prefix, uri in around.items():
            if prefix or name.uri:
                namespaces.setdefault(prefix, uri)
        self.scopes.append(namespaces)
        gone = ' xmlns=""' if around.get("") and not namespaces.get("") else ""
        return gone + "".join(
            f' xmlns{":" if prefix else ""}{prefix}="{escape_attribute(uri)}"'
            for prefix, uri in namespaces.items()
            if around.get(prefix) != uri
        )

    def attribute(self, name: Name, text: str) -> None:
        if not self.open or self.attributes is None:
            raise late_attribute() if self.depth else lonely_attribute()
        if name in self.attributes:
            raise duplicate_attribute(str(name))
        self.attributes.add(name)
        if name.uri and name.prefix != "xml":
            name = with_free_prefix(name, self.own, len(self.attributes))
            self._declare_late(name)
        self.pieces.append(f' {name}="{escape_attribute(text)}"')

    def _declare_late(self, name: Name) -> None:
        self.own[name.prefix] = name.uri
        around = self.scopes[-1] if self.scopes else _NOTHING
        if around.get(name.prefix) == name.uri:
            return
        if self.scopes:
            self.scopes[-1] = {**around, name.prefix: name.uri}
        else:
            self.scopes.append({name.prefix: name.uri})
        self.pieces.append(f' xmlns:{name.prefix}="{escape_attribute(name.uri)}"')

    def end(self, name: str) -> None:
        self.depth -= 1
        if self.open:
            self.pieces.append("/>")
            self.open = False
        else:
            self.pieces.append(f"</{name}>")
        self.after_value = False
        if self.scopes:
            self.scopes.pop()

    def text(self, text: str) -> None:
        """A text node."""
        if text:
            self.item()
            self.begin()
            self.pieces.append(escape_text(text))
        self.after_value = False

    def value(self, text: str) -> None:
        """An atomic value."""
        self.item()
        if self.after_value:
            text = " " + text
        if text:
            self.begin()
            self.pieces.append(escape_text(text))
        self.after_value = True

    def items(self, items: Items) -> None:
        for item in items:
            if isinstance(item, Node):
                self.node(item)
            else:
                self.value(text_of(item))
            if len(self.pieces) > MANY:
                self.relieve()

    def node(self, node: Node) -> None:
        """A copy of a node."""
        if node.kind == "text":
            self.text(node.text)
            return
        if node.kind != "attribute":
            self.item()
        self._node(node)

    def _node(self, node: Node) -> None:
        match node.kind:
            case "text":
                self.begin()
                self.pieces.append(escape_text(node.text))
            case "element":
                self.begin()
                self._element(node)
            case "document":
                self.after_value = False
                for child in node.children:
                    self._node(child)
            case "attribute":
                assert node.name is not None
                self.attribute(node.name, node.text)
                self.after_value = False
            case "comment":
                self.begin()
                self.pieces.append(f"<!--{node.text}-->")
            case "processing-instruction":
                self.begin()
                self.pieces.append(f"<?{node.name} {node.text}?>" if node.text else f"<?{node.name}?>")

    def _element(self, root: Node) -> None:
        """An element and all in it; a text on the stack is what closes an element."""
        append = self.pieces.append
        waiting: list[Node | str] = [root]
        while waiting:
            node = waiting.pop()
            if isinstance(node, str):
                append(node)
                if self.scopes:
                    self.scopes.pop()
            elif node.kind == "text":
                append(escape_text(node.text))
            elif node.kind == "element":
                end = self._start(node)
                if end:
                    waiting.append(end)
                    waiting += reversed(node.children)
            else:
                self._node(node)

    def _start(self, node: Node) -> str:
        """Writes the start tag of an element; its end tag, if it has content."""
        name = node.name
        assert name is not None
        declared = self.declared(name, node.namespaces) if node.namespaces or self.scopes else ""
        attributes = "".join([f' {each.name}="{escape_attribute(each.text)}"' for each in node.attributes])
        self.pieces.append(f"<{name}{declared}{attributes}{'>' if node.children else '/>'}")
        if node.children:
            return f"</{name}>"
        if self.scopes:
            self.scopes.pop()
        return ""

    def copy_start(self, raw: str, namespaces: Namespaces, attributes: Mapping[str, str]) -> None:
        """The start tag of an element that is copied while it is read."""
        self.begin()
        written = self.written
        declared = self.declared(expat_name(raw), namespaces) if namespaces or self.scopes else ""
        pairs = "".join([f' {written[key]}="{escape_attribute(text)}"' for key, text in attributes.items()])
        self.attributes = None
        self.pieces.append(f"<{written[raw]}{declared}{pairs}")
        self.open = True

    def copy_end(self, raw: str) -> None:
        if self.open:
            self.pieces.append("/>")
            self.open = False
        else:
            self.pieces.append(f"</{self.written[raw]}>")
        self.after_value = False
        if self.scopes:
            self.scopes.pop()
