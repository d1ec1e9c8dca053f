"""What can go wrong while a plan is evaluated."""

from __future__ import annotations

from slackwater.algebra.operator import Operator
from slackwater.base.diagnostic import Diagnostic


def endless_stream(plan: Operator) -> Diagnostic:
    return Diagnostic(
        "endless-stream",
        "this Rstream would repeat its relation without end",
        span=plan.origin,
        label="the relation has rows at more instants than can be written down",
        detail="Rstream emits every row at every instant; a relation that keeps its rows has no last one.",
        hint="Apply Rstream to a [Now] window, or use Istream to stream only what is new.",
    )
