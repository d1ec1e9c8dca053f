"""Equality of values and of trees, and the order of values."""

from __future__ import annotations

import math

from slackwater.flux.values.atomic import Atomic, Item, Items, compared
from slackwater.flux.values.errors import Wrong
from slackwater.flux.values.tree import Node


def same(left: Atomic, right: Atomic) -> bool:
    """Equal values of comparable types; NaN is the same as NaN."""
    if isinstance(left, float) and isinstance(right, float) and math.isnan(left) and math.isnan(right):
        return True
    try:
        return compared("=", left, right)
    except Wrong:
        return False


def ordered(left: Atomic | None, right: Atomic | None, *, empty_greatest: bool) -> int:
    """-1, 0 or 1, for order by; NaN sorts between the empty sequence and everything else."""
    ranks = _rank(left), _rank(right)
    if ranks != (2, 2):
        order = (ranks[0] > ranks[1]) - (ranks[0] < ranks[1])
        return -order if empty_greatest else order
    assert left is not None
    assert right is not None
    return compared(">", left, right) - compared("<", left, right)


def _rank(value: Atomic | None) -> int:
    if value is None:
        return 0
    return 1 if isinstance(value, float) and math.isnan(value) else 2


def deep_equal(left: Items, right: Items) -> bool:
    return len(left) == len(right) and all(map(_items_equal, left, right))


def _items_equal(left: Item, right: Item) -> bool:
    if not isinstance(left, Node) and not isinstance(right, Node):
        return same(left, right)
    return isinstance(left, Node) and isinstance(right, Node) and _nodes_equal(left, right)


def _nodes_equal(left: Node, right: Node) -> bool:
    if left.kind != right.kind or left.name != right.name:
        return False
    if left.kind not in ("element", "document"):
        return left.text == right.text
    attributes = {attribute.name: attribute.text for attribute in left.attributes}
    if attributes != {attribute.name: attribute.text for attribute in right.attributes}:
        return False
    one, other = _content(left), _content(right)
    return len(one) == len(other) and all(map(_nodes_equal, one, other))


def _content(node: Node) -> list[Node]:
    return [child for child in node.children if child.kind not in ("comment", "processing-instruction")]
