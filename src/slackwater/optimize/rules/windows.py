"""Windows that need not be kept.      CQL 10.1"""

from __future__ import annotations

from collections.abc import Callable

from slackwater.algebra import Group, Istream, Operator, Project, Range, Rstream, Select
from slackwater.algebra.monotonic import is_monotonic
from slackwater.base.rules import rule


@rule
def reduce_istream_of_unbounded(plan: Istream) -> Operator | None:
    """Istream (L (ω ∞ S)) = L S, if L is made of σ, π and γ only      CQL 10.1

    Everything that ever came is kept for nothing: what is new at t is what came at t. Not with δ in
    L: a row that comes again is not new; and not with a slide, which shows elements late.
    """
    return _on_stream(plan.source, is_whole)


@rule
def reduce_rstream_of_now(plan: Rstream) -> Operator | None:
    """Rstream (L (ω 0 S)) = L S, if L is made of σ, π and γ only      CQL 10.1

    What is there at t is what came at t. Istream in its place is not the same: a row that comes at
    t and again at t + 1 is new only once.
    """
    return _on_stream(plan.source, lambda window: window.is_now)


@rule
def drop_unbounded_over_istream(plan: Range) -> Operator | None:
    """ω ∞ (Istream R) = R, if R is monotonic

    All that came, less nothing that went. A relation that loses rows is not given back: [a] at 1,
    [] at 2 would be [a] for ever.
    """
    match plan:
        case Range(source=Istream() as stream) if is_whole(plan) and is_monotonic(stream.source):
            return stream.source
    return None


@rule
def drop_now_over_rstream(plan: Range) -> Operator | None:
    """ω 0 (Rstream R) = R"""
    match plan:
        case Range(source=Rstream() as stream) if plan.is_now:
            return stream.source
    return None


def is_whole(window: Range) -> bool:
    """Whether the window shows everything up to now, from when it comes."""
    return window.is_unbounded and window.slide == 1


def _on_stream(plan: Operator, fits: Callable[[Range], bool]) -> Operator | None:
    """L S for L (ω S), if the window fits."""
    match plan:
        case Range() if fits(plan):
            return plan.source
        case Select() | Project() | Group():
            below = _on_stream(plan.source, fits)
            return None if below is None else plan.over(below)
        case _:
            return None


RULES = (
    reduce_istream_of_unbounded,
    reduce_rstream_of_now,
    drop_unbounded_over_istream,
    drop_now_over_rstream,
)
