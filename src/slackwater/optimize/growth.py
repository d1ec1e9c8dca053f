"""State that grows for as long as a query runs: operators that keep rows which never leave their window.

    S [RANGE UNBOUNDED] ⋈ T [RANGE 5]      every row of S is kept for partners to come
    α k count (S [RANGE UNBOUNDED])        one number for each k: no more than there are values of k

A relation is taken to be as large as it is: it is bounded by its keys, or by the deletions in its data.
Windows by the time of a stream are over at some time, and leave the state (`facts.closing`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from slackwater import algebra
from slackwater.algebra import Operator, problems
from slackwater.algebra.bags import Counted
from slackwater.algebra.expressions import Aggregation, Column
from slackwater.algebra.expressions.aggregates import LINEAR
from slackwater.algebra.monotonic import is_monotonic
from slackwater.algebra.operator import once
from slackwater.base.diagnostic import Diagnostic
from slackwater.base.span import Span
from slackwater.base.time import INFINITY
from slackwater.optimize.facts.closing import equal_delays, first_to_close, session_delay
from slackwater.optimize.facts.sessions import by_start

Windows = frozenset[Span | None]
_TAKING_BACK = (
    algebra.Relation, algebra.Distinct, algebra.SemiJoin, algebra.Intersect, algebra.MaxUnion,
)  # fmt: skip
"""Operators whose kernels may take elements back even if no row leaves."""


class Growth(NamedTuple):
    """An operator that keeps the rows of a window for ever, and where the window stands."""

    operator: Operator
    state: str
    window: Span | None

    @property
    def warning(self) -> Diagnostic:
        return problems.UNBOUNDED_STATE.at(self.window, state=self.state)


def growths(plan: Operator) -> Iterator[Growth]:
    """What an optimized plan keeps for ever: each operator, and each window whose rows it keeps."""
    for node in plan.walk():
        state, inputs = _state(node)
        if isinstance(node, algebra.Recognize) and node.within >= INFINITY:
            yield Growth(
                node, "a pattern without WITHIN keeps rows for as long as they may match", node.origin
            )
        for window in (window for below in inputs for window in sorted(_growing(below), key=_place)):
            yield Growth(node, state, window)


def warnings(plan: Operator) -> list[Diagnostic]:
    """A warning for each window whose rows an optimized plan keeps for ever."""
    first: dict[Span | None, Growth] = {}
    for growth in growths(plan):
        first.setdefault(growth.window, growth)
    return [growth.warning for growth in first.values()]


def _place(span: Span | None) -> int:
    return -1 if span is None else span.start


def _state(plan: Operator) -> tuple[str, tuple[Operator, ...]]:
    """What the operator keeps, and of which inputs."""
    match plan:
        case _ if _is_closed(plan):
            return "", ()
        case algebra.Join() | algebra.Product() | algebra.OuterJoin() | algebra.BestMatch():
            return "a join keeps every row", plan.inputs
        case algebra.SemiJoin() | algebra.AntiJoin():
            # Of the other side it is enough to keep the values that are compared.
            return "a join keeps every row", (plan.left,)
        case algebra.Aggregate() if ordered := [
            call for _, call in plan.aggregations if not _is_small(call, plan.source)
        ]:
            return f"{ordered[0].name.upper()} keeps every value", plan.inputs
        case algebra.Aggregate() if any(call.distinct for _, call in plan.aggregations):
            return "an aggregate of DISTINCT values keeps every value", plan.inputs
        case algebra.Over(limit=limit) if limit is not None and _is_final(plan.source):
            return "", ()  # Rows beyond the limit never move up.
        case algebra.Over():
            word = "LIMIT" if plan.limit is not None else "a window function"
            return f"{word} keeps every row", plan.inputs
        case algebra.Aggregate() if _of_windows(plan):
            return "an aggregate keeps a row for each window", plan.inputs
        case algebra.Distinct():
            return "DISTINCT keeps every row", plan.inputs
        case algebra.Union():
            return "", ()
        case Counted():
            return "a set operation keeps every row", plan.inputs
        case algebra.Sessions():
            return "SESSION keeps every row", plan.inputs
        case algebra.Rstream():
            return "Rstream keeps every row", plan.inputs
        case _:
            return "", ()


def _is_small(call: Aggregation, source: Operator) -> bool:
    """Whether the aggregate needs a few numbers for each group: sums, or of values that stay the best one."""
    return call.function in LINEAR or (call.function in ("min", "max") and _is_final(source))


@once
def _is_final(plan: Operator) -> bool:
    """Whether no row is ever taken back, as kernels see it (`physical.final`)."""
    return is_monotonic(plan) and not any(isinstance(below, _TAKING_BACK) for below in plan.walk())


def _is_closed(plan: Operator) -> bool:
    """Whether the state of each key is dropped when nothing about it changes any more."""
    match plan:
        case algebra.Aggregate() if by_start(plan) is not None:
            return True
        case algebra.Aggregate() | algebra.Distinct() | algebra.Over():
            return first_to_close(plan) is not None
        case algebra.Join():
            return any(equal_delays(plan))
        case algebra.Sessions():
            return session_delay(plan) is not None
    return False


def _of_windows(plan: algebra.Aggregate) -> bool:
    """Whether it groups by the start or end of windows, of which there are more and more."""
    bounds = _bounds(plan.source)
    return any(isinstance(key, Column) and key.name in bounds for _, key in plan.keys)


@once
def _bounds(plan: Operator) -> frozenset[str]:
    """The columns that are the start or the end of a window."""
    match plan:
        case algebra.Assign() | algebra.Sessions():
            return _bounds(plan.source) | {plan.start, plan.end}
        case algebra.Project():
            below = _bounds(plan.source)
            values = ((name, expr) for name, expr in plan.columns if isinstance(expr, Column))
            return frozenset(name for name, expr in values if expr.name in below)
        case algebra.Select() | algebra.Group():
            return _bounds(plan.source)
    return frozenset()


@once
def _growing(plan: Operator) -> Windows:
    """Where the windows stand whose rows never leave the relation."""
    match plan:
        case algebra.Range() if plan.is_unbounded:
            return frozenset((plan.origin,))
        case algebra.Rows() if plan.count >= INFINITY and plan.within >= INFINITY:
            return frozenset((plan.origin,))
        case (
            algebra.Select()
            | algebra.Project()
            | algebra.Group()
            | algebra.Unnest()
            | algebra.Distinct()
            | algebra.Single()
        ):
            return _growing(plan.source)
        case algebra.Assign() | algebra.Sessions() | algebra.Over(limit=None):
            return _growing(plan.source)
        case algebra.SemiJoin() | algebra.AntiJoin():
            return _growing(plan.left)
        case algebra.Join() | algebra.Product() | algebra.OuterJoin() | algebra.BestMatch() | Counted():
            return _growing(plan.left) | _growing(plan.right)
        case _:
            return frozenset()
