"""BETWEEN, and BETWEEN SYMMETRIC, whose bounds may be in either order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from slackwater.algebra.expressions import Call, Expression
from slackwater.algebra.types import BOOLEAN
from slackwater.base.span import Span

if TYPE_CHECKING:
    from slackwater.bind.expressions import Expressions


def between(binder: Expressions, node: exp.Between, span: Span) -> Expression:
    """x BETWEEN a AND b is a <= x AND x <= b; SYMMETRIC: that, or b <= x AND x <= a."""
    value, low, high = (binder.bind(part) for part in (node.this, node.args["low"], node.args["high"]))
    inside = _within(binder, value, low, high, span)
    if not node.args.get("symmetric"):
        return inside
    return Call(BOOLEAN, "or", (inside, _within(binder, value, high, low, span)), origin=span)


def _within(
    binder: Expressions, value: Expression, low: Expression, high: Expression, span: Span
) -> Expression:
    above = binder.applied("ge", [value, low], span)
    below = binder.applied("le", [value, high], span)
    return Call(BOOLEAN, "and", (above, below), origin=span)
