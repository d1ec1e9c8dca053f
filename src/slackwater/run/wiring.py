"""Wiring: what connects the graph of a run with its sources and its sinks, and where it is computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from slackwater.physical.graph import Graph
from slackwater.physical.pushdown.filters import row_filters
from slackwater.physical.reading import columns_read
from slackwater.run.checkpoint.folders import Folders
from slackwater.run.cluster.choice import Make, Place, in_driver, workers_of
from slackwater.run.delivery import Delivery
from slackwater.run.input.aside import Aside
from slackwater.run.input.feeds import Feed, narrowed
from slackwater.run.input.filtered import with_filter
from slackwater.run.input.plain_files import can_read_by_arrow
from slackwater.run.query import Owner
from slackwater.run.receivers import ElementSink

Deliveries = Sequence[tuple[str, Delivery]]
"""The deliveries of sinks, each with the output that it reads."""


@dataclass(frozen=True, slots=True)
class Wired:
    """A graph with its feeds and sinks, and how its placement is made."""

    feeds: list[Feed]
    sinks: dict[str, list[ElementSink]]
    parts: list[tuple[str, Delivery]]
    """The sinks that tasks write in the workers, each with its output."""
    make: Make

    @property
    def read(self) -> dict[str, tuple[str, ...]]:
        """The columns of each source that are read."""
        return {feed.source.name: feed.read for feed in self.feeds}


@dataclass(frozen=True, slots=True)
class Wiring:
    """Connects graphs of one run, the first one and those after queries were added or dropped."""

    owner: Owner
    folders: Folders
    whole: Sequence[Feed]
    """The feeds, with all their columns."""
    aside: Aside
    is_spread: bool
    """Whether it is computed in the workers."""

    @property
    def place(self) -> Place:
        if self.is_spread:
            return partial(workers_of, self.owner, self.folders.state)
        return partial(in_driver, self.owner)

    def wired(
        self,
        graph: Graph,
        deliveries: Deliveries,
        collect: Mapping[str, ElementSink] | None = None,
        before: Sequence[Feed] = (),
    ) -> Wired:
        """A graph connected; feeds read what those before it did, and what the graph reads."""
        sinks: dict[str, list[ElementSink]] = {name: [sink] for name, sink in (collect or {}).items()}
        parts: list[tuple[str, Delivery]] = []
        for output, delivery in deliveries:
            if self.is_spread and delivery.has_parts:
                parts.append((output, delivery.for_tasks()))
            else:
                sinks.setdefault(output, []).append(delivery)
        feeds = self._feeds(graph, {feed.source.name: feed for feed in before})
        wired = Wired(feeds, sinks, parts, in_driver(self.owner, feeds, self.aside, sinks, parts))
        aside = replace(self.aside, read=wired.read)
        return replace(wired, make=self.place(feeds, aside, sinks, parts))

    def _feeds(self, graph: Graph, before: Mapping[str, Feed]) -> list[Feed]:
        read, needed = columns_read(graph), row_filters(graph)
        feeds = [_with_columns(narrowed(feed, read), before.get(feed.source.name)) for feed in self.whole]
        feeds = [with_filter(feed, needed) for feed in feeds]
        is_local = str(self.owner.spark.conf.get("spark.master", "")).startswith("local[")
        if not self.is_spread and not is_local:
            return feeds
        return [replace(feed, is_read_by_arrow=can_read_by_arrow(feed)) for feed in feeds]


def _with_columns(feed: Feed, before: Feed | None) -> Feed:
    """The feed with the columns of an earlier one, too."""
    if before is None:
        return feed
    if before.columns is None:
        return replace(feed, columns=None)
    both = {*before.columns, *(() if feed.columns is None else feed.columns)}
    return replace(feed, columns=tuple(name for name in feed.source.plan.schema.names if name in both))


def reads_more(feeds: Sequence[Feed], before: Sequence[Feed]) -> bool:
    """Whether a growing source is read with other columns than before."""
    pairs = zip(feeds, before, strict=True)
    return any(new.frame.isStreaming and new.columns != old.columns for new, old in pairs)
