"""Comparison of values and of trees: by operators, for equality, and for order."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

from slackwater.flux.values.atomic import Atomic, Item, Items, Number, Untyped, is_number, type_name
from slackwater.flux.values.casts import to_boolean, to_decimal, to_double
from slackwater.flux.values.errors import Wrong, wrong_type
from slackwater.flux.values.tree import Node

_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt,
    ">=": operator.ge,
}  # fmt: skip
GENERAL_OF = {"eq": "=", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


def compared(op: str, left: Atomic, right: Atomic) -> bool:
    """Compare two values of comparable types; untyped ones are texts."""
    left, right = _typed(left), _typed(right)
    if is_number(left) and is_number(right):
        return _COMPARE[op](*alike(left, right))
    if type(left) is not type(right):
        raise wrong_type(f"a value of type {type_name(left)} cannot be compared with {type_name(right)}")
    return _COMPARE[op](left, right)


def generally_compared(op: str, left: Sequence[Atomic], right: Sequence[Atomic]) -> bool:
    """Whether some value of the left compares with some value of the right."""
    return any(compared(op, *_converted(one, other)) for one in left for other in right)


def _converted(left: Atomic, right: Atomic) -> tuple[Atomic, Atomic]:
    """Convert untyped values to the type of the other operand; for a number, to xs:double."""
    if isinstance(left, Untyped) and not isinstance(right, Untyped):
        return _as_type_of(left, right), right
    if isinstance(right, Untyped) and not isinstance(left, Untyped):
        return left, _as_type_of(right, left)
    return left, right


def _as_type_of(value: Untyped, other: Atomic) -> Atomic:
    if isinstance(other, bool):
        return to_boolean(value)
    return to_double(value) if is_number(other) else value.text


def _typed(value: Atomic) -> str | bool | int | Decimal | float:
    return value.text if isinstance(value, Untyped) else value


def alike(left: Number, right: Number) -> tuple[Number, Number]:
    """Two numbers of one type: the wider one of integer, decimal, double."""
    if isinstance(left, float) or isinstance(right, float):
        return to_double(left), to_double(right)
    if isinstance(left, Decimal) or isinstance(right, Decimal):
        return to_decimal(left), to_decimal(right)
    return left, right


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
