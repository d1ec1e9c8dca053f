"""An explanation: the queries of a program before and after optimizing, their common steps, and the stages.

It is data; `text`, `as_json` and `picture` present it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from slackwater.algebra import Operator
from slackwater.base.diagnostic import Diagnostic
from slackwater.base.rules import Step as RuleStep
from slackwater.base.time import Clock
from slackwater.optimize import Optimizer
from slackwater.optimize import steps as rule_steps
from slackwater.optimize.cost.statistics import NO_STATISTICS, Statistics
from slackwater.optimize.growth import Growth, growths, warnings
from slackwater.optimize.sharing import Rewriting, Shared, shared
from slackwater.physical.explain.costs import Costs, costs_of
from slackwater.physical.explain.words import state_in_words
from slackwater.physical.graph import Graph
from slackwater.physical.lower import lowered
from slackwater.physical.stages.cut import cut
from slackwater.physical.stages.plan import Move, Stage, Stages, Work

SCAN = "scan"
"""The name of the steps beside the sources."""
IN_PLACE = "where it is"
"""The way of elements that are passed to a later stage in the partition in which they are."""


@dataclass(frozen=True, slots=True)
class AsWritten:
    """A query to explain: its name, and its plan as written."""

    name: str
    plan: Operator


@dataclass(frozen=True, slots=True)
class ExplainedQuery:
    """A query before and after optimizing, and the laws between."""

    name: str
    before: Operator
    after: Operator
    applied: tuple[RuleStep[Operator], ...]
    """Each application of a rule, with its law and the plan after it."""
    warnings: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True)
class Exchange:
    """What moves between stages, and the steps that take it."""

    move: Move
    source: str
    target: str
    takers: tuple[int, ...]

    @property
    def way(self) -> str:
        """How elements are distributed: by a key, to the first or to every partition, in equal parts, or
        not at all."""
        if self.move.is_broadcast:
            return "to every partition"
        if self.move.key:
            return "by key"
        if self.move.key == ():
            return "to the first partition"
        return "in equal parts" if self.source == SCAN else IN_PLACE


@dataclass(frozen=True, slots=True)
class Explanation:
    """The queries of a program as one graph of steps, in stages."""

    queries: tuple[ExplainedQuery, ...]
    stages: Stages
    clock: Clock
    uses: tuple[tuple[str, ...], ...]
    """For each step, the queries whose answer depends on it."""
    growing: Mapping[int, tuple[Growth, ...]] = field(default_factory=dict)
    """The steps whose state grows without bound, and why."""
    costs: Costs | None = None
    """Estimates, if they are asked for."""
    rewritings: tuple[Rewriting, ...] = ()
    """Which queries are answered from others, and how."""

    @property
    def graph(self) -> Graph:
        return self.stages.graph

    @property
    def parts(self) -> Iterator[tuple[str, Stage]]:
        """The stages by name, the scan first."""
        yield SCAN, self.stages.beside
        for number, stage in enumerate(self.stages.stages):
            yield f"stage {number}", stage

    @property
    def works(self) -> dict[int, tuple[str, Work]]:
        """The work of each step, and the name of its stage."""
        return {work.node: (name, work) for name, stage in self.parts for work in stage.works}

    @property
    def exchanges(self) -> Iterator[Exchange]:
        """What each stage takes from earlier ones."""
        works = self.works
        for name, stage in self.parts:
            for move in stage.takes:
                takers = tuple(work.node for work in stage.works if move in work.moves)
                yield Exchange(move, works[move.node][0], name, takers)

    @property
    def shared(self) -> dict[int, tuple[str, ...]]:
        """The steps that several queries use, and these queries."""
        return {place: names for place, names in enumerate(self.uses) if len(names) > 1}


def explanation(
    queries: Sequence[AsWritten],
    clock: Clock,
    statistics: Statistics = NO_STATISTICS,
    cost: bool = False,
    views: Sequence[AsWritten] = (),
) -> Explanation:
    """The queries explained as one program, with its views, and with estimates of the cost if these are
    wanted."""
    optimizer = Optimizer(statistics=statistics)
    explained = tuple(
        explained_query(query, optimizer.optimized(query.plan), statistics) for query in queries
    )
    plans = {view.name: optimizer.optimized(view.plan) for view in views}
    return together(explained, clock, statistics, plans, cost)


def together(
    queries: tuple[ExplainedQuery, ...],
    clock: Clock,
    statistics: Statistics = NO_STATISTICS,
    views: Mapping[str, Operator] | None = None,
    cost: bool = False,
) -> Explanation:
    """Queries that were optimized, as one graph, answered from each other and from views if there are plans
    of these; else only equal steps are one. With the cost, also what it is estimated to be.
    """
    plans = {query.name: query.after for query in queries}
    run = Shared(plans) if views is None else shared(plans, statistics, views)
    queries = tuple(replace(query, after=run.plans[query.name]) for query in queries)
    graph = lowered(run.plans, statistics=statistics)
    costs = costs_of(graph, statistics, clock) if cost else None
    growing = _growing(graph, queries)
    return Explanation(queries, cut(graph), clock, users(graph), growing, costs, run.rewritings)


def explained_query(query: AsWritten, after: Operator, statistics: Statistics) -> ExplainedQuery:
    """A query, with what optimizing made of it."""
    applied = tuple(rule_steps(query.plan, statistics))
    return ExplainedQuery(query.name, query.plan, after, applied, tuple(warnings(after)))


def users(graph: Graph) -> tuple[tuple[str, ...], ...]:
    """For each step, the outputs that depend on it."""
    names: list[dict[str, None]] = [{} for _ in graph.nodes]
    for name, place in graph.outputs.items():
        names[place][name] = None
    for place, node in reversed(list(enumerate(graph.nodes))):
        for source in node.inputs:
            names[source].update(names[place])
    order = {name: at for at, name in enumerate(graph.outputs)}
    return tuple(tuple(sorted(used, key=order.__getitem__)) for used in names)


def _growing(graph: Graph, queries: Sequence[ExplainedQuery]) -> dict[int, tuple[Growth, ...]]:
    growing: dict[int, dict[tuple[str, object], Growth]] = {}
    for query in queries:
        for growth in growths(query.after):
            for place in steps_with_state(graph, growth.operator):
                growing.setdefault(place, {}).setdefault((growth.state, growth.window), growth)
    return {place: tuple(several.values()) for place, several in sorted(growing.items())}


def steps_with_state(graph: Graph, operator: Operator) -> list[int]:
    """The steps of one operator that keep something, without those of its inputs."""
    below = {graph.lowered[id(source)][1] for source in operator.inputs}
    front, own = [graph.lowered[id(operator)][1]], set[int]()
    while front:
        place = front.pop()
        if place not in below and place not in own:
            own.add(place)
            front += graph.nodes[place].inputs
    return sorted(place for place in own if state_in_words(graph.nodes[place].step))
