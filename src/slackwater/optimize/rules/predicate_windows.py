"""Predicate windows: conditions on the current time, as near to their stream as possible.      SyncSQL 2.2

SELECT * FROM R(S) WHERE NOW - 5 < TS AND TS <= NOW          S [SLIDING 5]
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from slackwater.algebra import Operator, Project, Range, Sliding, When
from slackwater.algebra.expressions import Call, Column, Expression, Literal, conjuncts
from slackwater.algebra.now import isolated
from slackwater.base.rules import rule
from slackwater.optimize.build import every
from slackwater.optimize.facts.failing import may_fail
from slackwater.optimize.facts.time_points import comes_at
from slackwater.optimize.rebuild import substituted
from slackwater.optimize.rules.windows import is_whole


@rule
def push_when_below_project(plan: When) -> Operator | None:
    """(π f R) when p = π f (R when (p ∘ f))

    Predicate windows come near the stream that they are windows of.
    """
    match plan:
        case When(source=Project() as project):
            inside = substituted(plan.predicate, dict(project.columns))
            return project.over(replace(plan, source=project.source, predicate=inside))
    return None


@rule
def merge_whens(plan: When) -> Operator | None:
    """(R when p) when q = R when (p ∧ q), if both look at the time at the same points and q cannot fail

    A view over a window, with a condition on the time of its own: an element is cut once.
    """
    match plan:
        case When(source=When() as inner) if plan.points == inner.points and not may_fail(plan.predicate):
            both = every((*conjuncts(inner.predicate), *conjuncts(plan.predicate)))
            return replace(inner, predicate=both)
    return None


@rule
def drop_when_of_the_past(plan: When) -> Operator | None:
    """R when (TS <= NOW ∧ q) = R when q, if every row comes at its TS

    A row is not there before it comes.
    """
    match plan:
        case When() if plan.points.is_all:
            parts = conjuncts(plan.predicate)
            rest = [part for part in parts if not _is_past(part, plan.source)]
            if len(rest) < len(parts):
                return replace(plan, predicate=every(rest)) if rest else plan.source
    return None


@rule
def recognize_time_window(plan: When) -> Operator | None:
    """(ω ∞ S) when NOW < TS + w = ω w S, the sliding window, if rows come at TS      SyncSQL 2.2.1

    And NOW <= TS + r is CQL's Range r. The end of an element is then known when it comes.
    """
    match plan:
        case When(source=Range() as window) if plan.points.is_all and is_whole(window):
            first, *rest = conjuncts(plan.predicate)
            shorter = _window(first, window)
            if shorter is not None:
                return replace(plan, source=shorter, predicate=every(rest)) if rest else shorter
    return None


def _window(condition: Expression, window: Range) -> Operator | None:
    """The window whose rows are those of an unbounded one of which the condition is true."""
    compared = isolated(condition)
    if compared is None:
        return None
    for name in window.schema.names:
        offset = _offset(compared.value, name)
        if offset is not None and comes_at(window.source, name):
            match compared.comparison:
                case "lt" if offset >= 1:
                    return Sliding(window.source, offset, origin=condition.origin)
                case "le" if offset >= 0:
                    return Range(window.source, offset, origin=condition.origin)
    return None


def _is_past(condition: Expression, source: Operator) -> bool:
    """Whether it says that a row's stamp is not in the future, or less."""
    match isolated(condition):
        case (comparison, value) if comparison in ("ge", "gt"):
            for name in source.schema.names:
                offset = _offset(value, name)
                if offset is not None and offset <= (0 if comparison == "ge" else -1):
                    return comes_at(source, name)
    return False


def _offset(value: Expression, name: str) -> int | None:
    """k, where the value is the column plus k chronons."""
    match value:
        case Column():
            return 0 if value.name == name else None
        case Call(
            function="add" | "subtract" as function, arguments=(Column() as stamp, Literal(value=length))
        ):
            if stamp.name != name or length is None:
                return None
            count = _chronons(length)
            return None if count is None else count if function == "add" else -count
        case Call(function="add", arguments=(Literal() as length, Column() as stamp)):
            return _offset(Call(value.type, "add", (stamp, length)), name)
    return None


def _chronons(length: object) -> int | None:
    """A length of time as a number of chronons; those of a calendar are microseconds."""
    if isinstance(length, timedelta):
        return length // timedelta(microseconds=1)
    return length if isinstance(length, int) else None


RULES = (push_when_below_project, merge_whens, drop_when_of_the_past, recognize_time_window)
