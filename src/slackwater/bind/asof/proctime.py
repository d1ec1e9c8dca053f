"""PROCTIME(): the time at which the row of a stream comes.

There is one time line, that of the data, so it is the instant of the row, and not the time of a clock while
it is computed: the answer does not depend on when that is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from slackwater import algebra
from slackwater.algebra import Operator
from slackwater.algebra.expressions import Expression, Literal
from slackwater.algebra.types import UNKNOWN
from slackwater.base.span import Span
from slackwater.bind.asof import problems
from slackwater.bind.binding import Binding
from slackwater.bind.synchronization.relations import time_type

if TYPE_CHECKING:
    from slackwater.bind.expressions import Expressions

PROCTIME = "PROCTIME()"
"""The column with the time of a row, which only the call names."""


def is_proctime(node: exp.Expr) -> bool:
    """Whether the node is the call."""
    return isinstance(node, exp.Anonymous) and node.name.lower() == "proctime" and not node.expressions


def timed_stream(stream: Operator, select: exp.Select | None, binding: Binding, span: Span) -> Operator:
    """The stream, with the times of its rows as a column if the query calls PROCTIME()."""
    if (
        select is None
        or PROCTIME in stream.schema
        or not any(map(is_proctime, select.find_all(exp.Anonymous)))
    ):
        return stream
    return algebra.Stamp(stream, PROCTIME, time_type(binding), origin=span)


def proctime(node: exp.Expression, span: Span, binder: Expressions) -> Expression | None:
    """The value of the call, if the node is it; an error is reported."""
    if not is_proctime(node):
        return None
    matches = binder.scope.find(PROCTIME, None)
    if len(matches) == 1:
        return binder.visible(matches[0][1], PROCTIME, span, is_outer=False)
    if binder.scope.is_known:
        why = "FROM has several streams" if matches else "FROM has no stream"
        binder.binding.report(problems.PROCTIME_PLACE.at(span, why=why))
    return Literal(UNKNOWN, None, origin=span)
