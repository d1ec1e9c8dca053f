"""What can go wrong while a plan is evaluated."""

from __future__ import annotations

from slackwater.base.diagnostic import Diagnostic
from slackwater.base.span import Span


def several_rows(origin: Span | None, count: int) -> Diagnostic:
    return Diagnostic(
        "scalar-subquery-rows",
        "a subquery used as a value has more than one row",
        span=origin,
        label=f"{count} rows at this instant",
        hint="Aggregate the rows to one, or use IN or EXISTS.",
    )


def endless_stream(origin: Span | None) -> Diagnostic:
    return Diagnostic(
        "endless-stream",
        "this Rstream would repeat its relation without end",
        span=origin,
        label="the relation has rows at more instants than can be written down",
        detail="Rstream emits every row at every instant; a relation that keeps its rows has no last one.",
        hint="Apply Rstream to a [Now] window, or use Istream to stream only what is new.",
    )
