"""From queries that are added to their backfill; or why there can be none."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from slackwater.base.diagnostic import Diagnostic, EngineError
from slackwater.physical.description import state_names
from slackwater.physical.graph import Graph
from slackwater.physical.merge import continued
from slackwater.physical.reading import columns_read
from slackwater.run.backfill.backfill import Backfill
from slackwater.run.backfill.files import PastFiles
from slackwater.run.backfill.rows import Discarding, PastRows
from slackwater.run.checkpoint import problems
from slackwater.run.checkpoint.folders import Folders
from slackwater.run.checkpoint.store import Store
from slackwater.run.cluster.choice import Parts, Place, Sinks
from slackwater.run.cluster.names import sums_in
from slackwater.run.input.aside import Aside
from slackwater.run.input.feeds import Feed, narrowed
from slackwater.run.outputs import outputs_of


def backfill_graph(graph: Graph, outputs: Collection[str], stored: Collection[str] = ()) -> Graph:
    """The steps of a run's graph that compute these outputs, and what they share with others in part.

    In the stored states, elements of a step may wait as partial sums for an aggregate, and are then missing
    where other steps would need them. So the aggregate is computed again, too, from elements alone.
    """
    names = [name for name in graph.outputs if name in outputs]
    own = set(state_names(continued(graph, names, graph)))
    places = {name: place for place, name in enumerate(state_names(graph))}
    summed = [places[taker] for step, taker in sums_in(stored) if step in own and taker in places]
    return continued(graph, names, graph, summed)


@dataclass(frozen=True, slots=True)
class Added:
    """Queries that are added to a run, from the beginning on."""

    names: frozenset[str]
    graph: Graph
    """That of the whole run."""
    feeds: Sequence[Feed]
    """All of the run, with all their columns."""
    sinks: Sinks
    parts: Parts
    aside: Aside

    def backfill(self, folders: Folders, place: Place, store: Store) -> Backfill:
        """Their backfill; raises EngineError where files cannot be read again."""
        last = store.last()
        assert last is not None
        past = PastFiles(self.feeds, folders.log, store.folder, last)
        own = backfill_graph(self.graph, outputs_of(self.names), last.state["states"])
        read = columns_read(own)
        feeds = [feed for feed in self.feeds if feed.source.name in read]
        self._refuse(past, feeds)
        pasts = {feed.source.name: past.past(feed) for feed in feeds if feed.frame.isStreaming}
        feeds = [narrowed(feed, read) for feed in feeds]
        aside = Discarding(self.aside.options, self.aside.clock, store.folder)
        sinks = {name: sinks for name, sinks in self.sinks.items() if name in own.outputs}
        parts = [(name, delivery) for name, delivery in self.parts if name in own.outputs]
        rows = PastRows(feeds, pasts, aside, folders.local, own.begin, last.hi, last.number)
        make = place(feeds, aside, sinks, parts, adds_up=False)
        deliveries = [delivery for _, delivery in parts]
        return Backfill(own, make, rows.pieces, rows.compute, sinks, deliveries)

    def _refuse(self, past: PastFiles, feeds: Sequence[Feed]) -> None:
        """Name each query that reads what cannot be read again."""
        reasons = {feed.source.name: list(past.why_not(feed)) for feed in feeds}
        mistakes: list[Diagnostic] = []
        for name in sorted(self.names):
            read = columns_read(backfill_graph(self.graph, outputs_of(frozenset((name,)))))
            whys = [why for source in reasons if source in read for why in reasons[source]]
            mistakes += [problems.NO_PAST.at(where=str(past.folder), name=name, why=why) for why in whys]
        if mistakes:
            raise EngineError(mistakes)
