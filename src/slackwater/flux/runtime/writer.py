"""The output of a query: pieces of text, with empty-element tags and spaces between atomic values.

A start tag stays open until content follows: attributes may still be added, and without content it is `<a/>`.
Namespaces are handled only inside elements that declare some.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from slackwater.flux.runtime.nodes import TagNames, expat_name
from slackwater.flux.values.atomic import Items
from slackwater.flux.values.casts import text_of
from slackwater.flux.values.errors import duplicate_attribute, late_attribute, lonely_attribute
from slackwater.flux.values.tree import Name, Node, with_free_prefix
from slackwater.xml.serialize import escape_attribute, escape_text

_NOTHING: dict[str, str] = {}

MANY = 1 << 14
"""How many pieces there may be before they are joined."""

Namespaces = Mapping[str, str]


class Writer:
    """The output of one query that has not been taken yet."""

    __slots__ = (
        "after_value", "attributes", "depth", "ending", "flushed", "open", "own", "pieces", "scopes",
        "sink", "tag_names", "unended",
    )  # fmt: skip

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.flushed: list[str] = []
        """Pieces that were joined early, because a handler writes much and there is no sink."""
        self.sink: Callable[[str], object] | None = None
        """Takes output while a handler is still running, once there is much of it."""
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
        """The namespaces in scope in each open element, as long as there are some."""
        self.ending: str | None = None
        """What ends each item of the answer; None: there is only a space between two values."""
        self.unended = False
        """The last item has not been ended."""
        self.tag_names = TagNames()

    def take(self) -> str:
        """The output since the last call."""
        if self.depth == 0:
            self._end_item()
        text = "".join([*self.flushed, *self.pieces])
        self.flushed.clear()
        self.pieces.clear()
        return text

    def flush(self) -> None:
        """Joins the pieces, where there are many, and passes them to the sink if there is one."""
        text = "".join(self.pieces)
        self.pieces.clear()
        if self.sink is not None:
            self.sink(text)
        else:
            self.flushed.append(text)

    def item(self) -> None:
        """Begins an item of the answer; inside an element this is content, and nothing is to do."""
        if self.ending is not None and self.depth == 0:
            self._end_item()
            self.unended = True
            self.after_value = False

    def _end_item(self) -> None:
        if self.unended and self.ending is not None:
            self.pieces.append(self.ending)
            self.unended = False

    def begin(self) -> None:
        """Closes the open start tag, before content."""
        if self.open:
            self.pieces.append(">")
            self.open = False
        self.after_value = False

    def start(self, name: Name, own: Namespaces, attributes: Iterable[tuple[Name, str]]) -> None:
        """The start tag of a constructor."""
        self.item()
        self.begin()
        self.depth += 1
        declared = self.declared(name, own) if own or self.scopes else ""
        self.attributes = set()
        self.own = dict(own)
        self.pieces.append(f"<{name}{declared}")
        self.open = True
        for attribute, text in attributes:
            self.attribute(attribute, text)

    def declared(self, name: Name, own: Namespaces) -> str:
        """Opens the scope of an element, and gives the namespace declarations that it needs."""
        around = self.scopes[-1] if self.scopes else _NOTHING
        namespaces = dict(own)
        for prefix, uri in around.items():
            if prefix or name.uri:
                namespaces.setdefault(prefix, uri)
        self.scopes.append(namespaces)
        undeclared = ' xmlns=""' if around.get("") and not namespaces.get("") else ""
        return undeclared + "".join(
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
                self.flush()

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
        attributes = "".join(
            [f' {attribute.name}="{escape_attribute(attribute.text)}"' for attribute in node.attributes]
        )
        self.pieces.append(f"<{name}{declared}{attributes}{'>' if node.children else '/>'}")
        if node.children:
            return f"</{name}>"
        if self.scopes:
            self.scopes.pop()
        return ""

    def copy_start(self, raw: str, namespaces: Namespaces, attributes: Mapping[str, str]) -> None:
        """The start tag of an element that is copied while it is read."""
        self.begin()
        tag_names = self.tag_names
        declared = self.declared(expat_name(raw), namespaces) if namespaces or self.scopes else ""
        pairs = "".join([f' {tag_names[key]}="{escape_attribute(text)}"' for key, text in attributes.items()])
        self.attributes = None
        self.pieces.append(f"<{tag_names[raw]}{declared}{pairs}")
        self.open = True

    def copy_end(self, raw: str) -> None:
        if self.open:
            self.pieces.append("/>")
            self.open = False
        else:
            self.pieces.append(f"</{self.tag_names[raw]}>")
        self.after_value = False
        if self.scopes:
            self.scopes.pop()
