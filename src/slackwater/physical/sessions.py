"""Sessions of rows in order: a row comes to the last session of its key, or begins one.

    time      1   3       7   9        gap 2
    start     1   1       7   7        what a row has when it comes, for ever
    end       3   5       9   11       of the whole session, as rows come

So the groups of sessions are those of their starts, and the end is an aggregate (`optimize.facts.sessions`).
"""

from __future__ import annotations

from datetime import timedelta

from slackwater import algebra
from slackwater.algebra.expressions import Call, Column, Literal, column
from slackwater.algebra.schema import Schema
from slackwater.algebra.types import BIGINT, INTERVAL
from slackwater.optimize.facts.sessions import LAST, is_column
from slackwater.physical import steps
from slackwater.physical.graph import Graph


def sessions_of(plan: algebra.Sessions, graph: Graph, place: int, delay: int | None, end: str) -> int:
    """The rows of a place with their sessions. Keys become columns: elements are exchanged by columns."""
    own = [(name, column(name, type_)) for name, type_ in plan.source.schema]
    computed = {
        key: f"{number}: {plan.start}" for number, key in enumerate(plan.keys) if not isinstance(key, Column)
    }
    names = tuple(key.name if isinstance(key, Column) else computed[key] for key in plan.keys)
    pairs = (*own, *((name, key) for key, name in computed.items()))
    inside = Schema(tuple((name, expr.type) for name, expr in pairs))
    if computed:
        place = graph.add(steps.Map(pairs, origin=plan.origin), (place,), inside)
    step = steps.Sessions(plan.time, plan.gap, names, plan.start, end, delay, origin=plan.origin)
    bounds = Schema(plan.schema.columns[-2:] if end else plan.schema.columns[-2:-1])
    place = graph.add(step, (place,), inside + bounds)
    if not computed:
        return place
    shown = plan.source.schema + bounds
    columns_shown = tuple((name, column(name, type_)) for name, type_ in shown)
    return graph.add(steps.Map(columns_shown, origin=plan.origin), (place,), shown)


def with_ends(plan: algebra.Aggregate, graph: Graph, place: int) -> int:
    """The rows of groups by start, as the aggregate has them."""
    sessions = plan.source
    assert isinstance(sessions, algebra.Sessions)
    type_ = sessions.time.type
    gap = (
        Literal(BIGINT, sessions.gap)
        if type_ == BIGINT
        else Literal(INTERVAL, timedelta(microseconds=sessions.gap))
    )
    end = Call(type_, "add", (column(LAST, type_), gap), origin=sessions.origin)
    ends = {name for name, expr in plan.keys if is_column(expr, sessions.end)}
    shown = tuple((name, end if name in ends else column(name, kind)) for name, kind in plan.schema)
    return graph.add(steps.Map(shown, origin=plan.origin), (place,), plan.schema)
