"""Paths as functions: steps over buffered nodes, sorted only where steps may change document order."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from slackwater.flux.compile import expressions as compiler
from slackwater.flux.compile.context import Run, StaticContext
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


def path(expr: ast.Path, static: StaticContext) -> Run:
    """The items of a path."""
    source = compiler.items(expr.source, static)
    steps = _fused(expr.steps)
    if all(isinstance(step, ast.Step) for step in steps):
        return _walked(expr, source, [_step(cast(ast.Step, step), static) for step in steps])
    walks = [_any_step(step, static) for step in steps]

    def run() -> Items:
        items = source()
        try:
            for walk in walks:
                items = walk(items)
        except compiler.Wrong as wrong:
            raise wrong.at(expr.span) from None
        return items

    return run


def _fused(steps: tuple[ast.Step | ast.ExprStep, ...]) -> list[ast.Step | ast.ExprStep]:
    """//a is one step where it has no predicates, which would count from each parent."""
    fused: list[ast.Step | ast.ExprStep] = []
    for step in steps:
        plain = isinstance(step, ast.Step) and step.axis == "child" and not step.predicates
        if fused and fused[-1] == ast.DOUBLE_SLASH and plain:
            fused[-1] = ast.Step("descendant", cast(ast.Step, step).test)
        else:
            fused.append(step)
    return fused


class Step:
    """A step: the function from nodes to nodes, and what is known of the order of its results."""

    def __init__(self, walk: Walk, *, deep: bool, apart: bool) -> None:
        self.walk = walk
        self.deep = deep
        """Its results may contain one another."""
        self.apart = apart
        """From nodes in document order, none inside another, its results are in document order."""


def _walked(expr: ast.Path, source: Run, steps: list[Step]) -> Run:
    walks = [step.walk for step in steps]
    single = len(walks) == 1 and walks[0]
    is_sorted = _is_sorted(steps)

    def run() -> Items:
        nodes = source()
        if not nodes:
            return nodes
        if not all(isinstance(node, Node) for node in nodes):
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
    for step in steps:
        if nested or not step.apart:
            return False
        nested = step.deep
    return True


def _any_step(step: ast.Step | ast.ExprStep, static: StaticContext) -> Callable[[Items], Items]:
    if isinstance(step, ast.Step):
        walk = _step(step, static).walk

        def walked(items: Items) -> Items:
            if not all(isinstance(item, Node) for item in items):
                raise wrong_type("a step starts from a node, not from a value")
            return [*in_document_order(walk(items))]  # type: ignore[arg-type]

        return walked
    inside, focus = static.focused()
    value = compiler.items(step.expr, inside)
    env = static.scope.env

    def run(items: Items) -> Items:
        results: list[Item] = []
        size = len(items)
        for position, item in enumerate(items, 1):
            if not isinstance(item, Node):
                raise wrong_type("a step starts from a node, not from a value")
            env[focus.item], env[focus.position], env[focus.size] = item, position, size
            results += value()
        nodes = [item for item in results if isinstance(item, Node)]
        if nodes and len(nodes) < len(results):
            raise wrong_type("a step gives nodes or values, not both")
        return [*in_document_order(nodes)] if nodes else results

    return run


def _step(step: ast.Step, static: StaticContext) -> Step:
    is_named_child = (
        step.axis == "child" and isinstance(step.test, ast.NameTest) and "*" not in step.test.name
    )
    walk = named_children(cast(str, step.test.name), static) if is_named_child else _along(step, static)
    if step.predicates:
        walk = _from_each_node(_filters(walk, step.predicates, static))
    deep = step.axis in ("descendant", "descendant-or-self")
    return Step(walk, deep=deep, apart=deep or step.axis in ("child", "attribute", "self"))


def named_children(qname: str, static: StaticContext) -> Walk:
    """The child elements of a name."""
    name = static.name(qname)
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


def _along(step: ast.Step, static: StaticContext) -> Walk:
    fits = fitting(step.test, step.axis, static)
    axis = step.axis
    if axis == "child":
        return lambda nodes: [child for node in nodes for child in node.children if fits(child)]
    if axis == "attribute":
        return lambda nodes: [attribute for node in nodes for attribute in node.attributes if fits(attribute)]
    if axis in _BACKWARDS and not step.predicates:
        return lambda nodes: [
            other for node in nodes for other in reversed([*filter(fits, along(axis, node))])
        ]
    return lambda nodes: [other for node in nodes for other in along(axis, node) if fits(other)]


def fitting(test: ast.NameTest | ast.KindTest, axis: ast.Axis, static: StaticContext) -> Fits:
    """Whether a node passes a test, on an axis."""
    principal = "attribute" if axis == "attribute" else "element"
    if isinstance(test, ast.NameTest):
        has_name = _name_test(test.name, static, is_element=principal == "element")
        return lambda node: node.kind == principal and has_name(node)
    if test.kind == "node":
        return lambda node: True
    kind = "document" if test.kind == "document-node" else test.kind
    if test.name is None:
        return lambda node: node.kind == kind
    if test.kind == "processing-instruction":
        target = test.name
        return lambda node: node.kind == kind and node.name is not None and node.name.local == target
    has_name = _name_test(test.name, static, is_element=kind == "element")
    return lambda node: node.kind == kind and has_name(node)


def _name_test(pattern: str, static: StaticContext, *, is_element: bool) -> Fits:
    prefix, _, local = pattern.rpartition(":")
    if pattern == "*":
        return lambda node: True
    if prefix == "*":
        return lambda node: node.name is not None and node.name.local == local
    if local == "*":
        uri = static.namespaces[prefix]
        return lambda node: node.name is not None and node.name.uri == uri
    name = static.name(pattern, is_element=is_element)
    return lambda node: node.name == name


def _from_each_node(walk: Walk) -> Walk:
    """The walk from each node on its own, so that positions count from 1 for each."""
    return lambda nodes: [child for node in nodes for child in walk([node])]


def _filters(walk: Walk, predicates: tuple[ast.Expr, ...], static: StaticContext) -> Walk:
    filters = [predicate(expr, static) for expr in predicates]

    def run(nodes: Nodes) -> Nodes:
        items: Items = walk(nodes)
        for select in filters:
            items = select(items)
        return items  # type: ignore[return-value]

    return run


def predicate(expr: ast.Expr, static: StaticContext) -> Callable[[Items], Items]:
    """A number selects by position, anything else by its truth."""
    match expr:
        case ast.Integer(number):
            return lambda items: items[number - 1 : number] if number > 0 else []
        case ast.Call("last", ()):
            return lambda items: items[-1:]
    inside, focus = static.focused()
    env = static.scope.env
    item_at, position_at, size_at = focus.item, focus.position, focus.size
    if compiler.is_boolean(expr):
        holds = compiler.test(expr, inside)
    else:
        value = compiler.items(expr, inside)

        def holds() -> bool:
            return is_selected(value(), env[position_at])

    def select(items: Items) -> Items:
        selected: list[Item] = []
        env[size_at] = len(items)
        for position, item in enumerate(items, 1):
            env[item_at], env[position_at] = item, position
            if holds():
                selected.append(item)
        return selected

    return select
