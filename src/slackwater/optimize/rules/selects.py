"""Selections go down: the earlier a row is dropped, the less there is to keep, ship and pair.

A condition that may fail (overflow, a cast) is not moved to where it would see more rows.
"""

from __future__ import annotations

from collections.abc import Callable

from slackwater.algebra import (
    Aggregate,
    AntiJoin,
    Assign,
    Distinct,
    Dstream,
    Fixed,
    Istream,
    MaxUnion,
    Operator,
    Project,
    Range,
    Rows,
    Rstream,
    Select,
    SemiJoin,
    Session,
    Sessions,
    Sliding,
    Union,
)
from slackwater.algebra.bags import Counted
from slackwater.algebra.expressions import Column, Expression, Literal, conjuncts
from slackwater.base.rules import rule
from slackwater.optimize.build import every, selected
from slackwater.optimize.facts.columns import columns
from slackwater.optimize.facts.failing import may_fail
from slackwater.optimize.rebuild import substituted


@rule
def merge_selects(plan: Select) -> Operator | None:
    """σ p (σ q R) = σ (q ∧ p) R

    q stays first: p sees no row that q refuses, since AND stops at false. (A q that is unknown does
    not stop AND, so a p that may fail stays above.)
    """
    match plan:
        case Select(source=Select() as inner) if not may_fail(plan.predicate):
            return (
                inner.over(inner.source)
                if plan.predicate == inner.predicate
                else Select(
                    inner.source,
                    every((*conjuncts(inner.predicate), *conjuncts(plan.predicate))),
                    origin=inner.origin,
                )
            )
    return None


@rule
def drop_true_select(plan: Select) -> Operator | None:
    """σ true R = R"""
    match plan:
        case Select(predicate=Literal(value=True)):
            return plan.source
    return None


@rule
def push_select_below_project(plan: Select) -> Operator | None:
    """σ p (π f R) = π f (σ (p ∘ f) R)

    Renamings stand above every source; conditions have to pass them to come near it. f is computed
    for fewer rows.
    """
    match plan:
        case Select(source=Project() as project):
            inside = substituted(plan.predicate, dict(project.columns))
            return project.over(Select(project.source, inside, origin=plan.origin))
    return None


@rule
def push_select_below_range(plan: Select) -> Operator | None:
    """σ p (ω r S) = ω r (σ p S)      CQL 10.2, PIPES 5.3.1

    The window then holds only what p accepts. With a slide, elements that no window shows would be
    seen as well, so there p must not fail.

    Rows obeys no such law: it counts elements, so selecting first lets older ones back in.
    """
    match plan:
        case Select(source=Range() as window) if window.slide == 1 or not may_fail(plan.predicate):
            return window.over(plan.over(window.source))
    return None


@rule
def push_select_below_sliding(plan: Select) -> Operator | None:
    """σ p (ω w S) = ω w (σ p S), for PIPES' sliding and fixed windows      PIPES 5.3.1

    When an element ends depends on its time alone, never on the elements beside it.
    """
    match plan:
        case Select(source=Sliding() | Fixed() as window):
            return window.over(plan.over(window.source))
    return None


@rule
def push_select_below_partition(plan: Select) -> Operator | None:
    """σ p (ω n by k S) = ω n by k (σ p S), if p is on k only and cannot fail

    A partition is kept or dropped as a whole, so none of its rows lets another back in. On any
    other column p would: of k=1: a, b the newest is b; after σ (x ≠ b) it would be a, not nothing.
    """
    match plan:
        case Select(source=Rows() as window) if columns(plan.predicate) <= set(window.partition):
            if window.partition and not may_fail(plan.predicate):
                return window.over(plan.over(window.source))
    return None


@rule
def push_select_below_session(plan: Select) -> Operator | None:
    """σ p (ω session g by k S) = ω session g by k (σ p S), if p is on k only and cannot fail

    As of row windows: on any other column p would make gaps where there are none.
    """
    match plan:
        case Select(source=Session() as window) if columns(plan.predicate) <= set(window.partition):
            if window.partition and not may_fail(plan.predicate):
                return window.over(plan.over(window.source))
    return None


@rule
def push_select_below_assign(plan: Select) -> Operator | None:
    """σ p (R in W c) = (σ p R) in W c, if p is not on the start and end of windows, and cannot fail

    A row is dropped before it is put into its windows. Rows whose c is NULL are in none: p would see them.
    """
    match plan:
        case Select(source=Assign() as windows) if columns(plan.predicate) <= set(
            windows.source.schema.names
        ):
            if not may_fail(plan.predicate):
                return windows.over(plan.over(windows.source))
    return None


@rule
def push_select_below_sessions(plan: Select) -> Operator | None:
    """σ p (R in sessions by k) = (σ p R) in sessions by k, if p is on k only and cannot fail

    The rows of a key are kept or dropped together. On any other column p would split sessions.
    """
    match plan:
        case Select(source=Sessions() as windows):
            keys = {key.name for key in windows.keys if isinstance(key, Column)}
            if keys >= columns(plan.predicate) and keys and not may_fail(plan.predicate):
                return windows.over(plan.over(windows.source))
    return None


@rule
def push_select_below_union(plan: Select) -> Operator | None:
    """σ p (R ∪ S) = (σ p R) ∪ (σ p S)

    It holds for every operator that only counts a row's copies: -, ∩, ∪max, -strict. Of those the
    right side of - and -strict, and both of ∩, have rows that the result has not: p must not fail.
    """
    match plan:
        case Select(source=Counted() as both):
            if isinstance(both, Union | MaxUnion) or not may_fail(plan.predicate):
                return both.over(plan.over(both.left), plan.over(both.right))
    return None


@rule
def push_select_below_distinct(plan: Select) -> Operator | None:
    """σ p (δ R) = δ (σ p R)

    Fewer rows to count. p looks at a row, not at its copies.
    """
    match plan:
        case Select(source=Distinct() as distinct):
            return distinct.over(plan.over(distinct.source))
    return None


@rule
def push_select_below_aggregate(plan: Select) -> Operator | None:
    """σ p (α g f R) = α g f (σ (p ∘ g) R), if p is on g only and g is not empty

    A group is kept or dropped as a whole. Without g there is always one row, even of nothing: σ
    false above it gives none, below it a COUNT of 0.
    """
    match plan:
        case Select(source=Aggregate(keys=keys) as aggregate) if keys:
            names = {name for name, _ in keys}
            below, rest = _split(plan.predicate, lambda condition: _only_on(condition, names))
            if below:
                inside = [substituted(condition, dict(keys)) for condition in below]
                return selected(aggregate.over(selected(aggregate.source, inside)), rest)
    return None


def _split(
    predicate: Expression, goes_down: Callable[[Expression], bool]
) -> tuple[list[Expression], list[Expression]]:
    """The conditions that go down, and the rest."""
    below = [condition for condition in conjuncts(predicate) if goes_down(condition)]
    return below, [condition for condition in conjuncts(predicate) if condition not in below]


def _only_on(condition: Expression, names: set[str]) -> bool:
    return columns(condition) <= names and not may_fail(condition)


@rule
def push_select_below_to_stream(plan: Select) -> Operator | None:
    """σ p (Istream R) = Istream (σ p R), and so for Dstream and Rstream

    All three treat each row by itself: x is in Istream R at t as often as R(t) has more of it than
    R(t - 1), and p keeps all copies of x or none. Dstream never shows what does not go, so there p
    must not fail.
    """
    match plan:
        case Select(source=Istream() | Rstream() as to_stream):
            return to_stream.over(plan.over(to_stream.source))
        case Select(source=Dstream() as to_stream) if not may_fail(plan.predicate):
            return to_stream.over(plan.over(to_stream.source))
    return None


@rule
def push_select_below_half_join(plan: Select) -> Operator | None:
    """σ p (R ⋉ q S) = (σ p R) ⋉ q S, if p cannot fail; the same for ▷

    Fewer rows look for partners.
    """
    match plan:
        case Select(source=SemiJoin() | AntiJoin() as join):
            below, rest = _split(plan.predicate, lambda condition: not may_fail(condition))
            if below:
                return selected(join.over(selected(join.left, below), join.right), rest)
    return None


RULES = (
    drop_true_select,
    merge_selects,
    push_select_below_project,
    push_select_below_range,
    push_select_below_sliding,
    push_select_below_partition,
    push_select_below_session,
    push_select_below_assign,
    push_select_below_sessions,
    push_select_below_union,
    push_select_below_distinct,
    push_select_below_aggregate,
    push_select_below_to_stream,
    push_select_below_half_join,
)
