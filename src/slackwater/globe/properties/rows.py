"""What a CQL query needs of its streams: what its optimized plan selects and projects directly above each.

    Project en ─ Range 60 ─ Select ra > 130.5 ─ Stream photons        ranges  ra: 130.5 <     parts  ra, en

The optimizer moves a selection below a window where that is the same query, and nowhere else. The query
itself keeps its conditions, so a condition that is left out here only makes the stream larger.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from slackwater import algebra
from slackwater.algebra import Operator
from slackwater.algebra.expressions import Cast, Column, Expression, Literal
from slackwater.algebra.expressions.text import text_of
from slackwater.base.tree import rebuild
from slackwater.globe.model import Condition, Properties, Range
from slackwater.globe.properties.contain import cover
from slackwater.globe.properties.ranges import EVERYTHING, bounds, interval
from slackwater.optimize.facts.columns import columns
from slackwater.optimize.sharing.conditions import Interval, bound
from slackwater.optimize.sharing.streams import TIME, of_stream

_PLAIN = frozenset(
    ("eq", "ne", "lt", "le", "gt", "ge", "and", "or", "not", "is_null", "like", "add", "subtract", "multiply")
)
"""The functions of conditions that are sent to other peers as texts."""


def needs_of(plan: Operator) -> dict[str, Properties]:
    """What an optimized plan needs of each stream; of one that it reads twice, what contains both."""
    needs: dict[str, Properties] = {}
    for name, need in _reads(plan):
        needs[name] = cover(needs[name], need) if name in needs else need
    return needs


def _reads(plan: Operator) -> Iterator[tuple[str, Properties]]:
    base, conditions, values = of_stream(plan)
    if isinstance(base, algebra.Stream):
        yield base.name, _need(base, conditions, list(values.values()))
        return
    for source in base.inputs:
        yield from _reads(source)


def _need(
    stream: algebra.Stream, conditions: Sequence[Expression], values: Sequence[Expression]
) -> Properties:
    ranges: dict[str, Interval] = {}
    others: dict[Condition, None] = {}
    for condition in map(_folded, conditions):
        limit = bound(condition)
        if limit is not None and _is_number(limit.literal.value):
            name = limit.column.name
            ranges[name] = ranges.get(name, Interval()) & limit.interval
        elif _is_plain(condition):
            others[Condition(text_of(condition), tuple(sorted(columns(condition))))] = None
    used = frozenset[str]().union(*map(columns, (*conditions, *values))) - {TIME}
    parts = tuple(name for name, _ in stream.schema if name in used)
    known = tuple((name, bounds(one)) for name, one in ranges.items())
    return Properties(stream.name, "rows", known, tuple(others), parts or _first(stream))


def _first(stream: algebra.Stream) -> tuple[str, ...]:
    """A query that only counts rows still needs them."""
    return tuple(name for name, _ in stream.schema)[:1]


def _folded(condition: Expression) -> Expression:
    """With whole numbers that are compared with doubles as doubles."""
    match condition:
        case Cast(operand=Literal(value=int(value))) if (
            condition.type.name == "double" and abs(value) < 2**53
        ):
            return Literal(condition.type, float(value))
    return rebuild(condition, Expression, _folded)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 2**53


def _is_plain(condition: Expression) -> bool:
    """Whether the text of a condition is a condition of CQL that means the same."""
    for part in condition.walk():
        match part:
            case algebra.expressions.Call(function=function) if function in _PLAIN:
                pass
            case Column() | Literal(value=str() | bool()):
                pass
            case Literal(value=value) if _is_number(value):
                pass
            case _:
                return False
    return True


def is_implied(column: str, known: Range, stream: Properties) -> bool:
    """Whether every row of the stream has its column in a range."""
    return interval(dict(stream.ranges).get(column, EVERYTHING)) <= interval(known)
