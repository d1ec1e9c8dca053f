"""FluX by hand: handlers over whole trees, from section 3.4.2, slowly, with buffers that hold what they say.

A query over buffers sees of each streamed node only the children that have ended, and of these only what the
buffer's projection keeps: what is looked at too early, or was not kept, is not there. Windows are not known
here.
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
from slackwater.flux.rewrite.reads import union
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


def answered(query: Flux, document: Node) -> str:
    return ByHand(query).run(document)


class ByHand:
    def __init__(self, query: Flux) -> None:
        self.query = query
        self.reading: dict[str, Reading] = {}
        self.places: dict[str, int] = {}
        self.fed: dict[ast.Expr, Items] = {}
        self.output = [Open(None)]
        self.program = Program({each.name: each for each in query.functions}, {}, {}, {})
        self.lets: dict[str, ast.Expr] = {each.variable: each.value for each in query.lets}

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
        self.places |= {each.variable: 0 for each in body.handlers if isinstance(each, On)}
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
        """The streamed variables as their buffers hold them now; one node is one node in all of them."""
        copies = Copies()
        found: dict[str, Items] = {}
        # A text belongs to the innermost node that any of them keeps, so texts come last; and what is kept of
        # a node is known when all have been asked.
        for texts in (False, False, True):
            for name, reading in self.reading.items():
                if name in self.query.buffers:
                    children = reading.node.children[: reading.ended]
                    kept = self.query.buffers[name]
                    found[name] = [_kept(reading.node, kept, children, copies, texts=texts)]
        for node in copies.values():
            node.children.sort(key=lambda each: each.order)
        return found

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
            for each in self.query.accumulators:
                if each.expr == inner:
                    known[name] = value(inner, self.context({each.variable: self.whole(each.variable)}))
                    return ast.Variable(name)
            return None

        expr = replaced(expr, on_the_fly)
        return value(expr, self.context({**variables, **known}))

    def context(self, variables: Mapping[str, Items]) -> Context:
        return Context(self.program, variables, None, dict(PREFIXES))

    def write_query(self, query: Query, variables: Mapping[str, Items]) -> None:
        match query:
            case flux.Sequence(parts):
                for each in parts:
                    self.write_query(each, variables)
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
                named = self.context({}).name(name)
                self.write([tree_construct.element(named, [done.attributes, *done.parts], {})])
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
                raise TypeError(f"not known by hand: {query!r}")

    def loop(self, loop: flux.Loop, variables: Mapping[str, Items]) -> None:
        (source,) = variables[loop.source]
        assert isinstance(source, Node)
        self.places |= {each.variable: 0 for each in loop.branches}
        for child in source.children:
            for branch in loop.branches:
                name = branch.test.name
                fits = str(child.name) == name or name == "*" if child.kind == "element" else name == TEXT
                if fits and child.kind in ("element", "text"):
                    self.places[branch.variable] += 1
                    self.write_query(branch.body, {**variables, branch.variable: [child]})

    def write(self, items: Items) -> None:
        self.output[-1].parts[-1] += [copied(each) if isinstance(each, Node) else each for each in items]


class Copies(dict[int, Node]):
    """The copies of nodes, and what is kept of each for all variables together."""

    def __init__(self) -> None:
        super().__init__()
        self.known: dict[int, Projection] = {}


def _kept(node: Node, kept: Projection, children: list[Node], copies: Copies, *, texts: bool) -> Node:
    """The copy of a node, with what is kept of it added to what is there already."""
    if id(node) not in copies:
        copies[id(node)] = Node(node.kind, node.name, node.text, order=node.order)
    copy = copies[id(node)]
    kept = copies.known[id(node)] = _inside(Projection(), union(copies.known.get(id(node), kept), kept))
    if kept.below:
        _below(node, kept, children, copies, texts=texts)
    wanted = kept.attributes if not kept.whole else {"*"}
    for each in node.attributes:
        if ("*" in wanted or str(each.name) in wanted) and id(each) not in copies:
            copies[id(each)] = Node("attribute", each.name, each.text, parent=copy, order=each.order)
            copy.attributes.append(copies[id(each)])
    for child in children:
        if child.kind != "element":
            if texts and (kept.whole or kept.value or (kept.text and child.kind == "text")):
                _put(copy, child, copies)
            continue
        inner = _inner(child, kept)
        if inner is not None:
            _put(copy, child, copies)
            _kept(child, _inside(kept, inner), child.children, copies, texts=texts)
        elif kept.value and texts:
            _dissolve(copy, child, copies)
    return copy


def _below(node: Node, kept: Projection, children: list[Node], copies: Copies, *, texts: bool) -> None:
    """Elements at any depth, with those on the way to them."""
    for child in children:
        if child.kind != "element":
            continue
        names = [each for name, each in kept.below if name in ("*", str(child.name))]
        for each in names:
            _put(_kept(node, Projection(), [], copies, texts=texts), child, copies)
            _kept(child, _inside(kept, each), child.children, copies, texts=texts)
        if any(_holds(child, name) for name, _ in kept.below):
            _put(_kept(node, Projection(), [], copies, texts=texts), child, copies)
            _kept(child, Projection(), [], copies, texts=texts)
            further = Projection(value=kept.value, below=kept.below)
            _below(child, further, child.children, copies, texts=texts)


def _inside(outer: Projection, inner: Projection) -> Projection:
    """What is kept of a node, with what is kept of all that is in the one around it."""
    found = union(inner, Projection(value=outer.value, below=outer.below))
    # Its own texts must stay apart from those in it.
    return WHOLE if found.text and found.value else found


def _holds(node: Node, name: str) -> bool:
    return any(
        each.kind == "element" and (name in ("*", str(each.name)) or _holds(each, name))
        for each in node.children
    )


def _inner(child: Node, kept: Projection) -> Projection | None:
    if kept.whole:
        return kept
    named = dict(kept.children)
    found = named.get(str(child.name))
    other = named.get("*")
    if found is None or other is None:
        return found or other
    return union(found, other)


def _put(parent: Node, child: Node, copies: Copies) -> None:
    if id(child) not in copies:
        copies[id(child)] = Node(child.kind, child.name, child.text, order=child.order)
    copy = copies[id(child)]
    if copy.parent is None:
        copy.parent = parent
        parent.children.append(copy)


def _dissolve(parent: Node, child: Node, copies: Copies) -> None:
    """The texts of a child, in the innermost node that is kept of those around them."""
    parent = copies.get(id(child), parent)
    for each in child.children:
        if each.kind == "text":
            _put(parent, each, copies)
        elif each.kind == "element":
            _dissolve(parent, each, copies)
