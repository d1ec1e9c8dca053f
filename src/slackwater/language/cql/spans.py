"""The span of a node in the text it was parsed from."""

from __future__ import annotations

from sqlglot import exp

from slackwater.base.span import Span, Text, hull


def span_of(node: exp.Expr, text: Text) -> Span:
    """The hull of the positions of the node and its descendants, or of the nearest ancestor with any."""
    ancestor: exp.Expr | None = node
    while ancestor is not None:
        span = hull([part for below in ancestor.walk() if (part := _recorded(below, text))])
        if span is not None:
            return span
        ancestor = ancestor.parent
    return text.span()


def _recorded(node: exp.Expr, text: Text) -> Span | None:
    start, end = node.meta_get("start"), node.meta_get("end")
    # sqlglot's end is the last character, a span's end is one past it.
    return None if start is None or end is None else text.span(start, end + 1)
