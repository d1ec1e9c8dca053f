"""TUMBLE, HOP, CUMULATE and SESSION in FROM: a relation, each row with the start and end of its windows."""

from __future__ import annotations

from datetime import timedelta

from slackwater import algebra
from slackwater.algebra import Operator
from slackwater.algebra.expressions import Call, Expression, Literal, column
from slackwater.algebra.types import BIGINT, INTERVAL
from slackwater.base.span import Span
from slackwater.bind.binding import BROKEN
from slackwater.bind.expressions import Expressions
from slackwater.bind.windowing import problems
from slackwater.bind.windowing.lengths import Lengths, time_of
from slackwater.language.cql import nodes

START, END, TIME = "window_start", "window_end", "window_time"


def in_windows(plan: Operator, node: nodes.WindowTable, binder: Expressions) -> Operator:
    """The relation in windows; its columns are those of the binder's scope, under their own names.

    BROKEN for errors, which are reported.
    """
    binding, function = binder.binding, node.kind.upper()
    added = (START, END, TIME) if node.args.get("descriptor") else (START, END)
    for name in plan.schema.names:
        if name.lower() in added:
            where = binding.span(node)
            binding.report(problems.WINDOW_COLUMN.at(where, name=name, function=function))
            return BROKEN
    value = binder.bind(node.args["time"])
    time = time_of(value, function, binding.span(node.args["time"]), binding)
    keys = [binder.bind(key) for key in node.args.get("partition_by") or []]
    if time is None:
        return BROKEN
    windows = windowed(plan, time, node, tuple(keys), binder, binding.span(node), function)
    if windows is None or not node.args.get("descriptor"):
        return windows or BROKEN
    last = last_moment(column(END, time.type))
    columns = tuple((name, column(name, type_)) for name, type_ in windows.schema)
    return algebra.Project(windows, (*columns, (TIME, last)), origin=binding.span(node))


def windowed(
    plan: Operator,
    time: Expression,
    node: nodes.WindowTable,
    keys: tuple[Expression, ...],
    binder: Expressions,
    span: Span,
    function: str,
) -> Operator | None:
    """The operator of a window function; None for errors, which are reported."""
    lengths = Lengths(function, time.type, binder)
    if node.kind == "session":
        gap = lengths.positive(node.args["gap"], "gap")
        if lengths.is_wrong:
            return None
        return algebra.Sessions(plan, time, gap, keys, START, END, origin=span)
    cumulates = node.kind == "cumulate"
    lengths.size = lengths.step = lengths.positive(node.args["size"], "size")
    if node.args.get("step") is not None:
        lengths.step = lengths.positive(node.args["step"], "step" if cumulates else "slide")
    if node.args.get("offset") is not None:
        lengths.offset = lengths.any(node.args["offset"], "offset") or 0
    lengths.check(span, cumulates)
    if lengths.is_wrong:
        return None
    period = lengths.size if cumulates else lengths.step
    offset = lengths.offset % period
    return algebra.Assign(plan, time, lengths.size, lengths.step, offset, cumulates, START, END, origin=span)


def last_moment(end: Expression) -> Expression:
    """The last moment of a window, a millisecond before its end, or the last number."""
    one = Literal(BIGINT, 1) if end.type.is_integer else Literal(INTERVAL, timedelta(milliseconds=1))
    return Call(end.type, "subtract", (end, one))
