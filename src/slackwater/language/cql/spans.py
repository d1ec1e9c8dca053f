"""The span of a node in the text it was parsed from."""

from __future__ import annotations

from sqlglot import exp

from slackwater.base.span import Span, Text


def span_of(node: exp.Expr, text: Text) -> Span:
    """The smallest span of the node and its descendants, or of the nearest ancestor with a position."""
    ancestor: exp.Expr | None = node
    while ancestor is not None:
        places = [place for below in ancestor.walk() if (place := _recorded(below)) is not None]
        if places:
            return text.span(min(start for start, _ in places), max(end for _, end in places))
        ancestor = ancestor.parent
    return text.span()


def _recorded(node: exp.Expr) -> tuple[int, int] | None:
    start, end = node.meta_get("start"), node.meta_get("end")
    # sqlglot's end is the last character, a span's end is one past it.
    return None if start is None or end is None else (start, end + 1)
