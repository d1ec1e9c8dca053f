"""Steps on frames: the kernel of each step."""

from __future__ import annotations

from dataclasses import replace
from functools import singledispatch

import polars as pl

from slackwater.algebra.errors import endless_recursion, endless_skip, endless_stream, overflow, several_rows
from slackwater.algebra.expressions import column as column_named
from slackwater.algebra.patterns import Read
from slackwater.algebra.recursion import MOST_ROUNDS
from slackwater.base.diagnostic import Diagnostic, EngineError
from slackwater.base.time import INFINITY
from slackwater.kernels import aggregates, bags, joins, relations, streams, synchronization, unnest
from slackwater.kernels.bestmatch import best, match
from slackwater.kernels.compiled import (
    calls_of,
    column,
    matcher_of,
    matching_of,
    measures_of,
    over_of,
    predicate,
    row_window_of,
    row_windows_of,
)
from slackwater.kernels.frames import FROM, TIMES, TO, N, columns_of, concatenated, empty
from slackwater.kernels.over import over
from slackwater.kernels.patterns import recognize
from slackwater.kernels.patterns.contexts import Contexts
from slackwater.kernels.recursion import anew, changes
from slackwater.kernels.recursion.rounds import OUTPUT, Endless, Rounds
from slackwater.kernels.state import State
from slackwater.kernels.windows import assigned, by_time, rows, session, session_starts, sessions
from slackwater.physical import steps
from slackwater.physical.graph import Graph, Node
from slackwater.physical.recursion import source_names

Frame = pl.DataFrame


@singledispatch
def execute(step: steps.Step, node: Node, state: State, inputs: list[Frame], lo: int, hi: int) -> Frame:
    """The step's elements that start in [lo, hi), from its inputs' elements that start there."""
    raise NotImplementedError(type(step).__name__)


@execute.register
def _(step: steps.Apply, node: Node, state: State, inputs: list[Frame], lo: int, hi: int) -> Frame:
    try:
        return relations.apply_records(state, inputs[0], node.schema.names, step.key)
    except relations.Misfit as misfit:
        raise EngineError([_of_relation(step.name, mistake) for mistake in misfit.diagnostics]) from None


def _of_relation(name: str, diagnostic: object) -> Diagnostic:
    assert isinstance(diagnostic, Diagnostic)
    return replace(diagnostic, where=diagnostic.where or f'relation "{name}"')


@execute.register
def _(step: steps.Since, node: Node, state: State, inputs: list[Frame], lo: int, hi: int) -> Frame:
    return by_time.since(inputs[0], step.begin)


@execute.register
def _(step: steps.AliveSince, node: Node, state: State, inputs: list[Frame], lo: int, hi: int) -> Frame:
    return relations.alive_since(state, inputs[0], step.begin, lo, hi)


@execute.register
def _(step: steps.Once, node: Node, state: State, inputs: list[Frame], lo: int, hi: int) -> Frame:
    rows = [(step.begin, INFINITY, 1)] if lo <= step.begin < hi else []
    return pl.DataFrame(rows, schema=dict.fromkeys(TIMES, pl.Int64()), orient="row")


@execute.register
def _(step: steps.Filter, node: Node, state: State, inputs: list[Frame], lo: int, hi: int) -> Frame:
    return inputs[0].filter(predicate(step.predicate))


@execute.register
def _(step: steps.Map, node: Node, state: State, inputs: list[Frame], lo: int, hi: int) -> Frame:
    return inputs[0].select(*(column(expr).alias(name) for name, expr in step.columns), *TIMES)


@execute.register
def _(step: steps.Unnest, node: Node, state: State, inputs: list[Frame], lo: int, hi: int) -> Frame:
    arrays = [column(values).alias(name) for name, values in step.arrays]
    return unnest.unnest(inputs[0], arrays, step.ordinal, step.dropped, keeps=step.keeps, fields=step.fields)


@execute.register
def _(step: steps.RangeWindow, node: Node, state: State, inputs: list[Frame], lo: int, hi: int) -> Frame:
    return by_time.range_window(
        state, inputs[0], by_time.Slide(step.duration, step.slide, step.begin), lo, hi
    )


@execute.register
def _(step: steps.SlidingWindow, node: Node, state: State, inputs: list[Frame], lo: int, hi: int) -> Frame:
    return by_time.sliding_window(inputs[0], step.size)


@execute.register
def _(step: steps.FixedWindow, node: Node, state: State, inputs: list[Frame], lo: int, hi: int) -> Frame:
    return by_time.fixed_window(inputs[0], step.size)


@execute.register
def _(step: steps.RowWindow, node: Node, state: State, inputs: list[Frame], lo: int, hi: int) -> Frame:
    return rows.row_windows(state, inputs[0], [row_window_of(step)])[0]


@execute.register
def _(step: steps.NestedRowWindows, node: Node, state: State, inputs: list[Frame], lo: int, hi: int) -> Frame:
    parts = rows.row_windows(state, inputs[0], row_windows_of(step))
    marked = [part.with_columns(pl.lit(n, pl.Int64).alias(step.column)) for n, part in enumerate(parts)]
    return concatenated([part.select(empty(node.schema).columns) for part in marked])


@execute.register
def _(step: steps.SessionWindow, node: Node, state: State, inputs: list[Frame], lo: int, hi: int) -> Frame:
    return session.session_window(state, inputs[0], step.gap, step.partition, lo, hi)


@execute.register
def _(step: steps.Assign, node: Node, state: State, inputs: list[Frame], lo: int, hi: int) -> Frame:
    try:
        return assigned.assigned(inputs[0], step, column(step.time))
    except assigned.NoMoment:
        raise EngineError(overflow("a window", step.time.type, step.origin)) from None


@execute.register
def _(step: steps.Sessions, node: Node, state: State, inputs: list[Frame], lo: int, hi: int) -> Frame:
    if not step.end:
        return session_starts.session_starts(state, inputs[0], step, lo, hi)
    try:
        return sessions.in_sessions(state, inputs[0], step, column(step.time), lo, hi)
    except assigned.NoMoment:
        raise EngineError(overflow("a window", step.time.type, step.origin)) from None


@execute.register
def _(step: steps.Union, node: Node, state: State, inputs: list[Frame], lo: int, hi: int) -> Frame:
    return concatenated(inputs)


@execute.register
def _(step: steps.Negate, node: Node, state: State, inputs: list[Frame], lo: int, hi: int) -> Frame:
    return inputs[0].with_columns(-pl.col(N))


@execute.register
def _(step: steps.Join, node: Node, state: State, inputs: list[Frame], lo: int, hi: int) -> Frame:
    condition = None if step.condition is None else predicate(step.condition)
    on = joins.On(step.left, step.right, step.null_safe, condition, step.closing)
    return joins.join(state, inputs[0], inputs[1], on, lo, hi)


@execute.register
def _(step: steps.BestMatch, node: Node, state: State, inputs: list[Frame], lo: int, hi: int) -> Frame:
    left, right = (tuple(columns_of(frame)) for frame in inputs)
    matching = matching_of(step, left, right)
    return match.match(state, inputs[0], inputs[1], matching, lo, hi, is_final=False)


def best_match_final(
    step: steps.BestMatch, node: Node, state: State, inputs: list[Frame], lo: int, hi: int
) -> Frame:
    """As `execute`, of elements that are never taken back."""
    left, right = (tuple(columns_of(frame)) for frame in inputs)
    matching = matching_of(step, left, right)
    return match.match(state, inputs[0], inputs[1], matching, lo, hi, is_final=True)


@execute.register
def _(step: steps.Best, node: Node, state: State, inputs: list[Frame], lo: int, hi: int) -> Frame:
    return best.best(state, inputs[0], step.group, measures_of(step), lo, hi)


@execute.register
def _(step: steps.Count, node: Node, state: State, inputs: list[Frame], lo: int, hi: int) -> Frame:
    return bags.count_copies(state, inputs, step.copies, lo, hi, step.closing)


@execute.register
def _(step: steps.AtMostOne, node: Node, state: State, inputs: list[Frame], lo: int, hi: int) -> Frame:
    most = bags.most_rows(state, inputs[0], step.key, lo, hi)
    if most > 1:
        raise EngineError(several_rows(step.origin, most))
    return inputs[0]


@execute.register
def _(step: steps.Aggregate, node: Node, state: State, inputs: list[Frame], lo: int, hi: int) -> Frame:
    return aggregates.aggregate(
        state, inputs[0], step.keys, calls_of(step), lo, hi, inputs[1:], ends=step.closing
    )


@execute.register
def _(step: steps.Over, node: Node, state: State, inputs: list[Frame], lo: int, hi: int) -> Frame:
    return over.over(state, inputs[0], over_of(step), node.schema, lo, hi)


def over_final(step: steps.Over, node: Node, state: State, inputs: list[Frame], lo: int, hi: int) -> Frame:
    """As `execute`, of elements that are never taken back."""
    return over.over(state, inputs[0], over_of(step), node.schema, lo, hi, is_final=True)


def aggregate_final(
    step: steps.Aggregate, node: Node, state: State, inputs: list[Frame], lo: int, hi: int
) -> Frame:
    """As `execute`, of elements that are never taken back."""
    return aggregates.aggregate(
        state, inputs[0], step.keys, calls_of(step), lo, hi, inputs[1:], is_final=True, ends=step.closing
    )


@execute.register
def _(step: steps.Changed, node: Node, state: State, inputs: list[Frame], lo: int, hi: int) -> Frame:
    return streams.net_changes(state, inputs[0], step.sign, lo, hi)


@execute.register
def _(step: steps.Repeat, node: Node, state: State, inputs: list[Frame], lo: int, hi: int) -> Frame:
    try:
        return streams.repeat(state, inputs[0], lo, hi)
    except streams.Endless:
        raise EngineError(endless_stream(step.origin)) from None


@execute.register
def _(step: steps.Ticks, node: Node, state: State, inputs: list[Frame], lo: int, hi: int) -> Frame:
    ((name, type_),) = node.schema.columns
    try:
        return synchronization.ticks(step.points, name, type_, max(lo, step.begin), hi)
    except streams.Endless:
        raise EngineError(endless_stream(step.origin)) from None


@execute.register
def _(step: steps.Stamp, node: Node, state: State, inputs: list[Frame], lo: int, hi: int) -> Frame:
    return synchronization.stamp(inputs[0], step.column, step.type)


@execute.register
def _(step: steps.When, node: Node, state: State, inputs: list[Frame], lo: int, hi: int) -> Frame:
    return synchronization.when(state, inputs[0], step.predicate, step.points, step.begin, lo, hi)


@execute.register
def _(step: steps.Synchronize, node: Node, state: State, inputs: list[Frame], lo: int, hi: int) -> Frame:
    if len(inputs) == 1:
        return synchronization.synchronize(state, inputs[0], step.points, lo, hi)
    return synchronization.synchronize_by_events(state, inputs[0], inputs[1], step.points, lo, hi)


@execute.register
def _(step: steps.Recursion, node: Node, state: State, inputs: list[Frame], lo: int, hi: int) -> Frame:
    names = source_names(len(inputs))
    try:
        if step.derivation:
            form = changes.Form(lambda: rounds_of(step.derivation), names, step.distinct, node.schema.names)
            return changes.recursion(state, inputs, form, lo, hi)
        one = anew.Recursion(lambda: rounds_of(step.body), names, step.distinct, empty(node.schema))
        return anew.recursion(state, inputs, one, step.grows, lo, hi)
    except Endless:
        raise EngineError(endless_recursion(step.origin, MOST_ROUNDS)) from None


@execute.register
def _(step: steps.Recognize, node: Node, state: State, inputs: list[Frame], lo: int, hi: int) -> Frame:
    matcher = matcher_of(step)
    reads = dict(step.reads)
    try:
        return recognize.recognize(
            state, inputs[0], matcher, lambda rows: Contexts(rows, reads, column, _aggregated), lo, hi
        )
    except recognize.EndlessSkip:
        raise EngineError(endless_skip(step.origin, step.target)) from None


def _aggregated(read: Read, rows: Frame, count: int) -> pl.Series:
    """The aggregate of the values of each of so many candidates."""
    assert read.aggregation is not None
    call = read.aggregation
    argument = None if call.argument is None else column_named("value", call.argument.type)
    step = steps.Aggregate(("match",), (("result", replace(call, argument=argument)),))
    calls = calls_of(step)
    elements = rows.rename({"@m": "match", "@x": "value"}).with_columns(
        pl.lit(0, pl.Int64).alias(FROM), pl.lit(INFINITY, pl.Int64).alias(TO), pl.lit(1, pl.Int64).alias(N)
    )
    state = State(aggregates.state_layout(step.keys, calls))
    groups = aggregates.aggregate(state, elements, step.keys, calls, 0, 1)
    every = pl.DataFrame({"match": pl.Series(range(count), dtype=pl.Int64)})
    if call.user is not None and groups.height < count:
        none = aggregates.aggregate(
            State(aggregates.state_layout((), calls)), elements.clear(), (), calls, 0, 1
        )
        places = every.join(groups.with_row_index("@p"), on="match", how="left", maintain_order="left")["@p"]
        return pl.concat([groups["result"], none["result"]]).gather(places.fill_null(groups.height))
    values = every.join(groups, on="match", how="left", maintain_order="left")["result"]
    return values.fill_null(0) if call.function == "count" else values


def rounds_of(nodes: tuple[Node, ...]) -> Rounds:
    """A machine for the rounds of a recursion."""
    from slackwater.kernels.machine import Machine

    return Machine(Graph(list(nodes), {OUTPUT: len(nodes) - 1}))
