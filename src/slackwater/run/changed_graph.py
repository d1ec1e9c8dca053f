"""The graph of a run after queries are added or dropped, between two epochs."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from slackwater.algebra import Operator, Relation
from slackwater.base.diagnostic import EngineError
from slackwater.base.time import INFINITY
from slackwater.bind.catalog import Source
from slackwater.optimize.cost.statistics import NO_STATISTICS, Statistics
from slackwater.physical.graph import Graph
from slackwater.physical.known_steps import KnownSteps
from slackwater.physical.lower import add_changes, changes_of, lowered
from slackwater.physical.merge import add_from, continued
from slackwater.run import problems
from slackwater.run.declared import changelogs, is_changelog
from slackwater.run.runtime import Runtime


def graph_with(
    runtime: Runtime,
    plans: Mapping[str, Operator],
    changing: Collection[str],
    statistics: Statistics = NO_STATISTICS,
) -> Graph:
    """The graph of the run with further queries, of which those in `changing` have their changes as well.

    Raises EngineError where a query needs rows that the run did not read, or does not have any more.
    """
    graphs = {name: _lowered(runtime, {name: plan}) for name, plan in plans.items()}
    mistakes = [
        problems.CANNOT_ADD_TO_RUN.at(name=name, why=why)
        for name, graph in graphs.items()
        for why in _why_not(runtime, graph)
    ]
    if mistakes:
        raise EngineError(mistakes)
    added = _lowered(runtime, plans, statistics)
    if runtime.is_begun:
        known = known_steps_of(runtime, added)
        graph = known.graph(begin_of(runtime, known))
    else:
        graph = runtime.graph.copy()
        add_from(graph, added)
    for name in changing:
        add_changes(name, graph)
    return graph


def graph_without(runtime: Runtime, name: str) -> Graph:
    """The graph of the run without a query: its steps leave, except those that others need."""
    outputs = [output for output in runtime.graph.outputs if output not in (name, changes_of(name))]
    return continued(runtime.graph, outputs, runtime.graph)


def known_steps_of(runtime: Runtime, added: Graph) -> KnownSteps:
    """What the run has of another graph."""
    return KnownSteps(runtime.graph, added, runtime.epochs.now, runtime.placement.in_sums)


def begin_of(runtime: Runtime, known: KnownSteps) -> int:
    """When added queries begin: with the next epoch, and after all rows that were read of the streams of
    which they know nothing. Rows with later times wait only where they were needed."""
    epochs = runtime.epochs
    begin = epochs.now
    for name in known.read:
        times = (facts.get(name, begin - 1) for facts in (epochs.seen, epochs.watermarks))
        begin = max([begin, *(time + 1 for time in times if time < INFINITY)])
    return begin


def _lowered(
    runtime: Runtime, plans: Mapping[str, Operator], statistics: Statistics = NO_STATISTICS
) -> Graph:
    known = changelogs(runtime.sources)
    return lowered(dict(plans), runtime.graph.begin, changelogs=known, statistics=statistics)


def _why_not(runtime: Runtime, graph: Graph) -> Iterator[str]:
    """Why a query cannot be added: what the run does not read, or does not have of the time before."""
    sources = {source.name: source for source in runtime.sources}
    new = dict.fromkeys(read.name for read in graph.sources if read.name not in sources)
    yield from (
        f'The run reads the sources that it was started with, and "{name}" is not one' for name in new
    )
    if runtime.is_begun and not new:
        for name in known_steps_of(runtime, graph).read:
            if why := _unknown_past(sources[name]):
                yield why


def _unknown_past(source: Source) -> str | None:
    if isinstance(source.plan, Relation):
        how = "no query of the run reads it" if is_changelog(source) else "they have an end of their own"
        return f'Earlier rows of relation "{source.name}" are not stored: {how}'
    if "punctuation" in source.options:
        return f'Stream "{source.name}" has punctuations, and the latest time of its rows is not stored'
    return None
