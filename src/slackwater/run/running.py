"""The queries of a run while it goes on: some are added, some are dropped, between two epochs.

    epoch 11 ─┬─ epoch 12 ─ …
              └─ graph, placement with the states that stay, sinks, feeds and the plan in the checkpoint

All that can fail is done first; then the run has another graph. The plan in the checkpoint counts from the
next epoch on: it is committed with it (`agreement`).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from slackwater.algebra import Operator
from slackwater.base.diagnostic import EngineError
from slackwater.optimize.sharing import shared
from slackwater.physical.graph import Graph
from slackwater.physical.lower import changes_of
from slackwater.run import problems
from slackwater.run.changed_graph import graph_with, graph_without
from slackwater.run.checkpoint.agreement import Request, amend
from slackwater.run.cluster.placement import Placement
from slackwater.run.declared import changelogs
from slackwater.run.delivery import Delivery
from slackwater.run.drive import Drive, translate_error
from slackwater.run.outputs import (
    deliveries_of,
    outputs_of,
    prepare_sinks,
    refuse_queries_without_sinks,
    refuse_shared_places,
)
from slackwater.run.query import Query
from slackwater.run.wiring import Wired, Wiring, reads_more


def title_of(queries: Sequence[Query]) -> str:
    return ", ".join(names_of(queries))


def names_of(queries: Sequence[Query]) -> list[str]:
    return list(dict.fromkeys(query.name for query in queries))


@dataclass(slots=True)
class RunningQueries:
    """The queries of a run, and how they are changed."""

    drive: Drive
    wiring: Wiring
    queries: list[Query]
    deliveries: list[tuple[str, Delivery]]
    locks: dict[str, ExitStack]
    """Those of the places of sinks, by output."""
    request: Request
    """What the run was started with."""
    _plans: dict[str, Operator] | None = None
    """The plans of the queries as they are run, once these are needed."""

    @property
    def names(self) -> list[str]:
        return names_of(self.queries)

    def add(self, queries: Sequence[Query]) -> None:
        """Answer further queries from the next epoch on; raises EngineError, and then nothing has changed."""
        with self.drive.between_epochs():
            self._refuse(queries)
            new = deliveries_of(queries, self.wiring.folders.state, self.wiring.owner)
            deliveries = [*self.deliveries, *new]
            refuse_shared_places([delivery for _, delivery in deliveries])
            outputs = {output for output, _ in new}
            changing = [name for name in names_of(queries) if changes_of(name) in outputs]
            plans = self._as_run({query.name: query.plan for query in queries})
            statistics = self.wiring.owner.statistics
            graph = graph_with(self.drive.runtime, plans, changing, statistics)
            self._change([*self.queries, *queries], graph, deliveries, new)
            self._plans = {**(self._plans or {}), **plans}

    def drop(self, query: Query | str) -> None:
        """Answer a query no more after the last epoch; raises EngineError where there is no such query."""
        name = query if isinstance(query, str) else query.name
        with self.drive.between_epochs():
            known = {other.lower(): other for other in self.names}
            if name.lower() not in known:
                names = ", ".join(f'"{other}"' for other in self.names)
                raise EngineError(problems.NOT_RUNNING.at(name=name, names=names))
            if len(known) == 1:
                raise EngineError(problems.LAST_QUERY.at(name=name))
            name = known[name.lower()]
            outputs = outputs_of(frozenset((name,)))
            staying = [other for other in self.queries if other.name != name]
            deliveries = [pair for pair in self.deliveries if pair[0] not in outputs]
            self._change(staying, graph_without(self.drive.runtime, name), deliveries)
            for output in outputs & self.locks.keys():
                self.locks.pop(output).close()

    def _as_run(self, plans: dict[str, Operator]) -> dict[str, Operator]:
        """The plans of further queries, answered from each other and from what the run computes."""
        owner = self.wiring.owner
        if not owner.sharing:
            return plans
        if self._plans is None:
            self._plans = self.request.as_run(self.names)
        staying = {name: self._plans[name] for name in self.names if name in self._plans}
        return shared(plans, owner.statistics, running=staying).plans

    def _refuse(self, queries: Sequence[Query]) -> None:
        if not queries:
            raise EngineError(problems.NO_QUERY.at())
        known = {name.lower() for name in self.names}
        for query in queries:
            if query.session is not self.wiring.owner:
                raise EngineError(problems.FOREIGN_QUERY.at(name=query.name))
            if query.name.lower() in known:
                raise EngineError(problems.RUNNING_QUERY.at(name=query.name))
            known.add(query.name.lower())
        refuse_queries_without_sinks(queries)

    def _change(
        self,
        queries: list[Query],
        graph: Graph,
        deliveries: list[tuple[str, Delivery]],
        new: Sequence[tuple[str, Delivery]] = (),
    ) -> None:
        drive, runtime, aside = self.drive, self.drive.runtime, self.wiring.aside
        wired = self.wiring.wired(graph, deliveries, before=drive.feeds)
        placement = self._successor(graph, wired)
        names = frozenset(names_of(queries)) - frozenset(self.names)
        with ExitStack() as places:
            locks: dict[str, ExitStack] = {}
            prepare_sinks(new, names, names, aside, places, None, locks)
            if reads_more(wired.feeds, drive.feeds):
                drive.stop_reading()
            self._amend(queries, graph)
            drive.places.enter_context(places.pop_all())
        self.locks |= locks
        runtime.change(placement, graph, wired.sinks, [delivery for _, delivery in wired.parts])
        aside.read = wired.read
        drive.read(wired.feeds)
        self.queries, self.deliveries, drive.name = queries, deliveries, title_of(queries)

    def _successor(self, graph: Graph, wired: Wired) -> Placement:
        try:
            return self.drive.runtime.successor(graph, wired.make)
        except Exception as error:
            raise translate_error(error) from error

    def _amend(self, queries: Sequence[Query], graph: Graph) -> None:
        """Note the queries in the checkpoint."""
        runtime = self.drive.runtime
        if runtime.store is None:
            return
        runtime.store.check()
        request = Request(
            queries={query.name: query.bound.expanded for query in queries},
            plans={},
            declared={source.name: source for source in runtime.sources},
            read=frozenset(),
            changelogs=changelogs(runtime.sources),
            begin=graph.begin,
        )
        sources = [source.name for source in runtime.sources]
        amend(runtime.store.folder, request, graph, sources, runtime.next_number - 1)
