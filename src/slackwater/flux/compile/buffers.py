"""Buffers, filled while their elements are read: trees with the nodes of a projection (section 3.7.3)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from slackwater.flux.compile.context import StaticContext
from slackwater.flux.compile.names import fits, may_hold
from slackwater.flux.plan.state import BARE, WHOLE, Projection
from slackwater.flux.rewrite.places import union
from slackwater.flux.runtime.demands import Act, Attributes, Demand, Enter, Leave
from slackwater.flux.runtime.nodes import NODE_BYTES, BufferedNode, expat_name
from slackwater.flux.values.tree import Name, Node
from slackwater.schema import Automaton, Type

_NO_NODES: list[Node] = []
_NO_NAMESPACES: dict[str, str] = {}
_VALUE = Projection(value=True)


@dataclass(eq=False)
class Reading:
    """What all buffers of a run share: the position in the document, and how much they hold."""

    tree: int = 0
    tick: int = 0
    """Grows with every buffered node: document order."""
    namespaces: dict[str, str] = field(default_factory=dict)
    """Prefix -> namespace, where the document declares some."""
    buffers: list[Buffer] = field(default_factory=list)
    peak: int = 0
    upward: bool = False
    """The query walks to parents. Otherwise nodes have none, and are freed when nothing refers to them."""

    def measure(self) -> None:
        """Updates the peak: before a buffer is dropped and at the end, since buffers only grow until then."""
        size = sum([buffer.size for buffer in self.buffers])
        if size > self.peak:
            self.peak = size


class Buffer:
    """The buffered tree of the node that a variable is bound to."""

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


class BufferDemand(Demand):
    """Buffers a node, with the part of its content that a projection selects."""

    def __init__(
        self, buffer: Buffer, projection: Projection, static: StaticContext, *, role: str = "node"
    ) -> None:
        self.buffer = buffer
        self.clock = buffer.reading if role != "inside" else None
        self.projection = projection
        self.static = static
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
        attributes = _attributes(self.projection, self.static, self.buffer.reading)
        if self.role in ("root", "item"):
            return _root(self, kind, name, attributes)
        return _child(self, name, attributes)

    def leave(self, automaton: Automaton, state: int) -> Leave | None:
        buffer = self.buffer
        if self.role == "inside" or self.is_light:
            return None
        if self.role == "path":
            return _leave_path(buffer)
        pop = buffer.open.pop

        def leave(_: str) -> None:
            buffer.text = None
            pop()

        return leave

    def release(self) -> Act | None:
        return self.buffer.drop if self.role == "root" else None

    def children(self, name: Name, type: Type) -> Iterable[Demand]:
        child = self._child(name, type)
        return () if child is None else (BufferDemand(self.buffer, child[0], self.static, role=child[1]),)

    def _child(self, name: Name, type: Type) -> tuple[Projection, str] | None:
        """The projection of a child and its role: buffered, on the path to a buffered node, only its text."""
        own = self.projection
        if own.whole:
            return WHOLE, "node"
        chosen = _chosen(own.children, name, self.static)
        for pattern, inner in own.below:
            if _fits(pattern, name, self.static):
                chosen = union(chosen or BARE, inner)
        below = _reachable(own.below, str(name), type)
        if chosen is not None:
            projection = union(chosen, Projection(value=own.value, below=below))
            # Its own text nodes must not merge with the text of elements inside it.
            return (WHOLE if projection.text and projection.value else projection), "node"
        if below:
            return Projection(value=own.value, below=below), "path"
        return (_VALUE, "inside") if own.value else None


def _chosen(
    children: tuple[tuple[str, Projection], ...], name: Name, static: StaticContext
) -> Projection | None:
    """The projection of a child of this name; `*` applies to every child."""
    by_name = [inner for pattern, inner in children if pattern != "*" and _fits(pattern, name, static)]
    others = [inner for pattern, inner in children if pattern == "*"]
    projection: Projection | None = None
    for inner in [*by_name, *others]:
        projection = inner if projection is None else union(projection, inner)
    return projection


def _fits(pattern: str, name: Name, static: StaticContext) -> bool:
    return fits(pattern, static)(name)


def _reachable(
    below: tuple[tuple[str, Projection], ...], name: str, type: Type
) -> tuple[tuple[str, Projection], ...]:
    """What may occur at any depth in a child, as far as the schema says."""
    child = type.child(name)
    return tuple((pattern, inner) for pattern, inner in below if may_hold(child, pattern))


# What happens at tags.


def _root(
    demand: BufferDemand,
    kind: Any,
    name: Name | None,
    attributes: Callable[[Attributes, Any], list[Node]] | None,
) -> Enter:
    buffer, reading = demand.buffer, demand.buffer.reading
    env, slot, is_light, ticks = buffer.env, buffer.slot, demand.is_light, demand.ticks

    def enter(raw_attributes: Attributes) -> None:
        if ticks:
            reading.tick += 1
        order = (reading.tree, reading.tick)
        node = BufferedNode(kind, name, "", _NO_NODES, [], reading.namespaces, None, order)
        if attributes is not None and raw_attributes:
            node.attributes = attributes(raw_attributes, node)
            buffer.size += sum([NODE_BYTES + len(attribute.text) for attribute in node.attributes])
        env[slot] = node
        if not is_light:
            buffer.open.append(node)
            buffer.text = None

    return enter


def _child(
    demand: BufferDemand, name: Name | None, attributes: Callable[[Attributes, Any], list[Node]] | None
) -> Enter:
    buffer, reading, ticks = demand.buffer, demand.buffer.reading, demand.ticks
    stack = buffer.open
    push = stack.append

    def enter(raw_attributes: Attributes) -> None:
        if ticks:
            reading.tick += 1
        parent = stack[-1]
        order = (reading.tree, reading.tick)
        above = parent if reading.upward else None
        node = BufferedNode("element", name, "", _NO_NODES, [], reading.namespaces, above, order)
        if attributes is not None and raw_attributes:
            node.attributes = attributes(raw_attributes, node)
            buffer.size += sum([NODE_BYTES + len(attribute.text) for attribute in node.attributes])
        buffer.size += NODE_BYTES
        parent.children.append(node)
        push(node)
        buffer.text = None

    return enter


def _leave_path(buffer: Buffer) -> Leave:
    """Removes an element on the path to buffered nodes again if there was none in it."""
    pop = buffer.open.pop

    def leave(_: str) -> None:
        buffer.text = None
        node = pop()
        if not node.children:
            buffer.open[-1].children.pop()
            buffer.size -= NODE_BYTES

    return leave


def _attributes(
    projection: Projection, static: StaticContext, reading: Reading
) -> Callable[[Attributes, Any], list[Node]] | None:
    """The function that makes nodes of the attributes in the projection; None where there are none."""
    names = projection.attributes
    if not projection.whole and not names:
        return None
    everything = projection.whole or "*" in names
    chosen = {static.name(name, is_element=False) for name in names if name != "*"}

    def make(raw_attributes: Attributes, node: Node) -> list[Node]:
        nodes: list[Node] = []
        above = node if reading.upward else None
        for raw, text in raw_attributes.items():
            name = expat_name(raw)
            if everything or name in chosen:
                order: Any = (*node.order, len(nodes))
                nodes.append(
                    BufferedNode("attribute", name, text, _NO_NODES, _NO_NODES, _NO_NAMESPACES, above, order)
                )
        return nodes

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
