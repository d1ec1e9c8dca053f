"""Sinks of the queries that are started together: checked, locked and prepared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack

from slackwater.base.diagnostic import EngineError
from slackwater.bind.sinks.declared import Sink
from slackwater.physical.lower import changes_of
from slackwater.run import problems
from slackwater.run.arguments import SINKS
from slackwater.run.delivery import Delivery, mode_of, output_of, versions_in
from slackwater.run.input.aside import Aside
from slackwater.run.query import Owner, Query
from slackwater.sinks.files import Files
from slackwater.storage.location import Location


def deliveries_of(queries: Sequence[Query], folder: Location, owner: Owner) -> list[tuple[str, Delivery]]:
    """The delivery of each sink, with the output that it reads."""
    deliveries: list[tuple[str, Delivery]] = []
    counts: Counter[str] = Counter()
    for query in queries:
        for sink in query.sinks:
            mode = mode_of(sink, query.kind, query.form)
            key = tuple(getattr(sink, "key", ()))
            if mode == "tagged" and not key:
                key = tuple(query.known_key())
            versions = versions_in(folder, query.name, counts[query.name]) if mode == "table" else None
            counts[query.name] += 1
            delivery = Delivery(sink, mode, owner.clock, query.schema, key, versions, query.last)
            deliveries.append((output_of(query.name, mode), delivery))
    return deliveries


def files_of(sink: Sink) -> Files:
    """The files of a sink that a text declares."""
    return Files(sink.path, sink.format, sink.mode, sink.options.get("overwrite", False), sink.key)


def refuse_queries_without_sinks(queries: Sequence[Query]) -> None:
    """An answer without a sink would be computed for nothing."""
    for query in queries:
        if not query.sinks:
            raise EngineError(problems.NO_SINK.at(name=query.name, sinks=SINKS))


def refuse_shared_places(deliveries: Sequence[Delivery]) -> None:
    """No two sinks write to one place."""
    used: set[str] = set()
    for delivery in deliveries:
        place = getattr(delivery.sink, "place", None)
        if place in used:
            raise EngineError(problems.SHARED_SINK.at(where=repr(delivery.sink)))
        used |= {place} if place else set()


def prepare_sinks(
    deliveries: Sequence[tuple[str, Delivery]],
    fresh: frozenset[str],
    added: frozenset[str],
    aside: Aside,
    places: ExitStack,
    first: int | None,
    locks: dict[str, ExitStack] | None = None,
) -> None:
    """Lock the places of the sinks against other runs, and prepare them for the next epoch.

    Without a number: those of queries that are fresh. Of queries that are added no epoch is committed.
    `locks` are those of each output, which may be released before the others in `places`.
    """
    own = {} if locks is None else locks
    if first is not None:
        aside.forget(first)
    outputs, anew = outputs_of(fresh), outputs_of(added)
    for output, delivery in deliveries:
        if (output in outputs) == (first is None):
            if hold := getattr(delivery.sink, "hold", None):
                if output not in own:
                    own[output] = places.enter_context(ExitStack())
                own[output].enter_context(hold())
            delivery.prepare(0 if first is not None and output in anew else first)


def outputs_of(names: frozenset[str]) -> set[str]:
    """The outputs of queries."""
    return {output for name in names for output in (name, changes_of(name))}


def tables_of(names: frozenset[str], deliveries: Sequence[tuple[str, Delivery]]) -> frozenset[str]:
    """The tables that sinks of the queries have in the checkpoint."""
    outputs = outputs_of(names)
    tables = [delivery.versions for output, delivery in deliveries if output in outputs]
    return frozenset(table.name for table in tables if table is not None)
