"""The functions of XQuery, implemented from their definitions."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal

from slackwater.flux.values import arithmetic
from slackwater.flux.values.atomic import (
    Atomic,
    Items,
    Number,
    Untyped,
    at_most_one,
    atomized,
    each_kind,
    is_number,
    truth,
)
from slackwater.flux.values.casts import to_double, to_integer, to_number
from slackwater.flux.values.comparison import compared, deep_equal, same
from slackwater.flux.values.context import Context
from slackwater.flux.values.errors import no_context, raised, too_many, wrong_count, wrong_type
from slackwater.flux.values.joined import Joined
from slackwater.flux.values.mobile import MOBILE
from slackwater.flux.values.sky import SKY
from slackwater.flux.values.texts import TEXTS, chosen
from slackwater.flux.values.tree import Node

Function = Callable[..., Items]


def _context_item(context: Context, arguments: tuple[Items, ...]) -> Items:
    """The argument, by default the context item."""
    return arguments[0] if arguments else [context.item()]


# Aggregates.


def _numbers(items: Items) -> list[Atomic]:
    """Values to be aggregated; untyped ones become doubles."""
    return [to_double(value) if isinstance(value, Untyped) else value for value in atomized(items)]


def _sum(_context: Context, items: Items, zero: Items | None = None) -> Items:
    empty_sum = 0 if zero is None else at_most_one(zero, "the second argument of sum")
    if not items:
        return [] if empty_sum is None else [empty_sum]
    return [_total(items)]


def _total(items: Items) -> Number:
    """The sum of at least one value."""
    if isinstance(items, range):
        return (items[0] + items[-1]) * len(items) // 2
    # Only for integers: the sum of doubles depends on their order.
    if isinstance(items, Joined) and all(type(item) is int for item in each_kind(items)):
        return sum(int(_total(part)) for part in items.parts)
    values = [arithmetic.operand(value) for value in _numbers(items)]
    total = values[0]
    for value in values[1:]:
        total = arithmetic.calculated("+", total, value)
    return total


def _avg(_context: Context, items: Items) -> Items:
    return [arithmetic.calculated("div", _total(items), len(items))] if items else []


def _extreme(op: str) -> Function:
    def extreme(_context: Context, items: Items) -> Items:
        if not items:
            return []
        values = _numbers([items[0], items[-1]] if isinstance(items, range) else items)
        if all(map(is_number, values)) and any(isinstance(value, float) for value in values):
            values = [to_double(value) for value in values]
        if any(isinstance(value, float) and math.isnan(value) for value in values):
            return [math.nan]
        best = values[0]
        for value in values[1:]:
            best = value if compared(op, value, best) else best
        return [best]

    return extreme


# Sequences.


def _counted(name: str, least: int, most: int | None) -> Function:
    def counted(_context: Context, items: Items) -> Items:
        if len(items) < least or (most is not None and len(items) > most):
            raise wrong_count(name, len(items))
        return items

    return counted


def _distinct(_context: Context, items: Items) -> Items:
    distinct: list[Atomic] = []
    for value in atomized(items):
        if not any(same(value, other) for other in distinct):
            distinct.append(value)
    return [*distinct]


def _subsequence(_context: Context, items: Items, start: Items, length: Items | None = None) -> Items:
    return items[chosen(len(items), start, length)]


def _whole(items: Items) -> int:
    number = at_most_one(items, "a whole number")
    if isinstance(number, Untyped):
        return to_integer(number)
    if not isinstance(number, int) or isinstance(number, bool):
        raise wrong_type("a whole number is needed")
    return number


def _insert_before(_context: Context, items: Items, position: Items, inserted: Items) -> Items:
    place = max(_whole(position) - 1, 0)
    return [*items[:place], *inserted, *items[place:]]


def _remove(_context: Context, items: Items, position: Items) -> Items:
    place = _whole(position)
    if not 1 <= place <= len(items):
        return items
    return [*items[: place - 1], *items[place:]] if place > 1 else items[1:]


def _index_of(_context: Context, items: Items, searched: Items) -> Items:
    target = at_most_one(searched, "index-of")
    if target is None:
        raise wrong_type("index-of searches one value")
    equal = [not _is_nan(value) and same(value, target) for value in atomized(items)]
    return [position for position, is_equal in enumerate(equal, 1) if is_equal]


def _is_nan(value: Atomic) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _data(context: Context, *arguments: Items) -> Items:
    return [*atomized(_context_item(context, arguments))]


# Numbers.


def _number(context: Context, *arguments: Items) -> Items:
    return [to_number(at_most_one(_context_item(context, arguments), "number"))]


def _numeric(name: str, function: Callable[[Number], Number]) -> Function:
    def numeric(_context: Context, items: Items) -> Items:
        value = at_most_one(items, name)
        return [] if value is None else [function(arithmetic.operand(value))]

    return numeric


def _half_to_even(_context: Context, items: Items, digits: Items | None = None) -> Items:
    value, precision = at_most_one(items, "round-half-to-even"), 0 if digits is None else _whole(digits)
    return [] if value is None else [arithmetic.half_to_even(arithmetic.operand(value), precision)]


def _absolute(number: Number) -> Number:
    return abs(number) if not isinstance(number, Decimal) else number.copy_abs()


# Nodes and the focus.


def _name_part(part: Callable[[Node], str]) -> Function:
    def name_part(context: Context, *arguments: Items) -> Items:
        items = _context_item(context, arguments)
        if len(items) > 1:
            raise too_many("a name", len(items))
        if not items:
            return [""]
        if not isinstance(items[0], Node):
            raise wrong_type("only a node has a name")
        return [part(items[0])]

    return name_part


def _root(context: Context, *arguments: Items) -> Items:
    items = _context_item(context, arguments)
    if len(items) > 1:
        raise too_many("root", len(items))
    if items and not isinstance(items[0], Node):
        raise wrong_type("only a node has a root")
    return [item.root for item in items if isinstance(item, Node)]


def _position(context: Context) -> Items:
    if context.focus is None:
        raise no_context()
    return [context.focus.position]


def _last(context: Context) -> Items:
    if context.focus is None:
        raise no_context()
    return [context.focus.size]


def _error(_context: Context, *arguments: Items) -> Items:
    texts = [str(at_most_one(argument, "error")) for argument in arguments[:2] if argument]
    raise raised(texts[-1] if texts else "the query raised an error")


OTHERS: dict[str, Function] = {
    "count": lambda _context, items: [len(items)],
    "sum": _sum,
    "avg": _avg,
    "min": _extreme("<"),
    "max": _extreme(">"),
    "empty": lambda _context, items: [not items],
    "exists": lambda _context, items: [bool(items)],
    "distinct-values": _distinct,
    "zero-or-one": _counted("zero-or-one", 0, 1),
    "exactly-one": _counted("exactly-one", 1, 1),
    "one-or-more": _counted("one-or-more", 1, None),
    "subsequence": _subsequence,
    "reverse": lambda _context, items: items[::-1],
    "insert-before": _insert_before,
    "remove": _remove,
    "index-of": _index_of,
    "deep-equal": lambda _context, left, right: [deep_equal(left, right)],
    "data": _data,
    "head": lambda _context, items: items[:1],
    "tail": lambda _context, items: items[1:],
    "unordered": lambda _context, items: items,
    "not": lambda _context, items: [not truth(items)],
    "boolean": lambda _context, items: [truth(items)],
    "true": lambda _context: [True],
    "false": lambda _context: [False],
    "number": _number,
    "abs": _numeric("abs", _absolute),
    "round": _numeric("round", arithmetic.rounded),
    "floor": _numeric("floor", arithmetic.floored),
    "ceiling": _numeric("ceiling", arithmetic.ceiled),
    "round-half-to-even": _half_to_even,
    "name": _name_part(lambda node: str(node.name or "")),
    "local-name": _name_part(lambda node: node.name.local if node.name else ""),
    "namespace-uri": _name_part(lambda node: node.name.uri if node.name else ""),
    "root": _root,
    "position": _position,
    "last": _last,
    "error": _error,
}
FUNCTIONS: dict[str, Function] = OTHERS | TEXTS | SKY | MOBILE
"""One for each record in language/xquery/functions.py."""
