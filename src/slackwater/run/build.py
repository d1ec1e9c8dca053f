"""From queries to a runtime with its feeds and sinks: everything connected, nothing started."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial

import polars as pl

from slackwater.algebra import Operator, Relation, Stream
from slackwater.base.diagnostic import EngineError
from slackwater.bind.catalog import Catalog, Source
from slackwater.physical.graph import Graph
from slackwater.physical.lower import changes_of
from slackwater.run import problems
from slackwater.run.backfill.backfill import Backfill
from slackwater.run.backfill.prepare import Added
from slackwater.run.checkpoint import offsets
from slackwater.run.checkpoint.agreement import Agreement, Request, agree, begun
from slackwater.run.checkpoint.files import EPOCHS, is_claimed
from slackwater.run.checkpoint.folders import Folders
from slackwater.run.checkpoint.ownership import claim
from slackwater.run.checkpoint.problems import CHECKPOINT_IN_USE
from slackwater.run.checkpoint.store import Store
from slackwater.run.cluster.choice import Place, batch_width, is_in_workers
from slackwater.run.cluster.probe import ensure_fit
from slackwater.run.declared import changelogs, refuse_dropped_sources
from slackwater.run.drive import Drive, translate_error
from slackwater.run.functions import identity_of, refuse_local_functions
from slackwater.run.input.aside import Aside
from slackwater.run.input.feeds import Feed
from slackwater.run.input.sources import SourceData, feed_of
from slackwater.run.outputs import (
    deliveries_of,
    prepare_sinks,
    refuse_queries_without_sinks,
    refuse_shared_places,
    tables_of,
)
from slackwater.run.query import Owner, Query
from slackwater.run.running import RunningQueries, title_of
from slackwater.run.runtime import Runtime
from slackwater.run.wiring import Wiring
from slackwater.sources.options import options_of


@dataclass(frozen=True, slots=True)
class Built:
    runtime: Runtime
    drive: Drive
    aside: Aside
    queries: RunningQueries


class Collector:
    """Keeps an output's elements. A sink of the runtime."""

    def __init__(self, parts: list[pl.DataFrame]) -> None:
        self._parts = parts

    def write(self, number: int, lo: int, hi: int, elements: pl.DataFrame) -> None:
        if elements.height:
            self._parts.append(elements)


def build(
    owner: Owner,
    queries: Sequence[Query],
    catalog: Catalog,
    data: Mapping[str, SourceData],
    folders: Folders,
    *,
    durable: bool,
    collect: Mapping[str, list[pl.DataFrame]],
    allow_changes: bool = False,
    from_beginning: bool = False,
) -> Built:
    """One runtime for all the queries; equal subplans are one."""
    _refuse_unfit(owner, queries)
    for query in queries:
        refuse_dropped_sources(query.name, query.bound.plan, catalog)
    refuse_queries_without_sinks([query for query in queries if query.name not in collect])
    if durable:
        refuse_local_functions([query.bound.plan for query in queries])
    deliveries = deliveries_of(queries, folders.state, owner)
    outputs = {output for output, _ in deliveries}
    changing = [query.name for query in queries if changes_of(query.name) in outputs]
    request = _request(owner, queries, catalog, changing)
    if from_beginning:
        read = _feeds(owner, [request.declared[name] for name in sorted(request.read)], data)
        tables = frozenset(feed.source.name for feed in read if not feed.frame.isStreaming)
        request = replace(request, tables=tables)
    again = partial(agree, folders.state, request, may_change=allow_changes, from_beginning=from_beginning)
    agreement = again() if durable else begun(request)
    graph, sources = agreement.graph, [request.declared[name] for name in agreement.sources]
    refuse_shared_places([delivery for _, delivery in deliveries])
    # States and rows that are set aside are in the checkpoint; without one, only this machine has a place.
    is_spread = is_in_workers(owner) and (durable or owner.placement == "workers")
    if is_spread:
        # Before the sources are opened: the size of their batches depends on the number of cores, and Spark
        # knows all of them only after its first job.
        ensure_fit(owner.spark.sparkContext)
    options = {
        source.name: options_of(source.name, {**source.options, **_data_options(data, source)}, owner.clock)
        for source in sources
    }
    aside = Aside(options, owner.clock, folders.state)
    wiring = Wiring(owner, folders, _feeds(owner, sources, data, graph), aside, is_spread)
    wired = wiring.wired(graph, deliveries, {name: Collector(parts) for name, parts in collect.items()})
    aside.read = wired.read
    sinks, parts = wired.sinks, wired.parts
    past = Added(agreement.backfilled, graph, wiring.whole, sinks, parts, aside)
    added = past if agreement.backfilled else None

    def make_runtime(store: Store | None) -> Runtime:
        return Runtime(
            graph, sources, sinks, aside, store, wired.make, [delivery for _, delivery in parts],
            new_tables=tables_of(agreement.added, deliveries), is_backfilled=added is not None,
        )  # fmt: skip

    with ExitStack() as places:
        locks: dict[str, ExitStack] = {}
        prepare = partial(
            prepare_sinks, deliveries, agreement.fresh, agreement.added, aside, places, locks=locks
        )
        backfill = None
        if durable:
            has_batches = any(feed.frame.isStreaming for feed in wired.feeds)
            fill = partial(_backfill, added, folders, wiring.place) if added is not None else None
            runtime, backfill = _resume(folders, agreement, again, make_runtime, prepare, has_batches, fill)
        else:
            prepare(None)
            runtime = make_runtime(None)
        drive = Drive(
            runtime, wired.feeds, aside, title_of(queries), places=places.pop_all(), backfill=backfill,
            remarks=[problems.COMPUTED_IN_DRIVER.at()] if is_in_workers(owner) and not is_spread else [],
        )  # fmt: skip
    running = RunningQueries(drive, wiring, list(queries), list(deliveries), locks, request)
    return Built(runtime, drive, aside, running)


def _refuse_unfit(owner: Owner, queries: Sequence[Query]) -> None:
    """Check that a name belongs to one query of this session: answers and checkpoints use it as their key."""
    known: dict[str, Query] = {}
    for query in queries:
        if query.session is not owner:
            raise EngineError(problems.FOREIGN_QUERY.at(name=query.name))
        other = known.setdefault(query.name.lower(), query)
        if (other.name, other.bound.expanded) != (query.name, query.bound.expanded):
            raise EngineError(problems.DUPLICATE_QUERY.at(name=query.name))


def _resume(
    folders: Folders,
    agreement: Agreement,
    again: Callable[[], Agreement],
    make_runtime: Callable[[Store], Runtime],
    prepare: Callable[[int | None], None],
    has_batches: bool,
    fill: Callable[[Store], Backfill] | None,
) -> tuple[Runtime, Backfill | None]:
    """Claim the checkpoint and resume from it. Nothing is deleted before all of it has been checked."""
    is_claimed(folders.state)
    ownership = claim(folders.state)
    try:
        is_begun = is_claimed(folders.state)
        if not is_begun:
            # Before the checkpoint is claimed: a refused sink must be refused at the next start, too.
            prepare(None)
        if again().content != agreement.content:  # another run has used it in between
            raise EngineError(CHECKPOINT_IN_USE.at(where=str(folders.state)))
        store = Store(folders.state, agreement.before or agreement.content, ownership)
        if folders.is_mirrored:
            store.mirror_log(folders.log)
        if has_batches and not store.is_ended:
            offsets.compare(folders.log, folders.state / EPOCHS, store.done)
        runtime = make_runtime(store)
        backfill = None if fill is None else fill(store)
        if is_begun:
            prepare(None)
            store.check()
            agreement.write(folders.state)
            prepare(runtime.next_number)
    except BaseException:
        ownership.release()
        raise
    return runtime, backfill


def _backfill(added: Added, folders: Folders, place: Place, store: Store) -> Backfill:
    try:
        return added.backfill(folders, place, store)
    except Exception as error:
        raise translate_error(error) from error


def _data_options(data: Mapping[str, SourceData], source: Source) -> Mapping[str, object]:
    source_data = data.get(source.name.lower())
    return source_data.options if source_data else {}


def _feeds(
    owner: Owner, sources: Sequence[Source], data: Mapping[str, SourceData], graph: Graph | None = None
) -> list[Feed]:
    try:
        width = batch_width(owner, graph)
        return [
            feed_of(owner.spark, source, data.get(source.name.lower()), owner.clock, width)
            for source in sources
        ]
    except Exception as error:
        raise translate_error(error) from error


def _sources(plans: Sequence[Operator], catalog: Catalog) -> list[Source]:
    """The sources that the plans read, each once, in the order of their names."""
    names = {
        operator.name for plan in plans for operator in plan.walk() if isinstance(operator, Stream | Relation)
    }
    entries = [catalog.get(name) for name in sorted(names)]
    return [entry for entry in entries if isinstance(entry, Source)]


def _request(owner: Owner, queries: Sequence[Query], catalog: Catalog, changing: Sequence[str]) -> Request:
    return Request(
        queries={query.name: identity_of(query.bound.expanded, query.bound.plan) for query in queries},
        plans={query.name: query.plan for query in queries},
        declared={source.name: source for source in catalog.sources},
        read=frozenset(source.name for source in _sources([query.plan for query in queries], catalog)),
        changing=changing,
        changelogs=changelogs(catalog.sources),
        begin=owner.clock.begin,
        sharing=owner.sharing,
        views=owner.view_plans if owner.sharing and len(queries) > 1 else {},
        statistics=owner.statistics,
    )
