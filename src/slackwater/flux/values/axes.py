"""Steps of paths: axes, node tests and the order they come in."""

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
            inside = {id(each) for each in descendants(node)}
            yield from (
                each for each in descendants(node.root) if each.order > node.order and id(each) not in inside
            )
        case "preceding":
            above_it = {id(each) for each in along("ancestor", node)}
            before = [each for each in descendants(node.root) if each.order < node.order]
            yield from (each for each in reversed(before) if id(each) not in above_it)


def _siblings(node: Node, after: bool) -> Iterator[Node]:
    if node.parent is None or node.kind == "attribute":
        return
    place = next(index for index, each in enumerate(node.parent.children) if each is node)
    yield from node.parent.children[place + 1 :] if after else node.parent.children[:place]


def matches(test: ast.NameTest | ast.KindTest, axis: ast.Axis, node: Node, context: Context) -> bool:
    principal = "attribute" if axis == "attribute" else "element"
    if isinstance(test, ast.NameTest):
        return node.kind == principal and _named(test.name, node, context)
    if test.kind == "node":
        return True
    kind = "document" if test.kind == "document-node" else test.kind
    if node.kind != kind:
        return False
    if test.kind == "processing-instruction":
        return test.name is None or node.name is None or node.name.local == test.name
    return test.name is None or _named(test.name, node, context)


def _named(written: str, node: Node, context: Context) -> bool:
    assert node.name is not None
    prefix, _, local = written.rpartition(":")
    if local not in ("*", node.name.local):
        return False
    if prefix == "*" or written == "*":
        return True
    if prefix:
        return node.name.uri == context.namespaces[prefix]
    return node.name.uri == (context.namespaces.get("", "") if node.kind == "element" else "")


def stepped(items: Items, step: ast.Step | ast.ExprStep, context: Context, value: Evaluate) -> Items:
    """The nodes a step leads to, in document order; or the values that an expression as a step gives."""
    found: list[Item] = []
    for position, item in enumerate(items, 1):
        if not isinstance(item, Node):
            raise wrong_type("a step starts from a node, not from a value")
        if isinstance(step, ast.Step):
            found += _axis(item, step, context, value)
        else:
            found += value(step.expr, context.focused(item, position, len(items)))
    nodes = [item for item in found if isinstance(item, Node)]
    if nodes and len(nodes) < len(found):
        raise wrong_type("a step gives nodes or values, not both")
    return [*in_document_order(nodes)] if nodes else found


def _axis(node: Node, step: ast.Step, context: Context, value: Evaluate) -> Items:
    found: Items = [each for each in along(step.axis, node) if matches(step.test, step.axis, each, context)]
    for predicate in step.predicates:
        found = filtered(found, predicate, context, value)
    return found[::-1] if step.axis in _BACKWARDS else found


def filtered(items: Items, predicate: ast.Expr, context: Context, value: Evaluate) -> Items:
    """A number selects by position, anything else by its truth."""
    match predicate:
        case ast.Integer(place):
            return items[place - 1 : place] if place > 0 else []
        case ast.Call("last", ()):
            return items[-1:]
    found: list[Item] = []
    for position, item in enumerate(items, 1):
        result = value(predicate, context.focused(item, position, len(items)))
        if is_selected(result, position):
            found.append(item)
    return found


def is_selected(result: Items, position: int) -> bool:
    """Whether a predicate with this result selects the item at a position: by a number, or by its truth."""
    if len(result) == 1 and is_number(result[0]):
        return result[0] == position
    return truth(result)
