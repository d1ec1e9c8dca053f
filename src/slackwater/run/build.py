"""From queries to a runtime with its feeds and sinks: everything wired, nothing started."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from slackwater.algebra import Operator, Relation, Stream
from slackwater.bind.catalog import Catalog, Source
from slackwater.kernels.machine import Machine
from slackwater.physical.graph import Graph
from slackwater.physical.lower import lowered
from slackwater.physical.reading import columns_read
from slackwater.run import offsets
from slackwater.run.aside import Aside
from slackwater.run.checkpoint import is_claimed
from slackwater.run.drive import Drive, told
from slackwater.run.ownership import claimed
from slackwater.run.query import Owner, Query
from slackwater.run.runtime import Runtime, Sink
from slackwater.run.sinks import Delivery, mode_of, output_of, versions_in
from slackwater.run.sources import Given, feed_of
from slackwater.run.store import Store
from slackwater.run.workers import in_workers
from slackwater.sources.options import options_of
from slackwater.sources.readers import RAW

if TYPE_CHECKING:
    from slackwater.run.feeds import Feed


@dataclass(frozen=True, slots=True)
class Built:
    runtime: Runtime
    drive: Drive
    aside: Aside


class Collector:
    """Keeps an output's elements. A sink of the runtime."""

    def __init__(self, parts: list[pl.DataFrame]) -> None:
        self._parts = parts

    def write(self, number: int, lo: int, hi: int, elements: pl.DataFrame) -> None:
        if elements.height:
            self._parts.append(elements)


def built(
    owner: Owner,
    queries: Sequence[Query],
    catalog: Catalog,
    data: Mapping[str, Given],
    folder: Path,
    *,
    durable: bool,
    collect: Mapping[str, list[pl.DataFrame]],
) -> Built:
    """One runtime for all the queries; equal subplans are one."""
    graph = lowered({query.name: query.plan for query in queries})
    sources = _sources([query.plan for query in queries], catalog)
    sinks: dict[str, list[Sink]] = {name: [Collector(parts)] for name, parts in collect.items()}
    deliveries = [each for query in queries for each in _deliveries(query, graph, folder, owner)]
    for output, delivery in deliveries:
        sinks.setdefault(output, []).append(delivery)
    options = {
        source.name: options_of(source.name, {**source.options, **_given_options(data, source)}, owner.clock)
        for source in sources
    }
    feeds = [_narrowed(feed, columns_read(graph)) for feed in _feeds(owner, sources, data)]
    aside = Aside(options, owner.clock, folder, read={feed.source.name: feed.read for feed in feeds})
    make = _machines(owner, folder)

    def resumed(store: Store | None) -> Runtime:
        return Runtime(graph, sources, sinks, aside, store, make=make)

    if durable:
        has_batches = any(feed.frame.isStreaming for feed in feeds)
        runtime = _resumed(folder, identity(graph, sources, queries), resumed, deliveries, has_batches)
    else:
        _prepare(deliveries, None)
        runtime = resumed(None)
    return Built(runtime, Drive(runtime, feeds, aside=aside, name=_title(queries)), aside)


def _title(queries: Sequence[Query]) -> str:
    return ", ".join(dict.fromkeys(query.name for query in queries))


def _resumed(
    folder: Path,
    belonging: Mapping[str, object],
    resumed: Callable[[Store], Runtime],
    deliveries: Sequence[tuple[str, Delivery]],
    has_batches: bool,
) -> Runtime:
    """Own the checkpoint and go on from it. Nothing is deleted before all of it is found to fit."""
    is_claimed(folder)
    ownership = claimed(folder)
    try:
        is_begun = is_claimed(folder)
        if not is_begun:
            # Before the checkpoint is claimed: what is refused now must be refused the next time, too.
            _prepare(deliveries, None)
        store = Store(folder, belonging, ownership)
        if has_batches and not store.is_ended:
            offsets.compare(folder, store.done)
        runtime = resumed(store)
        if is_begun:
            _prepare(deliveries, runtime.next_number)
    except BaseException:
        ownership.release()
        raise
    return runtime


def _prepare(deliveries: Sequence[tuple[str, Delivery]], first: int | None) -> None:
    for _, delivery in deliveries:
        delivery.prepare(first)


def _machines(owner: Owner, folder: Path) -> Callable[[Graph], Machine]:
    """Where the kernels run: in the driver on one machine, in the workers of a cluster, or as is said."""
    if is_in_workers(owner):
        return in_workers(owner.spark.sparkContext, folder)
    return Machine


def is_in_workers(owner: Owner) -> bool:
    if owner.placement is not None:
        return owner.placement == "workers"
    return not str(owner.spark.conf.get("spark.master", "local")).startswith("local")


def _given_options(data: Mapping[str, Given], source: Source) -> Mapping[str, object]:
    given = data.get(source.name.lower())
    return given.options if given else {}


def _feeds(owner: Owner, sources: Sequence[Source], data: Mapping[str, Given]) -> list[Feed]:
    try:
        return [
            feed_of(owner.spark, source, data.get(source.name.lower()), owner.clock) for source in sources
        ]
    except Exception as error:
        raise told(error) from error


def _narrowed(feed: Feed, read: Mapping[str, tuple[str, ...]]) -> Feed:
    """A stream without the columns that no query reads.

    A relation's row is known by all its columns. Where rows may be malformed, all of a row is looked at.
    """
    name = feed.source.name
    if not isinstance(feed.source.plan, Stream) or RAW in feed.frame.columns or name not in read:
        return feed
    return replace(feed, columns=read[name])


def _sources(plans: Sequence[Operator], catalog: Catalog) -> list[Source]:
    """The sources that the plans read, each once, in the order of their names."""
    names = {each.name for plan in plans for each in plan.walk() if isinstance(each, Stream | Relation)}
    found = [catalog.get(name) for name in sorted(names)]
    return [each for each in found if isinstance(each, Source)]


def _deliveries(query: Query, graph: Graph, folder: Path, owner: Owner) -> list[tuple[str, Delivery]]:
    found: list[tuple[str, Delivery]] = []
    for place, target in enumerate(query.targets):
        mode = mode_of(target, query.kind)
        key = tuple(getattr(target, "key", ()))
        versions = versions_in(folder, query.name, place) if mode == "table" else None
        found.append((output_of(graph, query.name, mode), Delivery(target, mode, owner.clock, key, versions)))
    return found


def identity(graph: Graph, sources: Sequence[Source], queries: Sequence[Query]) -> dict[str, object]:
    """What a checkpoint belongs to: another query, plan or source is another one."""
    plan = "\n".join(f"{node.step!r} {node.inputs}" for node in graph.nodes)
    return {
        "queries": {query.name: query.bound.expanded for query in queries},
        "sources": {source.name: f"{source.plan.kind} {source.plan.schema}" for source in sources},
        "plan": hashlib.sha256(plan.encode()).hexdigest(),
    }
