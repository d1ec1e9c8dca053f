"""The runtime: arrivals in, answers out, one epoch for every batch, each committed whole or not at all.

    batch ─► epoch ─► relations ─► machine ─► sinks ─► manifest
                                                          └─ the epoch is committed

It knows neither Spark nor where rows come from; `drive` feeds it.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import polars as pl

from slackwater.algebra import Relation
from slackwater.base.diagnostic import Diagnostic, EngineError
from slackwater.base.time import INFINITY
from slackwater.bind.catalog import Source
from slackwater.kernels import relations
from slackwater.kernels.frames import empty
from slackwater.kernels.machine import Machine
from slackwater.kernels.state import State
from slackwater.physical.graph import Graph
from slackwater.run.checkpoint.store import Manifest, Store
from slackwater.run.cluster.machine import facts_of, resume_states
from slackwater.run.epochs import Arrivals, Epoch, Epochs
from slackwater.run.progress import SourceTracker
from slackwater.sinks.problems import NEW_TABLE
from slackwater.sinks.versions import Versions

MOST_PROGRESS = 1_000
"""How many epochs are remembered to report progress."""


class Sink(Protocol):
    """The sink of an output. Called once for every epoch, again with the same number after a failure.

    One that keeps a table in the checkpoint has its `versions`.
    """

    def write(self, number: int, lo: int, hi: int, elements: pl.DataFrame) -> None: ...


class LateSink(Protocol):
    """Where rows go that came too late; raising refuses them."""

    def set_aside(self, number: int, source: str, rows: pl.DataFrame) -> None: ...


@dataclass(frozen=True, slots=True)
class Progress:
    """The figures of one epoch."""

    number: int
    lo: int
    hi: int
    events: int
    late: int
    state_rows: int
    state_bytes: int
    seconds: float


@dataclass(slots=True)
class Runtime:
    """Runs a graph over sources; resumes from its store."""

    graph: Graph
    sources: Sequence[Source]
    sinks: Mapping[str, Sequence[Sink]]
    late: LateSink
    store: Store | None = None
    make: Callable[[Graph], Machine] = Machine
    """Makes the machine: in the driver, or `workers.in_workers`."""
    progress: deque[Progress] = field(default_factory=lambda: deque(maxlen=MOST_PROGRESS))
    """The figures of the last epochs."""
    done: int = 0
    """How many epochs this start has committed, and of how many events."""
    events: int = 0
    tracker: SourceTracker = field(default_factory=SourceTracker)
    """The progress of each source."""
    epochs: Epochs = field(init=False)
    machine: Machine = field(init=False)
    _relations: dict[str, State] = field(init=False, default_factory=dict)
    _last: Manifest | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self.machine = self.make(self.graph)
        self.epochs = Epochs(tuple(source.name for source in self.sources), self.graph.begin)
        for source in self.sources:
            if isinstance(source.plan, Relation):
                names = source.plan.schema.names
                self._relations[source.name] = State(relations.state_layout(names, source.plan.key))
        if self.store is not None:
            self._resume(self.store)
        self.tracker.begin(self.epochs)

    def _resume(self, store: Store) -> None:
        self._last = store.last()
        if self._last is not None:
            store.load(self._last, self._states())
            resume_states(self.machine, store.folder, self._last.facts, self._last.hi)
            self.epochs.now = self._last.hi
            self.epochs.watermarks.update(self._last.facts["heartbeats"])
            self.epochs.late.update(self._last.facts["late"])
            self.epochs.seen.update(self._last.facts.get("seen", {}))
            self._resume_tables(self._last.facts.get("tables", {}))

    def _resume_tables(self, versions: Mapping[str, str | int | None]) -> None:
        for name, table in self._tables.items():
            if name not in versions:
                raise EngineError(NEW_TABLE.at(where=str(table.folder)))
            table.resume(versions[name])

    @property
    def _tables(self) -> dict[str, Versions]:
        """The tables that sinks keep, by name."""
        tables = [getattr(sink, "versions", None) for sinks in self.sinks.values() for sink in sinks]
        return {table.name: table for table in tables if table is not None}

    def _states(self) -> dict[str, State]:
        """All states, by names that stay the same from one start to the next."""
        return {
            **{f"step {place}": state for place, state in enumerate(self.machine.states)},
            **{f"relation {name}": state for name, state in self._relations.items()},
            **{f"source {name}": state for name, state in self.epochs.states.items()},
        }

    @property
    def is_ended(self) -> bool:
        return self.epochs.now >= INFINITY

    def is_done(self, number: int) -> bool:
        """Whether the epoch of that number has been committed."""
        return self._last is not None and self._last.number >= number

    @property
    def committed(self) -> int:
        """Everything before this instant is answered."""
        return self.graph.begin if self._last is None else self._last.hi

    @property
    def next_number(self) -> int:
        return 0 if self._last is None else self._last.number + 1

    def step(self, number: int, arrived: Mapping[str, Arrivals]) -> None:
        """Compute, deliver and commit the epoch of that number, unless that has been done."""
        if self.is_done(number):
            return
        if self.store is not None:
            self.store.check()
        started = time.perf_counter()
        epoch = self.epochs.advance(arrived)
        for name, rows in epoch.late.items():
            self.late.set_aside(number, name, rows)
        inputs = {name: self._elements(name, frame) for name, frame in epoch.ready.items()}
        outputs = self.machine.epoch(inputs, epoch.lo, epoch.hi) if epoch.hi > epoch.lo else {}
        for name, sinks in self.sinks.items():
            for sink in sinks:
                if name in outputs:
                    sink.write(number, epoch.lo, epoch.hi, outputs[name])
        self._commit(number, epoch.lo, epoch.hi)
        self._note(number, epoch, arrived, started)

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
        frame = empty(source.plan.schema)
        if is_changelog(source):
            numbers = (relations.SEQUENCE, relations.RANK, relations.PIECE)
            frame = frame.with_columns(
                pl.lit(None, pl.String).alias(relations.OP),
                *(pl.lit(0, pl.Int64).alias(name) for name in numbers),
            )
        return frame

    def _elements(self, name: str, frame: pl.DataFrame) -> pl.DataFrame:
        source = next(known for known in self.sources if known.name == name)
        if not isinstance(source.plan, Relation) or not is_changelog(source):
            return frame
        try:
            return relations.apply_records(
                self._relations[name], frame, source.plan.schema.names, source.plan.key
            )
        except relations.Misfit as misfit:
            raise EngineError([_of_source(name, diagnostic) for diagnostic in misfit.diagnostics]) from None

    def _commit(self, number: int, lo: int, hi: int) -> None:
        manifest = Manifest(number, lo, hi)
        epochs = self.epochs
        manifest.facts = {
            "heartbeats": dict(epochs.watermarks), "late": dict(epochs.late), "seen": dict(epochs.seen)
        }  # fmt: skip
        manifest.facts["tables"] = {name: table.last for name, table in self._tables.items()}
        manifest.facts |= facts_of(self.machine)
        if self.store is not None:
            self.store.save(manifest, self._last, self._states())
        else:
            for state in self._states().values():
                state.changes.clear()
        self._last = manifest

    def _note(self, number: int, epoch: Epoch, arrived: Mapping[str, Arrivals], started: float) -> None:
        beside = [*self._relations.values(), *self.epochs.states.values()]
        sizes = [*self.machine.sizes, *((state.rows, state.bytes) for state in beside)]
        self.tracker.note(self.epochs, arrived)
        self.done += 1
        self.events += sum(arrivals.frame.height for arrivals in arrived.values())
        self.progress.append(
            Progress(
                number, epoch.lo, epoch.hi,
                sum(arrivals.frame.height for arrivals in arrived.values()),
                sum(rows.height for rows in epoch.late.values()),
                sum(rows for rows, _ in sizes),
                sum(size for _, size in sizes),
                time.perf_counter() - started,
            )
        )  # fmt: skip


def is_changelog(source: Source) -> bool:
    """Whether rows are changes of a relation; rows that carry their own end are elements already."""
    return isinstance(source.plan, Relation) and "until" not in source.options


def _of_source(name: str, diagnostic: object) -> Diagnostic:
    assert isinstance(diagnostic, Diagnostic)
    return replace(diagnostic, where=diagnostic.where or f'relation "{name}"')
