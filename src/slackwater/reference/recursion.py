"""Recursion at one instant, by its definition: round after round, all of it each time."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

from slackwater import algebra
from slackwater.algebra.errors import endless_recursion
from slackwater.algebra.recursion import MOST_ROUNDS
from slackwater.base.diagnostic import EngineError
from slackwater.reference.bags import Bag, merge


def recursive(plan: algebra.Recursion, start: Bag, body: Callable[[Bag], Bag]) -> Bag:
    """The rows of the recursion, from those that it starts with."""
    return _least(plan, start, body) if plan.distinct else _rounds(plan, start, body)


def _least(plan: algebra.Recursion, start: Bag, body: Callable[[Bag], Bag]) -> Bag:
    """X₀ = δ R, Xᵢ₊₁ = δ (R ∪ B(Xᵢ)): the first that equals the one before is the least fixed point."""
    rows = dict.fromkeys(start, 1)
    for number in count():
        _check(plan, number)
        more = dict.fromkeys({**start, **body(rows)}, 1)
        if more == rows:
            return rows
        rows = more
    raise AssertionError


def _rounds(plan: algebra.Recursion, start: Bag, body: Callable[[Bag], Bag]) -> Bag:
    """Σ Wᵢ, W₀ = R, Wᵢ₊₁ = B(Wᵢ), up to the first that is empty."""
    total: Bag = {}
    rows = start
    for number in count():
        if not rows:
            return total
        _check(plan, number)
        merge(total, rows)
        rows = body(rows)
    raise AssertionError


def _check(plan: algebra.Recursion, number: int) -> None:
    if number >= MOST_ROUNDS:
        raise EngineError(endless_recursion(plan.origin, MOST_ROUNDS))
