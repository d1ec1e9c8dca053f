"""From the algebra to steps: what each operator is made of. Joins with a missing side are in `partners`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import singledispatch

from slackwater import algebra
from slackwater.algebra.expressions import Call, Expression, Literal, column
from slackwater.algebra.operator import Operator
from slackwater.algebra.schema import Schema
from slackwater.base.depth import deep
from slackwater.base.diagnostic import Bug
from slackwater.base.time import BEGIN
from slackwater.optimize.bestmatch import as_joins
from slackwater.optimize.cost.estimate import Estimator
from slackwater.optimize.cost.estimates import Estimate
from slackwater.optimize.cost.statistics import NO_STATISTICS, Statistics
from slackwater.optimize.decorrelate.lateral import as_join
from slackwater.optimize.facts.closing import equal_delays, first_to_close, session_delay
from slackwater.optimize.facts.sessions import LAST, by_start
from slackwater.physical import steps
from slackwater.physical.bestmatch import best_matches
from slackwater.physical.graph import Graph, Node
from slackwater.physical.lifetimes import with_lifetimes
from slackwater.physical.partners import Side, alone, matched, partnered
from slackwater.physical.patterns import plain_variables
from slackwater.physical.recursion import only_grows, round_of
from slackwater.physical.sessions import sessions_of, with_ends


@deep()
def lowered(
    plans: dict[str, Operator],
    begin: int = BEGIN,
    changing: Iterable[str] = (),
    changelogs: Iterable[str] = (),
    statistics: Statistics = NO_STATISTICS,
) -> Graph:
    """One graph for all the plans, by the names of their outputs; time begins at `begin`.

    `changelogs` are the relations whose rows are records of changes; the rows of other sources are elements.
    By `statistics` it is decided later what is exchanged.

    A plan in `changing` has another output, `changes_of` its name, with insertions and deletions. An element
    of this epoch may end in a later one, so these outputs need state, which sinks do not have.
    """
    graph = Graph(begin=begin, changelogs=frozenset(changelogs))
    for name, plan in plans.items():
        graph.outputs[name] = lower(plan, graph)
    for name in dict.fromkeys(changing):
        add_changes(name, graph)
    graph.estimates = _estimates(graph, statistics)
    return graph


def _estimates(graph: Graph, statistics: Statistics) -> dict[int, Estimate]:
    """The estimates of operators over known sources, each at its last step."""
    estimator = Estimator(statistics)
    plans = ((plan, place) for plan, place in graph.lowered.values() if isinstance(plan, Operator))
    return {place: estimator.estimate(plan) for plan, place in plans if statistics.knows(plan)}


def changes_of(name: str) -> str:
    """The name of the output that has the changes of another."""
    return f"{name}: changes"


def add_changes(name: str, graph: Graph) -> None:
    """Add the output that has the changes of another."""
    place = graph.outputs[name]
    graph.outputs[changes_of(name)] = graph.add(steps.Changed(0), (place,), graph.nodes[place].schema)


def _closing(plan: Operator) -> steps.Closing | None:
    """When the state of a key of the operator is not needed any more."""
    first = first_to_close(plan)
    return None if first is None else steps.Closing(*first)


def lower(plan: Operator, graph: Graph) -> int:
    """Put the plan's steps into the graph, once for an operator at several places; the place of the last."""
    if id(plan) not in graph.lowered:
        graph.lowered[id(plan)] = (plan, steps_of(plan, graph))
    return graph.lowered[id(plan)][1]


@singledispatch
def steps_of(plan: Operator, graph: Graph) -> int:
    """Put the operator's steps, on those of its inputs, into the graph; the place of the last."""
    raise Bug(f"no steps for {type(plan).__name__}")


@steps_of.register(algebra.Stream)
@steps_of.register(algebra.Relation)
def _(plan: algebra.Stream | algebra.Relation, graph: Graph) -> int:
    is_changelog = plan.name in graph.changelogs
    read = steps.Read(plan.name, plan.schema, is_changelog, origin=plan.origin)
    place = graph.add(read, (), plan.schema)
    if not is_changelog or not isinstance(plan, algebra.Relation):
        return place
    return graph.add(steps.Apply(plan.name, plan.key, origin=plan.origin), (place,), plan.schema)


@steps_of.register
def _(plan: algebra.Unit, graph: Graph) -> int:
    return graph.add(steps.Once(graph.begin, origin=plan.origin), (), plan.schema)


@steps_of.register
def _(plan: algebra.Select, graph: Graph) -> int:
    step = steps.Filter(plan.predicate, origin=plan.origin)
    return graph.add(step, (lower(plan.source, graph),), plan.schema)


@steps_of.register
def _(plan: algebra.Project, graph: Graph) -> int:
    step = steps.Map(plan.columns, origin=plan.origin)
    return graph.add(step, (lower(plan.source, graph),), plan.schema)


@steps_of.register
def _(plan: algebra.Group, graph: Graph) -> int:
    same = Call(algebra.types.BOOLEAN, "is_not_distinct_from", (plan.by, plan.member))
    return graph.add(steps.Filter(same, origin=plan.origin), (lower(plan.source, graph),), plan.schema)


@steps_of.register
def _(plan: algebra.Unnest, graph: Graph) -> int:
    step = steps.Unnest(plan.arrays, plan.ordinal, plan.keeps, plan.dropped, plan.fields, origin=plan.origin)
    return graph.add(step, (lower(plan.source, graph),), plan.schema)


@steps_of.register
def _(plan: algebra.Range, graph: Graph) -> int:
    step = steps.RangeWindow(plan.duration, plan.slide, graph.begin, origin=plan.origin)
    return graph.add(step, (lower(plan.source, graph),), plan.schema)


@steps_of.register
def _(plan: algebra.Sliding, graph: Graph) -> int:
    step = steps.SlidingWindow(plan.size, origin=plan.origin)
    return graph.add(step, (lower(plan.source, graph),), plan.schema)


@steps_of.register
def _(plan: algebra.Fixed, graph: Graph) -> int:
    step = steps.FixedWindow(plan.size, origin=plan.origin)
    return graph.add(step, (lower(plan.source, graph),), plan.schema)


@steps_of.register
def _(plan: algebra.Rows, graph: Graph) -> int:
    step = steps.RowWindow(plan.count, plan.slide, plan.partition, plan.within, origin=plan.origin)
    return graph.add(step, (lower(plan.source, graph),), plan.schema)


@steps_of.register
def _(plan: algebra.NestedRows, graph: Graph) -> int:
    step = steps.NestedRowWindows(plan.windows, plan.slide, plan.partition, plan.column, origin=plan.origin)
    return graph.add(step, (lower(plan.source, graph),), plan.schema)


@steps_of.register
def _(plan: algebra.Session, graph: Graph) -> int:
    step = steps.SessionWindow(plan.gap, plan.partition, origin=plan.origin)
    return graph.add(step, (lower(plan.source, graph),), plan.schema)


@steps_of.register
def _(plan: algebra.Assign, graph: Graph) -> int:
    step = steps.Assign(
        plan.time, plan.size, plan.step, plan.offset, plan.cumulates, plan.start, plan.end, origin=plan.origin
    )
    return graph.add(step, (lower(plan.source, graph),), plan.schema)


@steps_of.register
def _(plan: algebra.Sessions, graph: Graph) -> int:
    return sessions_of(plan, graph, lower(plan.source, graph), session_delay(plan), plan.end)


@steps_of.register
def _(plan: algebra.Union, graph: Graph) -> int:
    sides = (lower(plan.left, graph), lower(plan.right, graph))
    return graph.add(steps.Union(origin=plan.origin), sides, plan.schema)


@steps_of.register(algebra.Distinct)
def _(plan: algebra.Distinct, graph: Graph) -> int:
    step = steps.Count("distinct", _closing(plan), origin=plan.origin)
    return graph.add(step, (lower(plan.source, graph),), plan.schema)


_COPIES = {
    algebra.Except: "except",
    algebra.Intersect: "intersect",
    algebra.MaxUnion: "max_union",
    algebra.StrictDifference: "strict_difference",
}


@steps_of.register(algebra.Except)
@steps_of.register(algebra.Intersect)
@steps_of.register(algebra.MaxUnion)
@steps_of.register(algebra.StrictDifference)
def _(plan: algebra.Except, graph: Graph) -> int:
    sides = (lower(plan.left, graph), lower(plan.right, graph))
    return graph.add(steps.Count(_COPIES[type(plan)], origin=plan.origin), sides, plan.schema)


@steps_of.register
def _(plan: algebra.Single, graph: Graph) -> int:
    step = steps.AtMostOne(plan.keys, origin=plan.origin)
    return graph.add(step, (lower(plan.source, graph),), plan.schema)


@steps_of.register
def _(plan: algebra.Aggregate, graph: Graph) -> int:
    if (grouped := by_start(plan)) is not None:
        sessions = plan.source
        assert isinstance(sessions, algebra.Sessions)
        started = sessions_of(sessions, graph, lower(sessions.source, graph), 1, end="")
        ends = steps.Closing(LAST, sessions.gap + 1)
        return with_ends(plan, graph, _aggregated(grouped, graph, started, ends))
    return _aggregated(plan, graph, lower(plan.source, graph), _closing(plan))


def _aggregated(plan: algebra.Aggregate, graph: Graph, source: int, closing: steps.Closing | None) -> int:
    """The keys and arguments become columns first, so that the aggregation only sums and groups."""
    columns: dict[Expression, str] = {}
    pairs = list(plan.keys)
    calls = []
    for name, call in plan.aggregations:
        if call.argument is None:
            calls.append((name, call))
            continue
        if call.argument not in columns:
            columns[call.argument] = f"{len(columns)}: {name}"
            pairs.append((columns[call.argument], call.argument))
        argument = column(columns[call.argument], call.argument.type)
        calls.append((name, replace(call, argument=argument)))
    inside = Schema(tuple((name, expr.type) for name, expr in pairs))
    mapped = graph.add(steps.Map(tuple(pairs), origin=plan.origin), (source,), inside)
    keys = tuple(name for name, _ in plan.keys)
    step = steps.Aggregate(keys, tuple(calls), closing, origin=plan.origin)
    return graph.add(step, (mapped,), plan.schema)


@steps_of.register
def _(plan: algebra.Over, graph: Graph) -> int:
    step = steps.Over(plan.partition, plan.order, plan.calls, plan.limit, _closing(plan), origin=plan.origin)
    return graph.add(step, (lower(plan.source, graph),), plan.schema)


@steps_of.register(algebra.Istream)
@steps_of.register(algebra.Dstream)
def _(plan: algebra.Istream | algebra.Dstream, graph: Graph) -> int:
    sign = 1 if isinstance(plan, algebra.Istream) else -1
    return graph.add(steps.Changed(sign, origin=plan.origin), (lower(plan.source, graph),), plan.schema)


@steps_of.register
def _(plan: algebra.Rstream, graph: Graph) -> int:
    return graph.add(steps.Repeat(origin=plan.origin), (lower(plan.source, graph),), plan.schema)


@steps_of.register
def _(plan: algebra.Product, graph: Graph) -> int:
    sides = (lower(plan.left, graph), lower(plan.right, graph))
    return graph.add(steps.Join((), (), origin=plan.origin), sides, plan.schema)


@steps_of.register
def _(plan: algebra.Join, graph: Graph) -> int:
    closing = min(((delay, left) for left, _, delay in equal_delays(plan)), default=None)
    ends = None if closing is None else steps.Closing(closing[1], closing[0])
    return matched(plan, graph, lower(plan.left, graph), lower(plan.right, graph), ends)


@steps_of.register
def _(plan: algebra.SemiJoin, graph: Graph) -> int:
    left, right = (Side(lower(side, graph), side.schema) for side in (plan.left, plan.right))
    return partnered(graph, left, right, plan)


@steps_of.register
def _(plan: algebra.AntiJoin, graph: Graph) -> int:
    left, right = (Side(lower(side, graph), side.schema) for side in (plan.left, plan.right))
    return alone(graph, left, right, plan)


@steps_of.register
def _(plan: algebra.OuterJoin, graph: Graph) -> int:
    left, right = (Side(lower(side, graph), side.schema) for side in (plan.left, plan.right))
    parts = [matched(plan, graph, left.place, right.place)]
    for here, there, other_side in ((left, right, "right"), (right, left, "left")):
        if plan.side != other_side:
            nulls = {name: Literal(type_, None) for name, type_ in there.schema}
            own = {name: column(name, type_) for name, type_ in here.schema}
            columns = tuple((name, {**nulls, **own}[name]) for name in plan.schema.names)
            parts.append(graph.add(steps.Map(columns), (alone(graph, here, there, plan),), plan.schema))
    return graph.add(steps.Union(origin=plan.origin), tuple(parts), plan.schema)


@steps_of.register
def _(plan: algebra.DependentJoin, graph: Graph) -> int:
    return lower(as_join(plan), graph)


@steps_of.register
def _(plan: algebra.BestMatch, graph: Graph) -> int:
    if not all(dimension.order.is_total for dimension in plan.dimensions):
        return lower(as_joins(plan), graph)
    sides = (Side(lower(side, graph), side.schema) for side in (plan.left, plan.right))
    return best_matches(plan, graph, *sides)


@steps_of.register
def _(plan: algebra.Ticks, graph: Graph) -> int:
    return graph.add(steps.Ticks(plan.points, graph.begin, origin=plan.origin), (), plan.schema)


@steps_of.register
def _(plan: algebra.Stamp, graph: Graph) -> int:
    step = steps.Stamp(plan.column, plan.type, origin=plan.origin)
    return graph.add(step, (lower(plan.source, graph),), plan.schema)


@steps_of.register
def _(plan: algebra.When, graph: Graph) -> int:
    step = steps.When(plan.predicate, plan.points, graph.begin, origin=plan.origin)
    return graph.add(step, (lower(plan.source, graph),), plan.schema)


@steps_of.register
def _(plan: algebra.Recursion, graph: Graph) -> int:
    body, timed = _graph_of(round_of(plan)), with_lifetimes(plan)
    derivation = () if timed is None else _graph_of(timed)
    inputs = tuple(lower(source, graph) for source in plan.inputs)
    step = steps.Recursion(body, plan.distinct, only_grows(plan), derivation, origin=plan.origin)
    return graph.add(step, inputs, plan.schema)


def _graph_of(plan: Operator) -> tuple[Node, ...]:
    inside = Graph()
    lower(plan, inside)
    return tuple(inside.nodes)


@steps_of.register
def _(plan: algebra.Recognize, graph: Graph) -> int:
    step = steps.Recognize(
        plan.partition, plan.pattern, plan.reads, plan.conditions, plain_variables(plan), plan.measures,
        plan.skip, plan.target, plan.within, origin=plan.origin,
    )  # fmt: skip
    return graph.add(step, (lower(plan.source, graph),), plan.schema)


@steps_of.register
def _(plan: algebra.Synchronize, graph: Graph) -> int:
    """Of the events only the instants count: a column is enough of them."""
    inputs = [lower(plan.source, graph)]
    if plan.events is not None:
        inputs.append(lower(plan.events, graph))
    return graph.add(steps.Synchronize(plan.points, origin=plan.origin), tuple(inputs), plan.schema)
