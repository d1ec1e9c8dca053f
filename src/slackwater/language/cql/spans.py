"""Where a node of a tree stands in the text it was parsed from."""

from __future__ import annotations

from sqlglot import exp

from slackwater.base.span import Span, Text, hull


def span_of(node: exp.Expr, text: Text) -> Span:
    """The hull of what is recorded for the node and below it; else the nearest node above it."""
    place: exp.Expr | None = node
    while place is not None:
        found = hull([span for below in place.walk() if (span := _recorded(below, text))])
        if found is not None:
            return found
        place = place.parent
    return text.span()


def _recorded(node: exp.Expr, text: Text) -> Span | None:
    start, end = node.meta_get("start"), node.meta_get("end")
    # sqlglot's end is the last character, a span's end is behind it.
    return None if start is None or end is None else text.span(start, end + 1)
