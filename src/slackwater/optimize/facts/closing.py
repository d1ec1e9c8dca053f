"""Closing columns: from some instant on, nothing changes about the rows with a value.

A row of a stream comes at its time, so all rows of a window by this time are there when the window is over:

    time          0 . . . 4 . . . 8 . . . 12
    tumble 4      [ a   b [   c   [ d             at 8 the window [4, 8) has all its rows
    count by end          4:2     8:1             no later row is of the groups 4 and 8

A column closes with a delay d if no row with a value v of it comes, changes or goes at v + d or later. From
then on a group, a partition, and the rows that a join or DISTINCT compares need no state. Their answers stay.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from slackwater import algebra
from slackwater.algebra import Operator
from slackwater.algebra.expressions import Call, Cast, Column, Expression, conjuncts
from slackwater.algebra.operator import once

Delays = Mapping[str, int]
"""The closing columns, with their delays."""
_NONE: Delays = {}


@once
def closing(plan: Operator) -> Delays:
    """The columns that are known to close; not all that do."""
    match plan:
        case _ if plan.subplans:
            return _NONE
        case algebra.Stream(time=time):
            return _NONE if time is None else {time: 1}
        case algebra.Stamp():
            return {**closing(plan.source), plan.column: 1}
        case algebra.Range() if plan.is_unbounded:
            return {name: delay + plan.slide - 1 for name, delay in closing(plan.source).items()}
        case algebra.Assign():
            return {**closing(plan.source), **_windows(plan)}
        case algebra.Sessions():
            delay = session_delay(plan)
            return _NONE if delay is None else {plan.end: delay}
        case algebra.Select() | algebra.Group() | algebra.Distinct() | algebra.Istream():
            return closing(plan.source)
        case algebra.Project():
            return _renamed(plan.columns, closing(plan.source))
        case algebra.Aggregate():
            return _renamed(plan.keys, closing(plan.source))
        case algebra.Over():
            below = closing(plan.source)
            return {name: below[name] for name in plan.partition if name in below}
        case algebra.Join():
            return {name: delay for *both, delay in equal_delays(plan) for name in both}
        case algebra.Union():
            left, right = closing(plan.left), closing(plan.right)
            pairs = zip(plan.left.schema.names, plan.right.schema.names, strict=True)
            return {a: max(left[a], right[b]) for a, b in pairs if a in left and b in right}
    return _NONE


def _windows(plan: algebra.Assign) -> Delays:
    """Of a row in a window [s, e): its time is before e, and before s + the size."""
    delay = closing(plan.source).get(column_in(plan.time))
    return _NONE if delay is None else {plan.end: delay - 1, plan.start: plan.size + delay - 1}


def session_delay(plan: algebra.Sessions) -> int | None:
    """The delay of the time of rows in sessions, and of the ends of these, if it is known.

    A session with the end e changes where a row comes whose time is at most e.
    """
    return closing(plan.source).get(column_in(plan.time))


def comes_at_its_time(plan: Operator, name: str) -> bool:
    """Whether each row comes at the instant in the column, and stays."""
    match plan:
        case _ if plan.subplans:
            return False
        case algebra.Stream(time=time):
            return name == time
        case algebra.Stamp():
            return name == plan.column or comes_at_its_time(plan.source, name)
        case algebra.Range(slide=1) if plan.is_unbounded:
            return comes_at_its_time(plan.source, name)
        case algebra.Select() | algebra.Group():
            return comes_at_its_time(plan.source, name)
        case algebra.Project():
            return comes_at_its_time(plan.source, column_in(dict(plan.columns)[name]))
    return False


def _renamed(columns: tuple[tuple[str, Expression], ...], below: Delays) -> Delays:
    pairs = ((name, column_in(expr)) for name, expr in columns)
    return {name: below[source] for name, source in pairs if source in below}


def column_in(expr: Expression) -> str:
    """The column whose value it is, also as a wider number."""
    match expr:
        case Column():
            return expr.name
        case Cast(operand=Column(type=type_) as inside) if type_.is_integer and expr.type.is_integer:
            return inside.name
    return ""


def equal_delays(plan: algebra.Join) -> Iterator[tuple[str, str, int]]:
    """The columns of either side that are equal in all pairs and both close, with the longer delay."""
    left, right = closing(plan.left), closing(plan.right)
    for condition in conjuncts(plan.on):
        match condition:
            case Call(function="eq", arguments=(Column() as one, Column() as two)) if one.type == two.type:
                for a, b in ((one.name, two.name), (two.name, one.name)):
                    if a in left and b in right:
                        yield a, b, max(left[a], right[b])


def first_to_close(plan: Operator, among: tuple[str, ...] | None = None) -> tuple[str, int] | None:
    """The column that closes first, of all or of those, and its delay."""
    delays = ((delay, name) for name, delay in closing(plan).items() if among is None or name in among)
    first = min(delays, default=None)
    return None if first is None else (first[1], first[0])
