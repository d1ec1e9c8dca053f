"""Rows of several values in conditions, as conditions on their values.

(a, b) = (1, 2)                  a = 1 AND b = 2
(a, b) IN ((1, 2), (3, 4))       (a = 1 AND b = 2) OR (a = 3 AND b = 4)
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from slackwater.base.span import Span
from slackwater.bind import errors
from slackwater.bind.binding import Binding

Node = exp.Expression


def is_of_rows(node: Node) -> bool:
    """Whether rows of several values are compared, and not with a query."""
    right = node.expressions or [node.args.get("expression")]
    return isinstance(node.this, exp.Tuple) and any(isinstance(side, exp.Tuple) for side in right)


def compared_rows(node: Node, binding: Binding, span: Span) -> Node | None:
    """The comparison of rows as one of values; None after an error."""
    left = node.this
    others = list(node.expressions) if isinstance(node, exp.In) else [node.expression]
    for other in others:
        count = len(other.expressions) if isinstance(other, exp.Tuple) else 1
        if count != len(left.expressions):
            what = "a comparison of rows"
            binding.report(errors.column_counts(what, len(left.expressions), count, binding.span(other)))
            return None
    equal = _joined(exp.Or, [_equal(left, other) for other in others])
    compared = exp.Not(this=equal) if isinstance(node, exp.NEQ) else equal
    compared.meta.update(start=span.start, end=span.end - 1)
    return compared


def _equal(left: Node, right: Node) -> Node:
    pairs = zip(left.expressions, right.expressions, strict=True)
    return _joined(exp.And, [exp.EQ(this=one.copy(), expression=other.copy()) for one, other in pairs])


def _joined(connector: type[exp.And | exp.Or], conditions: Sequence[Node]) -> Node:
    """The conditions joined by halves, so that the expression is not as deep as there are conditions."""
    if len(conditions) == 1:
        return conditions[0]
    half = len(conditions) // 2
    sides = [_joined(connector, part) for part in (conditions[:half], conditions[half:])]
    return connector(this=exp.Paren(this=sides[0]), expression=exp.Paren(this=sides[1]))
