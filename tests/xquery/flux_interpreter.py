"""An interpreter of FluX over whole trees, from the definitions of section 3.4.2, slow and simple.

A query over buffers reads of each streamed node only the children that have ended, and of these only what the
buffer's projection selects: what is read too early, or is not in the projection, is missing. Windows are not
supported.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from slackwater.flux.oracle.evaluate import value
from slackwater.flux.oracle.write import serialized
from slackwater.flux.plan import syntax as flux
from slackwater.flux.plan.state import WHOLE, Projection
from slackwater.flux.plan.syntax import EVERYTHING, Flux, Handler, On, OnFirst, ProcessStream, Query
from slackwater.flux.plan.terms import replaced, substituted
from slackwater.flux.rewrite.places import union
from slackwater.flux.values import construct as tree_construct
from slackwater.flux.values.atomic import Items, truth
from slackwater.flux.values.context import Context, Program
from slackwater.flux.values.tree import Node, copied, rooted
from slackwater.language.xquery import syntax as ast
from slackwater.language.xquery.functions import PREFIXES
from slackwater.schema import TEXT


@dataclass
class Reading:
    """A streamed node, and how many of its children have ended."""

    node: Node
    ended: int = 0


@dataclass
class Open:
    """An element that is being written, or the whole output."""

    tag: flux.StartTag | None
    attributes: Items = field(default_factory=list)
    parts: list[Items] = field(default_factory=lambda: [[]])


def interpret(query: Flux, document: Node) -> str:
    return Interpreter(query).run(document)


class Interpreter:
    def __init__(self, query: Flux) -> None:
        self.query = query
        self.reading: dict[str, Reading] = {}
        self.places: dict[str, int] = {}
        self.fed: dict[ast.Expr, Items] = {}
        self.output = [Open(None)]
        self.program = Program({function.name: function for function in query.functions}, {}, {}, {})
        self.lets: dict[str, ast.Expr] = {let.variable: let.value for let in query.lets}

    def run(self, document: Node) -> str:
        self.scope(self.query.body, document)
        assert len(self.output) == 1
        return serialized(item for part in self.output[0].parts for item in part)

    # Handlers.

    def scope(self, body: ProcessStream, node: Node) -> None:
        reading = self.reading[body.variable] = Reading(node)
        for fold in self.query.folds:
            if fold.variable == body.variable:
                self.fed[fold.expr] = []
        self.places |= {handler.variable: 0 for handler in body.handlers if isinstance(handler, On)}
        automaton = body.type.automaton
        fired: set[int] = set()
        state = 0
        for place, handler in enumerate(body.handlers):
            if isinstance(handler, flux.CopyThrough):
                if handler.condition is None or truth(self.value(handler.condition, self.buffers())):
                    self.write([node])
            elif self.is_past(handler, body, state):
                self.fire(place, handler, fired)
        for child in node.children:
            name = str(child.name) if child.kind == "element" else TEXT
            if child.kind == "element":
                state = automaton.moves[state][name]
            waiting: list[tuple[int, OnFirst]] = []
            begun = False
            for place, handler in enumerate(body.handlers):
                if isinstance(handler, On) and child.kind in ("element", "text"):
                    if handler.name == name or (handler.name == "*" and child.kind == "element"):
                        self.places[handler.variable] += 1
                        self.scope(handler.body, child)
                        begun = True
                elif place not in fired and self.is_past(handler, body, state):
                    assert isinstance(handler, OnFirst)
                    reads = name in handler.reads or name in handler.past or handler.reads == EVERYTHING
                    if begun or waiting or reads:
                        waiting.append((place, handler))
                    else:
                        self.fire(place, handler, fired)
            reading.ended += 1
            for place, handler in waiting:
                self.fire(place, handler, fired)
        for place, handler in enumerate(body.handlers):
            if isinstance(handler, OnFirst) and place not in fired:
                self.fire(place, handler, fired)
        del self.reading[body.variable]

    def is_past(self, handler: Handler, body: ProcessStream, state: int) -> bool:
        if not isinstance(handler, OnFirst) or handler.past == EVERYTHING:
            return False
        return body.type.automaton.past(state, handler.past)

    def fire(self, place: int, handler: Handler, fired: set[int]) -> None:
        assert isinstance(handler, OnFirst)
        fired.add(place)
        self.write_query(handler.body, self.buffers())

    # Buffers.

    def buffers(self) -> dict[str, Items]:
        """The streamed variables as their buffers hold them now; a node is the same node in all of them."""
        copies = Copies()
        values: dict[str, Items] = {}
        # A text belongs to the innermost node that is in any buffer, so texts come last; and what is buffered
        # of a node is known only after all variables.
        for texts in (False, False, True):
            for name, reading in self.reading.items():
                if name in self.query.buffers:
                    children = reading.node.children[: reading.ended]
                    projection = self.query.buffers[name]
                    values[name] = [_copy(reading.node, projection, children, copies, texts=texts)]
        for node in copies.values():
            node.children.sort(key=lambda child: child.order)
        return values

    def whole(self, name: str) -> Items:
        """A streamed node as far as it has been read."""
        reading = self.reading[name]
        node = copied(reading.node)
        node.children = node.children[: reading.ended]
        return [rooted(node)]

    # Queries over buffers.

    def value(self, expr: ast.Expr, variables: Mapping[str, Items]) -> Items:
        for let in reversed(self.query.lets):
            expr = substituted(expr, {let.variable: let.value})
        known: dict[str, Items] = {}

        def on_the_fly(inner: ast.Expr) -> ast.Expr | None:
            if isinstance(inner, ast.Call) and inner.name == "position" and inner.arguments:
                (variable,) = inner.arguments
                assert isinstance(variable, ast.Variable)
                return ast.Integer(self.places[variable.name])
            name = f"known-{len(known)}"
            for fold in self.query.folds:
                if fold.expr == inner:
                    call = replace(fold.expr, arguments=(ast.Variable("fed"),))
                    known[name] = value(call, self.context({"fed": self.fed[fold.expr]}))
                    return ast.Variable(name)
            for accumulator in self.query.accumulators:
                if accumulator.expr == inner:
                    known[name] = value(
                        inner, self.context({accumulator.variable: self.whole(accumulator.variable)})
                    )
                    return ast.Variable(name)
            return None

        expr = replaced(expr, on_the_fly)
        return value(expr, self.context({**variables, **known}))

    def context(self, variables: Mapping[str, Items]) -> Context:
        return Context(self.program, variables, None, dict(PREFIXES))

    def write_query(self, query: Query, variables: Mapping[str, Items]) -> None:
        match query:
            case flux.Sequence(parts):
                for part in parts:
                    self.write_query(part, variables)
            case flux.Text(text):
                self.output[-1].parts += [[Node("text", text=text)], []]
            case flux.StartTag(_, attributes):
                element = self.value(ast.Element("e", attributes), variables)[0]
                assert isinstance(element, Node)
                self.output.append(Open(query, list(element.attributes)))
            case flux.EndTag(name):
                done = self.output.pop()
                assert done.tag is not None
                assert done.tag.name == name
                element_name = self.context({}).name(name)
                self.write([tree_construct.element(element_name, [done.attributes, *done.parts], {})])
            case flux.Boundary():
                self.output[-1].parts.append([])
            case flux.Copy(variable):
                self.write(variables[variable])
            case flux.Value(expr):
                self.write(self.value(expr, variables))
            case flux.Feed(fold, None):
                self.fed[fold].append(1)
            case flux.Feed(fold, expr) if expr is not None:
                self.fed[fold] += self.value(ast.Call("data", (expr,)), variables)
            case flux.If(condition, body):
                if truth(self.value(condition, variables)):
                    self.write_query(body, variables)
            case flux.For(variable, source, body, at):
                for place, item in enumerate(self.value(source, variables), 1):
                    more: dict[str, Items] = {variable: [item]} | ({at: [place]} if at else {})
                    self.write_query(body, {**variables, **more})
            case flux.Loop():
                self.loop(query, variables)
            case _:
                raise TypeError(f"not supported: {query!r}")

    def loop(self, loop: flux.Loop, variables: Mapping[str, Items]) -> None:
        (source,) = variables[loop.source]
        assert isinstance(source, Node)
        self.places |= {branch.variable: 0 for branch in loop.branches}
        for child in source.children:
            for branch in loop.branches:
                name = branch.test.name
                fits = str(child.name) == name or name == "*" if child.kind == "element" else name == TEXT
                if fits and child.kind in ("element", "text"):
                    self.places[branch.variable] += 1
                    self.write_query(branch.body, {**variables, branch.variable: [child]})

    def write(self, items: Items) -> None:
        self.output[-1].parts[-1] += [copied(item) if isinstance(item, Node) else item for item in items]


class Copies(dict[int, Node]):
    """The copies of nodes, and the projection of each for all variables together."""

    def __init__(self) -> None:
        super().__init__()
        self.known: dict[int, Projection] = {}


def _copy(node: Node, projection: Projection, children: list[Node], copies: Copies, *, texts: bool) -> Node:
    """The copy of a node, extended by what the projection selects."""
    if id(node) not in copies:
        copies[id(node)] = Node(node.kind, node.name, node.text, order=node.order)
    copy = copies[id(node)]
    projection = copies.known[id(node)] = _inside(
        Projection(), union(copies.known.get(id(node), projection), projection)
    )
    if projection.below:
        _below(node, projection, children, copies, texts=texts)
    names = projection.attributes if not projection.whole else {"*"}
    for attribute in node.attributes:
        if ("*" in names or str(attribute.name) in names) and id(attribute) not in copies:
            copies[id(attribute)] = Node(
                "attribute", attribute.name, attribute.text, parent=copy, order=attribute.order
            )
            copy.attributes.append(copies[id(attribute)])
    for child in children:
        if child.kind != "element":
            if texts and (projection.whole or projection.value or (projection.text and child.kind == "text")):
                _put(copy, child, copies)
            continue
        inner = _inner(child, projection)
        if inner is not None:
            _put(copy, child, copies)
            _copy(child, _inside(projection, inner), child.children, copies, texts=texts)
        elif projection.value and texts:
            _dissolve(copy, child, copies)
    return copy


def _below(node: Node, projection: Projection, children: list[Node], copies: Copies, *, texts: bool) -> None:
    """Elements at any depth, with those on the path to them."""
    for child in children:
        if child.kind != "element":
            continue
        matches = [inner for name, inner in projection.below if name in ("*", str(child.name))]
        for inner in matches:
            _put(_copy(node, Projection(), [], copies, texts=texts), child, copies)
            _copy(child, _inside(projection, inner), child.children, copies, texts=texts)
        if any(_holds(child, name) for name, _ in projection.below):
            _put(_copy(node, Projection(), [], copies, texts=texts), child, copies)
            _copy(child, Projection(), [], copies, texts=texts)
            further = Projection(value=projection.value, below=projection.below)
            _below(child, further, child.children, copies, texts=texts)


def _inside(outer: Projection, inner: Projection) -> Projection:
    """The projection of a node inside another one, whose projection may select it, too."""
    projection = union(inner, Projection(value=outer.value, below=outer.below))
    # Its own text nodes must not merge with the text of elements inside it.
    return WHOLE if projection.text and projection.value else projection


def _holds(node: Node, name: str) -> bool:
    return any(
        child.kind == "element" and (name in ("*", str(child.name)) or _holds(child, name))
        for child in node.children
    )


def _inner(child: Node, projection: Projection) -> Projection | None:
    if projection.whole:
        return projection
    by_name = dict(projection.children)
    own = by_name.get(str(child.name))
    other = by_name.get("*")
    if own is None or other is None:
        return own or other
    return union(own, other)


def _put(parent: Node, child: Node, copies: Copies) -> None:
    if id(child) not in copies:
        copies[id(child)] = Node(child.kind, child.name, child.text, order=child.order)
    copy = copies[id(child)]
    if copy.parent is None:
        copy.parent = parent
        parent.children.append(copy)


def _dissolve(parent: Node, child: Node, copies: Copies) -> None:
    """Adds the texts of a child to the innermost copied node around them."""
    parent = copies.get(id(child), parent)
    for node in child.children:
        if node.kind == "text":
            _put(parent, node, copies)
        elif node.kind == "element":
            _dissolve(parent, node, copies)
