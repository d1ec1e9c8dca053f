"""Groups of sessions whose rows come in the order of their times: the start of a session never changes.

    α k s e f (S in sessions) = π e = m + g (α k s f, m = MAX c (S with starts))      k the keys of sessions

That is one change for each row that comes, where the rows of a session otherwise all get another end. With
further keys a group would have some rows of a session, and not the last one.
"""

from __future__ import annotations

from slackwater import algebra
from slackwater.algebra.expressions import Aggregation, Column, Expression, column
from slackwater.optimize.facts.closing import column_in, comes_at_its_time
from slackwater.optimize.facts.columns import columns

LAST, START = "0: last", "0: start"


def by_start(plan: algebra.Aggregate) -> algebra.Aggregate | None:
    """The groups of sessions by their starts, with the time of the last row; None where that is no group."""
    sessions = plan.source
    if not isinstance(sessions, algebra.Sessions):
        return None
    if not comes_at_its_time(sessions.source, column_in(sessions.time)):
        return None
    keys = [expr for _, expr in plan.keys]
    bounds = {expr.name for expr in keys if isinstance(expr, Column)} & {sessions.start, sessions.end}
    others = [expr for expr in keys if not is_column(expr, sessions.end)]
    arguments = [call.argument for _, call in plan.aggregations if call.argument is not None]
    if not bounds or {expr for expr in others if not is_column(expr, sessions.start)} != set(sessions.keys):
        return None
    if any(sessions.end in columns(expr) for expr in arguments):
        return None
    if any(call.distinct and call.function not in ("min", "max") for _, call in plan.aggregations):
        return None
    grouped = [(name, expr) for name, expr in plan.keys if not is_column(expr, sessions.end)]
    if sessions.start not in bounds:
        grouped.append((START, column(sessions.start, sessions.time.type)))
    last = Aggregation(sessions.time.type, "max", sessions.time)
    return algebra.Aggregate(sessions, tuple(grouped), (*plan.aggregations, (LAST, last)), origin=plan.origin)


def is_column(expr: Expression, name: str) -> bool:
    """Whether the expression is the column of that name."""
    return isinstance(expr, Column) and expr.name == name
