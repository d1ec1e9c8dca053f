"""The runtime: arrivals in, answers out, one epoch for every batch, each committed whole or not at all.

    batch ─► epoch ─► placement ─► sinks ─► manifest
                                               └─ the epoch is committed; parts of it become visible

It knows neither Spark nor where rows come from; `drive` feeds it.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from slackwater.base.diagnostic import EngineError
from slackwater.base.time import INFINITY
from slackwater.bind.catalog import Source
from slackwater.kernels import relations
from slackwater.kernels.frames import FROM, frame_schema
from slackwater.physical.graph import Graph
from slackwater.physical.stages.cut import sources_of
from slackwater.run.checkpoint.files import LATENESS
from slackwater.run.checkpoint.lateness import Entries, Lateness
from slackwater.run.checkpoint.store import Manifest, Store, is_time_to_list
from slackwater.run.cluster.placement import Computed, InDriver, Placement
from slackwater.run.declared import is_changelog
from slackwater.run.delivery import Delivery, write_all
from slackwater.run.epochs import Arrivals, Epochs
from slackwater.run.input.intake import Seen, split_late
from slackwater.run.progress import Progress, SourceTracker
from slackwater.run.receivers import ElementSink, LateSink
from slackwater.run.watermarks import epoch_end
from slackwater.sinks.files import publish
from slackwater.sinks.problems import NEW_TABLE
from slackwater.sinks.versions import Versions
from slackwater.storage.location import Location

MOST_PROGRESS = 1_000
"""How many epochs are remembered to report progress."""


@dataclass(slots=True)
class Runtime:
    """Runs a graph over sources; resumes from its store."""

    graph: Graph
    sources: Sequence[Source]
    sinks: Mapping[str, Sequence[ElementSink]]
    late: LateSink
    store: Store | None = None
    make: Callable[[Graph, Location | None], Placement] = InDriver
    """Makes the placement, with the folder of its states: in the driver, or in the workers."""
    parts: Sequence[Delivery] = ()
    """The sinks that tasks write in the workers, as the plan has them."""
    new_tables: frozenset[str] = frozenset()
    """The tables of queries that are added to the checkpoint."""
    is_backfilled: bool = False
    """Whether it resumes only with `join`, once the past of added queries is computed."""
    progress: deque[Progress] = field(default_factory=lambda: deque(maxlen=MOST_PROGRESS))
    """The figures of the last epochs."""
    done: int = 0
    """How many epochs this start has committed, and of how many events."""
    events: int = 0
    tracker: SourceTracker = field(default_factory=SourceTracker)
    """The progress of each source."""
    epochs: Epochs = field(init=False)
    placement: Placement = field(init=False)
    _moves: dict[str, list[int]] = field(init=False)
    """What moves from beside each source."""
    _last: Manifest | None = field(init=False, default=None)
    _leaving: list[Versions] = field(init=False, default_factory=list)
    """The tables of queries that were dropped, which are not needed any more after the next epoch."""
    _drafts: dict[str, list[str]] = field(init=False, default_factory=dict)
    """By folder, drafts of earlier epochs that are committed with the next one."""

    def __post_init__(self) -> None:
        self.placement = self.make(self.graph, None if self.store is None else self.store.state)
        self._moves = sources_of(self.placement.stages)
        self.epochs = Epochs(tuple(source.name for source in self.sources), self.graph.begin)
        if self.store is not None:
            self._resume(self.store)
        self.tracker.begin(self.epochs)

    def _resume(self, store: Store) -> None:
        self._last = store.last()
        if self._last is not None:
            facts = self._last.facts
            if not self.is_backfilled:
                self.placement.resume(self._last.state, self._last.hi)
            self.epochs.now = self._last.hi
            self.epochs.watermarks.update(facts["watermarks"])
            self.epochs.late.update(facts["late"])
            self.epochs.seen.update(facts["seen"])
            self.epochs.latest.update({name: tuple(times) for name, times in facts.get("latest", {}).items()})
            self.epochs.lateness = Lateness.of(facts)
            self._resume_tables(facts["tables"])
            for folder, names in facts["parts"].items():
                publish(Path(folder), names)

    def join(self, state: Mapping[str, Any], drafts: Mapping[str, Sequence[str]]) -> None:
        """Resume, with states of added queries up to the last epoch; drafts of answers come with the next.

        Sources that the checkpoint did not have are tables, and have been read whole.
        """
        assert self._last is not None
        new = self.epochs.watermarks.keys() - self._last.facts["watermarks"].keys()
        self.epochs.watermarks.update(dict.fromkeys(new, INFINITY))
        self.placement.resume(self._last.state, self._last.hi, state)
        self._drafts = {folder: list(names) for folder, names in drafts.items()}

    def _resume_tables(self, versions: Mapping[str, str | int | None]) -> None:
        for name, table in self._tables.items():
            if name in self.new_tables:
                continue
            if name not in versions:
                raise EngineError(NEW_TABLE.at(where=str(table.folder)))
            table.resume(versions[name])

    @property
    def _tables(self) -> dict[str, Versions]:
        """The tables that sinks keep, by name."""
        tables = [getattr(sink, "versions", None) for sinks in self.sinks.values() for sink in sinks]
        return {table.name: table for table in tables if table is not None}

    @property
    def is_ended(self) -> bool:
        return self.epochs.now >= INFINITY

    def is_done(self, number: int) -> bool:
        """Whether the epoch of that number has been committed."""
        return self._last is not None and self._last.number >= number

    @property
    def is_begun(self) -> bool:
        """Whether any epoch has been committed, by this start or by an earlier one."""
        return self._last is not None

    @property
    def committed(self) -> int:
        """Everything before this instant is answered."""
        return self.graph.begin if self._last is None else self._last.hi

    @property
    def next_number(self) -> int:
        return 0 if self._last is None else self._last.number + 1

    def step(
        self,
        number: int,
        arrived: Mapping[str, Arrivals],
        seen: Mapping[str, Seen] | None = None,
        entries: Callable[[], Entries] = dict,
    ) -> None:
        """Compute, deliver and commit an epoch from rows in this process, unless that has been done."""
        marks = {name: arrivals.watermark for name, arrivals in arrived.items()}

        def compute(lo: int) -> Computed:
            frames: dict[str, pl.DataFrame] = {}
            counts: dict[str, Seen] = {}
            for name, arrivals in arrived.items():
                frames[name], late = split_late(arrivals.frame, lo)
                if late.height:
                    self.late.set_aside(number, name, late)
                before = (seen or {}).get(name, _seen(arrivals.frame))
                counts[name] = before + Seen(late=late.height)
            hi = epoch_end(lo, self.epochs.after(marks))
            computed = self.placement.compute(number, lo, hi, frames)
            size = sum(int(arrivals.frame.estimated_size()) for arrivals in arrived.values())
            return Computed(hi, computed.outputs, counts, computed.parts, size)

        self.run(number, compute, lambda _: marks, entries)

    def run(
        self,
        number: int,
        compute: Callable[[int], Computed],
        watermarks: Callable[[Mapping[str, Seen]], Mapping[str, int]],
        entries: Callable[[], Entries] = dict,
    ) -> None:
        """Compute, deliver and commit the epoch of that number, unless that has been done.

        `compute` gets its begin; `watermarks` are those of the sources after what was seen of them;
        `entries` are those of the logs of sources that the epoch reads.
        """
        if self.is_done(number):
            return
        if self.store is not None:
            self.store.check()
        started, lo = time.perf_counter(), self.epochs.now
        computed = compute(lo)
        if computed.hi > lo:
            outputs = computed.outputs
            known = {name: sinks for name, sinks in self.sinks.items() if name in outputs}
            write_all(number, lo, computed.hi, [(s, outputs[name]) for name in known for s in known[name]])
        if late := {name: seen.late for name, seen in computed.seen.items() if seen.late}:
            self.epochs.lateness.note(lo, late, entries())
        self._advance(computed, watermarks(computed.seen))
        self._commit(number, lo, computed)
        self._note(number, lo, computed, started)

    def _advance(self, computed: Computed, watermarks: Mapping[str, int]) -> None:
        self.epochs.advance(watermarks)
        assert self.epochs.now == computed.hi
        for name, seen in computed.seen.items():
            self.epochs.late[name] += seen.late
            if seen.largest is not None:
                self.epochs.seen[name] = max(self.epochs.seen.get(name, seen.largest), seen.largest)
            self.epochs.note_latest(name, seen.latest)
        waiting = self.placement.waiting
        self.epochs.waiting = {
            source.name: max((waiting.get(place, 0) for place in self._moves.get(source.name, [])), default=0)
            for source in self.sources
        }

    def successor(self, graph: Graph, make: Callable[[Graph, Location | None], Placement]) -> Placement:
        """The placement of another graph, with the states of this one; between two epochs."""
        placement = make(graph, None if self.store is None else self.store.state)
        placement.succeed(self.placement, self.epochs.now)
        return placement

    def change(
        self,
        placement: Placement,
        graph: Graph,
        sinks: Mapping[str, Sequence[ElementSink]],
        parts: Sequence[Delivery],
    ) -> None:
        """Compute that graph with its placement from the next epoch on."""
        before = self._tables
        self.graph, self.placement, self.sinks, self.parts = graph, placement, sinks, parts
        self._moves = sources_of(placement.stages)
        staying = {id(table) for table in self._tables.values()}
        self._leaving += [table for table in before.values() if id(table) not in staying]

    def finish(self) -> None:
        """End all sources: time advances to its end."""
        if not self.is_ended:
            empty = {source.name: Arrivals(self.nothing(source), INFINITY) for source in self.sources}
            self.step(self.next_number, empty)

    def close(self) -> None:
        """Release the checkpoint: no more epochs will be computed."""
        if self.store is not None:
            self.store.close()

    def nothing(self, source: Source) -> pl.DataFrame:
        """The arrivals of a source without rows."""
        record = relations.RECORD if is_changelog(source) else {}
        return pl.DataFrame(schema={**frame_schema(source.plan.schema), **record})

    def _commit(self, number: int, lo: int, computed: Computed) -> None:
        manifest, epochs = Manifest(number, lo, computed.hi), self.epochs
        drafts = {folder: list(names) for folder, names in self._drafts.items()}
        for place, names in computed.parts.items():
            drafts.setdefault(str(self.parts[place].folder), []).extend(names)
        manifest.facts = {
            "watermarks": dict(epochs.watermarks), "late": dict(epochs.late), "seen": dict(epochs.seen),
            "latest": {name: list(times) for name, times in epochs.latest.items()},
            "tables": {name: table.last for name, table in self._tables.items()}, "parts": drafts,
            LATENESS: epochs.lateness.facts,
        }  # fmt: skip
        for place, names in computed.parts.items():
            self.parts[place].announce(names)
        if self.store is not None:
            manifest.state = self.placement.save(number)
            self.store.save(manifest, self._last)
        else:
            self.placement.forget_changes()
        self._last, self._drafts = manifest, {}
        while self._leaving:
            self._leaving.pop().remove(number - 1)
        for folder, names in drafts.items():
            publish(Path(folder), names)
        if self.store is not None:
            epochs.lateness.move(self.store.folder)
        if is_time_to_list(number, computed.hi):
            for delivery in self.parts:
                delivery.discard(number)

    def _note(self, number: int, lo: int, computed: Computed, started: float) -> None:
        sizes = self.placement.sizes.values()
        counts = {name: seen.rows for name, seen in computed.seen.items()}
        self.tracker.note(self.epochs, counts)
        self.done += 1
        self.events += sum(counts.values())
        self.progress.append(
            Progress(
                number, lo, computed.hi, sum(counts.values()),
                sum(seen.late for seen in computed.seen.values()),
                sum(rows for rows, _ in sizes) + sum(self.placement.waiting.values()),
                sum(size for _, size in sizes), time.perf_counter() - started,
                computed.driver_bytes, time.perf_counter(),
            )
        )  # fmt: skip


def _seen(frame: pl.DataFrame) -> Seen:
    largest = frame[FROM].max()
    return Seen(frame.height, largest if isinstance(largest, int) else None)
