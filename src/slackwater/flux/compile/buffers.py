"""Buffers, filled while their elements are read: small trees with what a projection keeps (section 3.7.3)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from slackwater.flux.compile.context import Making
from slackwater.flux.plan.state import BARE, WHOLE, Projection
from slackwater.flux.rewrite.reads import union
from slackwater.flux.runtime.machine import Act, Attributes, Demand, Enter, Leave
from slackwater.flux.runtime.nodes import NODE_BYTES, BufferedNode, expat_name
from slackwater.flux.values.tree import Name, Node
from slackwater.schema import Automaton, Type
from slackwater.schema.paths import holds

_NO_NODES: list[Node] = []
_NO_NAMESPACES: dict[str, str] = {}
_VALUE = Projection(value=True)


@dataclass(eq=False)
class Reading:
    """What all buffers of a run share: where reading stands, and how much is kept."""

    tree: int = 0
    tick: int = 0
    """Grows with every node that is kept: document order."""
    namespaces: dict[str, str] = field(default_factory=dict)
    """Prefix -> namespace, where the document declares some."""
    buffers: list[Buffer] = field(default_factory=list)
    peak: int = 0
    upward: bool = False
    """The query walks upward. Else nodes have no parents, and are freed when nothing refers to them."""

    def measure(self) -> None:
        """Buffers only grow until one of them is dropped: then, and at the end, is the time to look."""
        size = sum([each.size for each in self.buffers])
        if size > self.peak:
            self.peak = size


class Buffer:
    """The tree that is kept of the node of one variable."""

    __slots__ = ("comment", "env", "forget", "instruction", "open", "reading", "size", "slot", "take", "text")

    def __init__(self, reading: Reading, env: list[Any], slot: int, forget: Act | None = None) -> None:
        self.reading = reading
        self.env = env
        self.slot = slot
        self.forget = forget
        self.open: list[Node] = []
        self.text: Node | None = None
        """The text that is being read."""
        self.size = 0
        self.take = _texts(self)
        self.comment = _comments(self)
        self.instruction = _instructions(self)
        reading.buffers.append(self)

    def end_text(self) -> None:
        self.text = None

    def drop(self) -> None:
        if self.size:
            self.reading.measure()
            self.size = 0
        self.env[self.slot] = None
        self.open.clear()
        if self.forget is not None:
            self.forget()


class Keep(Demand):
    """A node that is kept, with what its projection says of what is in it."""

    def __init__(self, buffer: Buffer, projection: Projection, making: Making, *, role: str = "node") -> None:
        self.buffer = buffer
        self.clock = buffer.reading if role != "inside" else None
        self.projection = projection
        self.making = making
        self.role = role
        self.key = (id(buffer), projection, role)
        self.whole = projection.whole
        self.is_light = role in ("root", "item") and not (
            projection.whole or projection.value or projection.text or projection.children or projection.below
        )
        if projection.whole or projection.value or projection.text:
            self.text = buffer.take
        if projection.whole:
            self.comment = buffer.comment
            self.instruction = buffer.instruction
        if projection.text and not projection.whole:
            self.interrupt = buffer.end_text

    def enter(self, raw: str | None) -> Enter | None:
        if self.role == "inside":
            return None
        kind = "element" if raw is not None else "document"
        name = expat_name(raw) if raw is not None else None
        attributes = _attributes(self.projection, self.making, self.buffer.reading)
        if self.role in ("root", "item"):
            return _root(self, kind, name, attributes)
        return _child(self, name, attributes)

    def leave(self, automaton: Automaton, state: int) -> Leave | None:
        buffer = self.buffer
        if self.role == "inside" or self.is_light:
            return None
        if self.role == "way":
            return _leave_way(buffer)
        pop = buffer.open.pop

        def leave(_: str) -> None:
            buffer.text = None
            pop()

        return leave

    def release(self) -> Act | None:
        return self.buffer.drop if self.role == "root" else None

    def children(self, name: Name, type: Type) -> Iterable[Demand]:
        found = self._child(name, type)
        return () if found is None else (Keep(self.buffer, found[0], self.making, role=found[1]),)

    def _child(self, name: Name, type: Type) -> tuple[Projection, str] | None:
        """What is kept of a child: it is a node, on the way to one, or only its text counts."""
        own = self.projection
        if own.whole:
            return WHOLE, "node"
        chosen = _chosen(own.children, name, self.making)
        for pattern, inner in own.below:
            if _fits(pattern, name, self.making):
                chosen = union(chosen or BARE, inner)
        below = _reachable(own.below, str(name), type)
        if chosen is not None:
            found = union(chosen, Projection(value=own.value, below=below))
            # Its own texts must stay apart from those in it.
            return (WHOLE if found.text and found.value else found), "node"
        if below:
            return Projection(value=own.value, below=below), "way"
        return (_VALUE, "inside") if own.value else None


def _chosen(children: tuple[tuple[str, Projection], ...], name: Name, making: Making) -> Projection | None:
    """`*` stands for all that are not named."""
    named_ones = [inner for pattern, inner in children if pattern != "*" and _fits(pattern, name, making)]
    others = [inner for pattern, inner in children if pattern == "*"]
    found: Projection | None = None
    for each in [*named_ones, *others]:
        found = each if found is None else union(found, each)
    return found


def _fits(pattern: str, name: Name, making: Making) -> bool:
    return fits(pattern, making)(name)


@cache
def _fitting(pattern: str, uri: str) -> Callable[[Name], bool]:
    prefix, _, local = pattern.rpartition(":")
    if pattern == "*":
        return lambda name: True
    if prefix == "*":
        return lambda name: name.local == local
    if local == "*":
        return lambda name: name.uri == uri
    return lambda name: name.local == local and name.uri == uri


def fits(pattern: str, making: Making, *, is_element: bool = True) -> Callable[[Name], bool]:
    """Whether an element has the name that stands in the query."""
    prefix, colon, _ = pattern.rpartition(":")
    default = making.namespaces.get("", "") if is_element else ""
    uri = making.namespaces.get(prefix, "") if colon and prefix != "*" else default
    return _fitting(pattern, uri)


def _reachable(
    below: tuple[tuple[str, Projection], ...], name: str, type: Type
) -> tuple[tuple[str, Projection], ...]:
    """What may still stand at any depth in a child, as far as the schema tells."""
    child = type.child(name)
    return tuple((pattern, inner) for pattern, inner in below if may_hold(child, pattern))


def may_hold(type: Type | None, pattern: str) -> bool:
    """An element of the type may hold one of this name, at any depth, as far as is known."""
    return type is None or not type.is_known or "*" in pattern or holds(type, pattern)


# What happens at tags.


def _root(
    keep: Keep, kind: Any, name: Name | None, attributes: Callable[[Attributes, Any], list[Node]] | None
) -> Enter:
    buffer, reading = keep.buffer, keep.buffer.reading
    env, slot, is_light, ticks = buffer.env, buffer.slot, keep.is_light, keep.ticks

    def enter(given: Attributes) -> None:
        if ticks:
            reading.tick += 1
        order = (reading.tree, reading.tick)
        node = BufferedNode(kind, name, "", _NO_NODES, [], reading.namespaces, None, order)
        if attributes is not None and given:
            node.attributes = attributes(given, node)
            buffer.size += sum([NODE_BYTES + len(each.text) for each in node.attributes])
        env[slot] = node
        if not is_light:
            buffer.open.append(node)
            buffer.text = None

    return enter


def _child(
    keep: Keep, name: Name | None, attributes: Callable[[Attributes, Any], list[Node]] | None
) -> Enter:
    buffer, reading, ticks = keep.buffer, keep.buffer.reading, keep.ticks
    stack = buffer.open
    push = stack.append

    def enter(given: Attributes) -> None:
        if ticks:
            reading.tick += 1
        parent = stack[-1]
        order = (reading.tree, reading.tick)
        above = parent if reading.upward else None
        node = BufferedNode("element", name, "", _NO_NODES, [], reading.namespaces, above, order)
        if attributes is not None and given:
            node.attributes = attributes(given, node)
            buffer.size += sum([NODE_BYTES + len(each.text) for each in node.attributes])
        buffer.size += NODE_BYTES
        parent.children.append(node)
        push(node)
        buffer.text = None

    return enter


def _leave_way(buffer: Buffer) -> Leave:
    """What was only on the way to something goes, if nothing came of it."""
    pop = buffer.open.pop

    def leave(_: str) -> None:
        buffer.text = None
        node = pop()
        if not node.children:
            buffer.open[-1].children.pop()
            buffer.size -= NODE_BYTES

    return leave


def _attributes(
    projection: Projection, making: Making, reading: Reading
) -> Callable[[Attributes, Any], list[Node]] | None:
    """The attributes that are kept, as nodes."""
    wanted = projection.attributes
    if not projection.whole and not wanted:
        return None
    everything = projection.whole or "*" in wanted
    chosen = {making.name(each, is_element=False) for each in wanted if each != "*"}

    def make(given: Attributes, node: Node) -> list[Node]:
        found: list[Node] = []
        above = node if reading.upward else None
        for raw, text in given.items():
            name = expat_name(raw)
            if everything or name in chosen:
                order: Any = (*node.order, len(found))
                found.append(
                    BufferedNode("attribute", name, text, _NO_NODES, _NO_NODES, _NO_NAMESPACES, above, order)
                )
        return found

    return make


def _texts(buffer: Buffer) -> Callable[[str], None]:
    reading, stack = buffer.reading, buffer.open

    def take(text: str) -> None:
        buffer.size += len(text)
        if buffer.text is not None:
            buffer.text.text += text
            return
        reading.tick += 1
        parent = stack[-1]
        order = (reading.tree, reading.tick)
        above = parent if reading.upward else None
        node = BufferedNode("text", None, text, _NO_NODES, _NO_NODES, _NO_NAMESPACES, above, order)
        buffer.text = node
        buffer.size += NODE_BYTES
        parent.children.append(node)

    return take


def _comments(buffer: Buffer) -> Callable[[str], None]:
    def take(text: str) -> None:
        _add(buffer, "comment", None, text)

    return take


def _instructions(buffer: Buffer) -> Callable[[str, str], None]:
    def take(target: str, text: str) -> None:
        _add(buffer, "processing-instruction", Name(target), text)

    return take


def _add(buffer: Buffer, kind: Any, name: Name | None, text: str) -> None:
    reading = buffer.reading
    reading.tick += 1
    buffer.text = None
    parent = buffer.open[-1]
    order = (reading.tree, reading.tick)
    above = parent if reading.upward else None
    parent.children.append(BufferedNode(kind, name, text, _NO_NODES, _NO_NODES, _NO_NAMESPACES, above, order))
    buffer.size += NODE_BYTES + len(text)
