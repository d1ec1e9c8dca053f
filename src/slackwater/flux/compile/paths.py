"""Paths as functions: steps over kept nodes, sorted only where the steps may mix up their order."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from slackwater.flux.compile import expressions as compiler
from slackwater.flux.compile.context import Making, Run
from slackwater.flux.runtime.nodes import in_document_order
from slackwater.flux.values.atomic import Item, Items
from slackwater.flux.values.axes import along, is_selected
from slackwater.flux.values.errors import wrong_type
from slackwater.flux.values.tree import Node
from slackwater.language.xquery import syntax as ast

Nodes = list[Node]
Walk = Callable[[Nodes], Nodes]
Fits = Callable[[Node], bool]

_BACKWARDS = ("parent", "ancestor", "ancestor-or-self", "preceding-sibling", "preceding")
_DEEP = ast.Step("descendant-or-self", ast.KindTest("node"))


def path(expr: ast.Path, making: Making) -> Run:
    """The items of a path."""
    source = compiler.items(expr.source, making)
    steps = _fused(expr.steps)
    if all(isinstance(each, ast.Step) for each in steps):
        return _walked(expr, source, [_step(cast(ast.Step, each), making) for each in steps])
    walks = [_any_step(each, making) for each in steps]

    def run() -> Items:
        found = source()
        try:
            for walk in walks:
                found = walk(found)
        except compiler.Wrong as wrong:
            raise wrong.at(expr.span) from None
        return found

    return run


def _fused(steps: tuple[ast.Step | ast.ExprStep, ...]) -> list[ast.Step | ast.ExprStep]:
    """//a is one step where it has no predicates, which would count from each parent."""
    found: list[ast.Step | ast.ExprStep] = []
    for each in steps:
        plain = isinstance(each, ast.Step) and each.axis == "child" and not each.predicates
        if found and found[-1] == _DEEP and plain:
            found[-1] = ast.Step("descendant", cast(ast.Step, each).test)
        else:
            found.append(each)
    return found


class Step:
    """A step without its order: what it leads to from one node, and what that is like."""

    def __init__(self, walk: Walk, *, deep: bool, apart: bool) -> None:
        self.walk = walk
        self.deep = deep
        """What it gives may hold one another."""
        self.apart = apart
        """From nodes in order of which none holds another, it gives nodes in order."""


def _walked(expr: ast.Path, source: Run, steps: list[Step]) -> Run:
    walks = [each.walk for each in steps]
    single = len(walks) == 1 and walks[0]
    is_sorted = _is_sorted(steps)

    def run() -> Items:
        nodes = source()
        if not nodes:
            return nodes
        if not all(isinstance(each, Node) for each in nodes):
            raise wrong_type("a step starts from a node, not from a value").at(expr.span)
        if len(nodes) == 1 and is_sorted:
            if single:
                return single(nodes)  # type: ignore[arg-type]
            for walk in walks:
                nodes = walk(nodes)  # type: ignore[arg-type]
            return nodes
        for walk in walks:
            nodes = in_document_order(walk(nodes))  # type: ignore[arg-type]
        return nodes

    return run


def _is_sorted(steps: list[Step]) -> bool:
    """From one node, the steps give nodes in document order, each once."""
    nested = False
    for each in steps:
        if nested or not each.apart:
            return False
        nested = each.deep
    return True


def _any_step(step: ast.Step | ast.ExprStep, making: Making) -> Callable[[Items], Items]:
    if isinstance(step, ast.Step):
        walk = _step(step, making).walk

        def walked(items: Items) -> Items:
            if not all(isinstance(each, Node) for each in items):
                raise wrong_type("a step starts from a node, not from a value")
            return [*in_document_order(walk(items))]  # type: ignore[arg-type]

        return walked
    inside, focus = making.focused()
    value = compiler.items(step.expr, inside)
    env = making.scope.env

    def run(items: Items) -> Items:
        found: list[Item] = []
        size = len(items)
        for position, item in enumerate(items, 1):
            if not isinstance(item, Node):
                raise wrong_type("a step starts from a node, not from a value")
            env[focus.item], env[focus.position], env[focus.size] = item, position, size
            found += value()
        nodes = [item for item in found if isinstance(item, Node)]
        if nodes and len(nodes) < len(found):
            raise wrong_type("a step gives nodes or values, not both")
        return [*in_document_order(nodes)] if nodes else found

    return run


def _step(step: ast.Step, making: Making) -> Step:
    walk = _named_child(step, making) if _is_named_child(step) else _along(step, making)
    if step.predicates:
        walk = _each(_filters(walk, step.predicates, making))
    deep = step.axis in ("descendant", "descendant-or-self")
    return Step(walk, deep=deep, apart=deep or step.axis in ("child", "attribute", "self"))


def _is_named_child(step: ast.Step) -> bool:
    return step.axis == "child" and isinstance(step.test, ast.NameTest) and "*" not in step.test.name


def _named_child(step: ast.Step, making: Making) -> Walk:
    assert step.test.name is not None
    name = making.name(step.test.name)
    local, uri = name.local, name.uri

    def run(nodes: Nodes) -> Nodes:
        return [
            child
            for node in nodes
            for child in node.children
            if (name := child.name) is not None
            and name.local == local
            and child.kind == "element"
            and name.uri == uri
        ]

    return run


def _along(step: ast.Step, making: Making) -> Walk:
    fits = fitting(step.test, step.axis, making)
    axis = step.axis
    if axis == "child":
        return lambda nodes: [child for node in nodes for child in node.children if fits(child)]
    if axis == "attribute":
        return lambda nodes: [each for node in nodes for each in node.attributes if fits(each)]
    if axis in _BACKWARDS and not step.predicates:
        return lambda nodes: [each for node in nodes for each in reversed([*filter(fits, along(axis, node))])]
    return lambda nodes: [each for node in nodes for each in along(axis, node) if fits(each)]


def fitting(test: ast.NameTest | ast.KindTest, axis: ast.Axis, making: Making) -> Fits:
    """Whether a node passes a test, on an axis."""
    principal = "attribute" if axis == "attribute" else "element"
    if isinstance(test, ast.NameTest):
        named = _named(test.name, making, is_element=principal == "element")
        return lambda node: node.kind == principal and named(node)
    if test.kind == "node":
        return lambda node: True
    kind = "document" if test.kind == "document-node" else test.kind
    if test.name is None:
        return lambda node: node.kind == kind
    if test.kind == "processing-instruction":
        target = test.name
        return lambda node: node.kind == kind and node.name is not None and node.name.local == target
    named = _named(test.name, making, is_element=kind == "element")
    return lambda node: node.kind == kind and named(node)


def _named(written: str, making: Making, *, is_element: bool) -> Fits:
    prefix, _, local = written.rpartition(":")
    if written == "*":
        return lambda node: True
    if prefix == "*":
        return lambda node: node.name is not None and node.name.local == local
    if local == "*":
        uri = making.namespaces[prefix]
        return lambda node: node.name is not None and node.name.uri == uri
    name = making.name(written, is_element=is_element)
    return lambda node: node.name == name


def _each(walk: Walk) -> Walk:
    """Positions are counted from each node anew."""
    return lambda nodes: [found for node in nodes for found in walk([node])]


def _filters(walk: Walk, predicates: tuple[ast.Expr, ...], making: Making) -> Walk:
    filters = [predicate(each, making) for each in predicates]

    def run(nodes: Nodes) -> Nodes:
        found: Items = walk(nodes)
        for each in filters:
            found = each(found)
        return found  # type: ignore[return-value]

    return run


def predicate(expr: ast.Expr, making: Making) -> Callable[[Items], Items]:
    """A number selects by position, anything else by its truth."""
    match expr:
        case ast.Integer(number):
            return lambda items: items[number - 1 : number] if number > 0 else []
        case ast.Call("last", ()):
            return lambda items: items[-1:]
    inside, focus = making.focused()
    env = making.scope.env
    item_at, position_at, size_at = focus.item, focus.position, focus.size
    if compiler.is_boolean(expr):
        holds = compiler.test(expr, inside)

        def chosen(items: Items) -> Items:
            found: list[Item] = []
            env[size_at] = len(items)
            for position, item in enumerate(items, 1):
                env[item_at], env[position_at] = item, position
                if holds():
                    found.append(item)
            return found

        return chosen
    value = compiler.items(expr, inside)

    def selected(items: Items) -> Items:
        found: list[Item] = []
        env[size_at] = len(items)
        for position, item in enumerate(items, 1):
            env[item_at], env[position_at] = item, position
            if is_selected(value(), position):
                found.append(item)
        return found

    return selected
