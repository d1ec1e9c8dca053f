"""Streams as the inputs of FINAL: their times as a column, and bounds on the time between two rows."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from itertools import count

from slackwater import algebra
from slackwater.algebra import Operator
from slackwater.algebra.expressions import Call, Column, Expression, Literal, conjuncts
from slackwater.algebra.orders import MIN
from slackwater.algebra.rows import renamed
from slackwater.algebra.synchronization import STAMP
from slackwater.algebra.types import Type
from slackwater.base.span import Span
from slackwater.base.time import INFINITY
from slackwater.bind.bestmatch.dimensions import is_distance
from slackwater.bind.bestmatch.join import Match
from slackwater.bind.scope import Field, Scope, Table

_MICROSECOND = timedelta(microseconds=1)
_FARTHEST = INFINITY // 4
"""No two rows are farther apart."""


@dataclass(frozen=True, slots=True)
class Ordered:
    """A stream with its times as a column."""

    plan: Operator
    scope: Scope
    times: frozenset[str]
    """The columns that are its time."""


def ordered(stream: Operator, alias: str, unique: str, time: str | None, type_: Type, span: Span) -> Ordered:
    """The stream with its times in a hidden column, which TS and the name of its time column mean.

    `unique` is the alias in plans, `time` the name of the time column and `type_` the type of time.
    """
    names = (STAMP if number == 1 else f"{STAMP}#{number}" for number in count(1))
    stamp = next(name for name in names if name not in stream.schema)
    stamped = algebra.Stamp(stream, stamp, type_, origin=span)
    internal = tuple(f"{unique}.{name}" for name in stamped.schema.names)
    fields = [*map(Field, stream.schema.names, internal, stream.schema.types)]
    times = {internal[-1], *(field.column for field in fields if _is(field.name, time))}
    for name in (STAMP, time):
        if name is not None and not any(_is(field.name, name) for field in fields):
            fields.append(Field(name, internal[-1], type_, is_hidden=True))
    return Ordered(renamed(stamped, internal), Scope([Table(alias, tuple(fields))]), frozenset(times))


def _is(name: str, other: str | None) -> bool:
    return other is not None and name.lower() == other.lower()


def reach_of(match: Match, left: Ordered, right: Ordered) -> int | None:
    """How many chronons the rows of a pair are apart at most; None if no dimension or condition says so."""
    bounds = [
        dimension.bound
        for dimension in match.dimensions
        if dimension.order == MIN and _is_time_apart(dimension.operands[0], left, right)
    ]
    reaches = [_chronons(bound.value) for bound in bounds if bound is not None]
    for condition in conjuncts(match.condition):
        reach = _reach_in(condition, left, right)
        reaches += [] if reach is None else [reach]
    return min(reaches, default=None)


def _reach_in(condition: Expression, left: Ordered, right: Ordered) -> int | None:
    """How many chronons the rows of a pair are apart at most by a condition."""
    match condition:
        case Call(function="ge" | "gt" as function, arguments=(Literal() as bound, distance)):
            turned = Call(condition.type, "le" if function == "ge" else "lt", (distance, bound))
            return _reach_in(turned, left, right)
        case Call(function="eq", arguments=(Literal() as bound, distance)):
            return _reach_in(Call(condition.type, "eq", (distance, bound)), left, right)
        case Call(function="eq", arguments=(Column() as one, Column() as other)):
            return 0 if _are_times(one, other, left, right) else None
        case Call(function="le" | "lt" | "eq" as function, arguments=(distance, Literal(value=value))):
            if value is None or not _is_time_apart(distance, left, right):
                return None
            # No pair is nearer than 0: none at all is within a reach of 0, too.
            return max(_chronons(value) - (function == "lt" and _is_whole(value)), 0)
    return None


def _is_time_apart(value: Expression, left: Ordered, right: Ordered) -> bool:
    """Whether the value is |r.t - s.t| of the times of both rows."""
    if not is_distance(value):
        return False
    match value.arguments:
        case (Call(function="subtract", arguments=(Column() as one, Column() as other)),):
            return _are_times(one, other, left, right)
    return False


def _are_times(one: Column, other: Column, left: Ordered, right: Ordered) -> bool:
    """Whether the columns are the times of both rows."""
    sides = ((left.times, right.times), (right.times, left.times))
    return any(one.name in here and other.name in there for here, there in sides)


def _chronons(bound: timedelta | float) -> int:
    """A bound of time in chronons, rounded down; with timestamps a chronon is a microsecond."""
    return bound // _MICROSECOND if isinstance(bound, timedelta) else int(min(bound, _FARTHEST))


def _is_whole(bound: timedelta | float) -> bool:
    """Whether a bound is a whole number of chronons."""
    return isinstance(bound, timedelta) or bound == int(min(bound, _FARTHEST))
