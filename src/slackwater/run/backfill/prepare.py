"""From queries that are added to their backfill; or why there can be none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from slackwater.base.diagnostic import Diagnostic, EngineError
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
from slackwater.run.input.aside import Aside
from slackwater.run.input.feeds import Feed, narrowed
from slackwater.run.outputs import outputs_of


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
        past, own = PastFiles(self.feeds, folders.log, store.folder, last), self._part(self.names)
        read = columns_read(own)
        feeds = [feed for feed in self.feeds if feed.source.name in read]
        self._refuse(past, feeds)
        pasts = {feed.source.name: past.past(feed) for feed in feeds if feed.frame.isStreaming}
        feeds = [narrowed(feed, read) for feed in feeds]
        aside = Discarding(self.aside.options, self.aside.clock, store.folder)
        sinks = {name: sinks for name, sinks in self.sinks.items() if name in own.outputs}
        parts = [(name, delivery) for name, delivery in self.parts if name in own.outputs]
        rows = PastRows(feeds, pasts, aside, folders.local, own.begin, last.hi, last.number)
        deliveries = [delivery for _, delivery in parts]
        return Backfill(own, place(feeds, aside, sinks, parts), rows.pieces, rows.compute, sinks, deliveries)

    def _part(self, names: frozenset[str]) -> Graph:
        """The steps of some of the queries."""
        outputs = [name for name in self.graph.outputs if name in outputs_of(names)]
        return continued(self.graph, outputs, self.graph)

    def _refuse(self, past: PastFiles, feeds: Sequence[Feed]) -> None:
        """Name each query that reads what cannot be read again."""
        reasons = {feed.source.name: list(past.why_not(feed)) for feed in feeds}
        mistakes: list[Diagnostic] = []
        for name in sorted(self.names):
            read = columns_read(self._part(frozenset((name,))))
            whys = [why for source in reasons if source in read for why in reasons[source]]
            mistakes += [problems.NO_PAST.at(where=str(past.folder), name=name, why=why) for why in whys]
        if mistakes:
            raise EngineError(mistakes)
