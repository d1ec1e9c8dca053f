"""What the conditions of a block say: classes of equal columns, ranges, the rest.      Goldstein, Larson 3.1

A condition that is true says of its columns that they are not NULL, if it is unknown for a NULL. So a = b
makes a and b one class of columns that have the same value and no NULL; 3 < a is a range of its class.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal
from typing import Any, NamedTuple

from slackwater.algebra.expressions import Aggregation, Call, Column, Expression, Literal
from slackwater.algebra.types import Type
from slackwater.base.tree import rebuild
from slackwater.optimize.facts.nulls import is_null_with

Classes = Mapping[str, str]
"""The representative of a column's class, for columns that have one besides themselves."""
_MIRRORED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq"}
_COMMUTING = frozenset(("eq", "ne", "and", "or", "add", "multiply", "is_not_distinct_from"))


class End(NamedTuple):
    """An end of a range: a value, and whether it belongs to the range."""

    value: Any
    is_closed: bool


@dataclass(frozen=True, slots=True)
class Interval:
    """The values between two ends; None is no end on that side."""

    low: End | None = None
    high: End | None = None

    def __and__(self, other: Interval) -> Interval:
        lows = [end for end in (self.low, other.low) if end is not None]
        highs = [end for end in (self.high, other.high) if end is not None]
        return Interval(
            max(lows, key=lambda end: (end.value, not end.is_closed), default=None),
            min(highs, key=lambda end: (end.value, end.is_closed), default=None),
        )

    def __or__(self, other: Interval) -> Interval:
        """The least range that has both."""
        low = high = None
        if self.low is not None and other.low is not None:
            low = min(self.low, other.low, key=lambda end: (end.value, not end.is_closed))
        if self.high is not None and other.high is not None:
            high = max(self.high, other.high, key=lambda end: (end.value, end.is_closed))
        return Interval(low, high)

    def __le__(self, other: Interval) -> bool:
        """Whether each value is one of the other range."""
        return self & other == self

    @property
    def is_point(self) -> bool:
        return self.low is not None and self.low == self.high and self.low.is_closed


class Bound(NamedTuple):
    """A condition that bounds one column."""

    column: Column
    interval: Interval
    literal: Literal


def bound(condition: Expression) -> Bound | None:
    """The condition as a range of a column, if it compares one with a literal of its kind."""
    match condition:
        case Call(function=function, arguments=(Column() as one, Literal() as other)) if (
            function in _MIRRORED
        ):
            return _bound(one, function, other)
        case Call(function=function, arguments=(Literal() as other, Column() as one)) if (
            function in _MIRRORED
        ):
            return _bound(one, _MIRRORED[function], other)
    return None


def _bound(one: Column, function: str, other: Literal) -> Bound | None:
    if not _is_comparable(one.type, other.value):
        return None
    match function:
        case "eq":
            end = End(other.value, True)
            return Bound(one, Interval(end, end), other)
        case "lt" | "le":
            return Bound(one, Interval(high=End(other.value, function == "le")), other)
        case _:
            return Bound(one, Interval(low=End(other.value, function == "ge")), other)


def _is_comparable(type_: Type, value: Any) -> bool:
    """Whether comparing values of the type with this one is comparing them as Python does."""
    match value:
        case bool() | None:
            return False
        case int():
            return type_.is_integer or type_.is_decimal or (type_.is_floating and abs(value) < 2**53)
        case float():
            return type_.name == "double" and value == value
        case Decimal():
            return type_.is_decimal
        case str():
            return type_.name == "string"
        case datetime():
            return type_.name in ("timestamp", "timestamp_ntz")
        case date():
            return type_.name == "date"
    return False


@dataclass(frozen=True, slots=True)
class Facts:
    """What a list of conditions says; columns are representatives of their classes."""

    classes: Classes
    ranges: Mapping[str, Interval]
    literals: Mapping[str, Literal]
    """The value of a column that has only one."""
    not_null: frozenset[str]
    residuals: frozenset[Expression]

    def of(self, name: str) -> str:
        return self.classes.get(name, name)

    def implies(self, condition: Expression) -> bool:
        """Whether a row that all the conditions accept is accepted by this one, too. True is a promise."""
        if (pair := equal_columns(condition)) is not None:
            return self.of(pair[0]) == self.of(pair[1]) and self.of(pair[0]) in self.not_null
        if (limit := bound(condition)) is not None:
            return self.ranges.get(self.of(limit.column.name), Interval()) <= limit.interval
        if (name := _not_null(condition)) is not None:
            return self.of(name) in self.not_null
        return canonical(condition, self.classes) in self.residuals


def facts_of(conditions: Iterable[Expression]) -> Facts:
    """What the conditions say together."""
    conditions = list(conditions)
    classes = _classes(conditions)
    ranges: dict[str, Interval] = {}
    literals: dict[str, Literal] = {}
    residuals: set[Expression] = set()
    for condition in conditions:
        if (limit := bound(condition)) is not None:
            name = classes.get(limit.column.name, limit.column.name)
            ranges[name] = ranges.get(name, Interval()) & limit.interval
            if limit.interval.is_point and limit.literal.type == limit.column.type:
                literals[name] = limit.literal
        elif equal_columns(condition) is None and _not_null(condition) is None:
            residuals.add(canonical(condition, classes))
    names = {part.name for condition in conditions for part in condition.walk() if isinstance(part, Column)}
    not_null = {name for name in names if any(_rejects(condition, name) for condition in conditions)}
    return Facts(
        classes,
        ranges,
        literals,
        frozenset(classes.get(name, name) for name in not_null),
        frozenset(residuals),
    )


def equal_columns(condition: Expression) -> tuple[str, str] | None:
    """The two columns of a = b, of one type in which equal values are the same."""
    match condition:
        case Call(function="eq", arguments=(Column() as one, Column() as other)):
            if one.type == other.type and not one.type.is_floating:
                return one.name, other.name
    return None


def _classes(conditions: Iterable[Expression]) -> dict[str, str]:
    above: dict[str, str] = {}

    def root(name: str) -> str:
        while name in above:
            name = above[name]
        return name

    for condition in conditions:
        if (pair := equal_columns(condition)) is not None:
            one, other = sorted((root(pair[0]), root(pair[1])))
            if one != other:
                above[other] = one
    return {name: root(name) for name in above}


def _not_null(condition: Expression) -> str | None:
    match condition:
        case Call(function="not", arguments=(Call(function="is_null", arguments=(Column() as one,)),)):
            return one.name
    return None


def _rejects(condition: Expression, name: str) -> bool:
    """Whether the condition is not true of a row in which the column is NULL."""
    return _not_null(condition) == name or is_null_with(condition, frozenset((name,)))


def canonical(expr: Expression, classes: Classes) -> Expression:
    """One form of expressions that are equal because columns are, or because a function commutes."""

    def changed(part: Expression) -> Expression:
        if isinstance(part, Column):
            return Column(part.type, classes.get(part.name, part.name))
        part = rebuild(part, Expression, changed)
        if isinstance(part, Call) and len(part.arguments) == 2:
            one, other = part.arguments
            if part.function in ("gt", "ge"):
                return Call(part.type, _MIRRORED[part.function], (other, one))
            if part.function in _COMMUTING and repr(other) < repr(one):
                return Call(part.type, part.function, (other, one))
        return part

    return changed(expr)


def canonical_call(call: Aggregation, classes: Classes) -> Aggregation:
    argument = None if call.argument is None else canonical(call.argument, classes)
    # The least and the greatest of different values are those of all.
    distinct = call.distinct and call.function not in ("min", "max")
    return replace(call, argument=argument, distinct=distinct, origin=None)


def readable(condition: Expression) -> Expression:
    """The condition with its literal on the right, as people write it."""
    match condition:
        case Call(function=function, arguments=(Literal() as one, other)) if function in _MIRRORED:
            return Call(condition.type, _MIRRORED[function], (other, one))
    return condition
