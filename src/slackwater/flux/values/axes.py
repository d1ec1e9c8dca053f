"""Steps of paths: axes, node tests and document order."""

from __future__ import annotations

from collections.abc import Iterator

from slackwater.flux.values.atomic import Item, Items, is_number, truth
from slackwater.flux.values.context import Context, Evaluate
from slackwater.flux.values.errors import wrong_type
from slackwater.flux.values.tree import Node, descendants, in_document_order
from slackwater.language.xquery import syntax as ast

_BACKWARDS = ("parent", "ancestor", "ancestor-or-self", "preceding-sibling", "preceding")


def along(axis: ast.Axis, node: Node) -> Iterator[Node]:
    """The nodes of an axis, nearest first."""
    match axis:
        case "child":
            yield from node.children
        case "attribute":
            yield from node.attributes
        case "self":
            yield node
        case "parent":
            if node.parent is not None:
                yield node.parent
        case "descendant":
            yield from descendants(node)
        case "descendant-or-self":
            yield node
            yield from descendants(node)
        case "ancestor" | "ancestor-or-self":
            above: Node | None = node if axis == "ancestor-or-self" else node.parent
            while above is not None:
                yield above
                above = above.parent
        case "following-sibling":
            yield from _siblings(node, after=True)
        case "preceding-sibling":
            yield from reversed([*_siblings(node, after=False)])
        case "following":
            inside = {id(descendant) for descendant in descendants(node)}
            after = [candidate for candidate in descendants(node.root) if candidate.order > node.order]
            yield from (candidate for candidate in after if id(candidate) not in inside)
        case "preceding":
            ancestors = {id(ancestor) for ancestor in along("ancestor", node)}
            before = [candidate for candidate in descendants(node.root) if candidate.order < node.order]
            yield from (candidate for candidate in reversed(before) if id(candidate) not in ancestors)


def _siblings(node: Node, after: bool) -> Iterator[Node]:
    if node.parent is None or node.kind == "attribute":
        return
    place = next(index for index, sibling in enumerate(node.parent.children) if sibling is node)
    yield from node.parent.children[place + 1 :] if after else node.parent.children[:place]


def matches(test: ast.NameTest | ast.KindTest, axis: ast.Axis, node: Node, context: Context) -> bool:
    principal = "attribute" if axis == "attribute" else "element"
    if isinstance(test, ast.NameTest):
        return node.kind == principal and _has_name(test.name, node, context)
    if test.kind == "node":
        return True
    kind = "document" if test.kind == "document-node" else test.kind
    if node.kind != kind:
        return False
    if test.kind == "processing-instruction":
        return test.name is None or node.name is None or node.name.local == test.name
    return test.name is None or _has_name(test.name, node, context)


def _has_name(name: str, node: Node, context: Context) -> bool:
    assert node.name is not None
    prefix, _, local = name.rpartition(":")
    if local not in ("*", node.name.local):
        return False
    if prefix == "*" or name == "*":
        return True
    if prefix:
        return node.name.uri == context.namespaces[prefix]
    return node.name.uri == (context.namespaces.get("", "") if node.kind == "element" else "")


def stepped(items: Items, step: ast.Step | ast.ExprStep, context: Context, value: Evaluate) -> Items:
    """The nodes of a step in document order; or the values, where the step is an expression."""
    results: list[Item] = []
    for position, item in enumerate(items, 1):
        if not isinstance(item, Node):
            raise wrong_type("a step starts from a node, not from a value")
        if isinstance(step, ast.Step):
            results += _axis(item, step, context, value)
        else:
            results += value(step.expr, context.focused(item, position, len(items)))
    nodes = [item for item in results if isinstance(item, Node)]
    if nodes and len(nodes) < len(results):
        raise wrong_type("a step gives nodes or values, not both")
    return [*in_document_order(nodes)] if nodes else results


def _axis(node: Node, step: ast.Step, context: Context, value: Evaluate) -> Items:
    nodes: Items = [
        candidate for candidate in along(step.axis, node) if matches(step.test, step.axis, candidate, context)
    ]
    for predicate in step.predicates:
        nodes = filtered(nodes, predicate, context, value)
    return nodes[::-1] if step.axis in _BACKWARDS else nodes


def filtered(items: Items, predicate: ast.Expr, context: Context, value: Evaluate) -> Items:
    """The items that a predicate selects: a number by position, anything else by its truth."""
    match predicate:
        case ast.Integer(place):
            return items[place - 1 : place] if place > 0 else []
        case ast.Call("last", ()):
            return items[-1:]
    selected: list[Item] = []
    for position, item in enumerate(items, 1):
        result = value(predicate, context.focused(item, position, len(items)))
        if is_selected(result, position):
            selected.append(item)
    return selected


def is_selected(result: Items, position: int) -> bool:
    """Whether a predicate with this result selects the item at a position: by a number, or by its truth."""
    if len(result) == 1 and is_number(result[0]):
        return result[0] == position
    return truth(result)
