"""A task in CQL: a bound query, its steps run by the kernels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import polars as pl

from slackwater.algebra import Kind, Operator, Stream
from slackwater.algebra.users.functions import UserFunction
from slackwater.base.diagnostic import Diagnostic, EngineError
from slackwater.base.span import Text
from slackwater.base.time import Clock
from slackwater.bind.catalog import Catalog, Source
from slackwater.bind.program import bind_query
from slackwater.globe.compute import problems
from slackwater.globe.compute.computation import START, Inputs
from slackwater.globe.compute.items import pack_rows, unpack_rows
from slackwater.globe.compute.states import forget_changes, machine_frames, packed, restore_machine, unpacked
from slackwater.globe.declared import declare_stream
from slackwater.globe.model import Published, StreamId
from slackwater.kernels.frames import FROM, concatenated, empty, frame_schema
from slackwater.kernels.machine import Machine
from slackwater.optimize import optimized
from slackwater.physical.lower import changes_of, lowered

OUTPUT = "output"


def source_of(published: Published) -> Source:
    """The declaration of a published stream of rows; raises QueryError or EngineError."""
    catalog = Catalog()
    declare_stream(published.id, published.schema, catalog)
    (source,) = catalog.sources
    return replace(source, plan=replace(source.plan, name=published.id))


@dataclass(frozen=True, slots=True)
class Bound:
    """A query over declared streams: its plan, and the clock of the streams."""

    plan: Operator
    clock: Clock

    def as_source(self, name: StreamId) -> Source:
        """The result as the input of another query; raises EngineError where it is no stream."""
        if self.plan.kind is not Kind.STREAM:
            raise EngineError(problems.RELATION_AS_INPUT.at(name=name))
        calendar, zoned = self.clock.calendar, self.clock.zoned
        return Source(Stream(name, self.plan.schema), calendar=calendar, zoned=zoned)


def bound(text: str, sources: Sequence[Source], functions: Iterable[UserFunction] = ()) -> Bound:
    """A query in CQL over these streams, with functions of modules; raises QueryError."""
    catalog = Catalog()
    catalog.functions.update((function.name.lower(), function) for function in functions)
    for source in sources:
        catalog.declare(source)
    return Bound(bind_query(Text("<query>", text), catalog).plan, catalog.clock)


class RowTask:
    """Runs a query of CQL over elements. An epoch ends at its edge, which is an instant."""

    def __init__(self, query: Bound, sources: Sequence[Source]) -> None:
        changing = () if query.plan.kind is Kind.STREAM else (OUTPUT,)
        graph = lowered({OUTPUT: optimized(query.plan)}, begin=query.clock.begin, changing=changing)
        self._output = changes_of(OUTPUT) if changing else OUTPUT
        self._machine = Machine(graph)
        self._begin = query.clock.begin
        self._empty = {source.name: empty(source.plan.schema) for source in sources}
        self._columns = {source.name: list(frame_schema(source.plan.schema)) for source in sources}

    @property
    def is_stateful(self) -> bool:
        return bool(self._machine.states)

    def epoch(self, inputs: Inputs, after: int, edge: int) -> bytes:
        lo = self._begin if after == START else after
        frames = {name: self._between(name, parts, lo, edge) for name, parts in inputs.items()}
        outputs = self._machine.epoch(frames, lo, edge) if lo < edge else {}
        forget_changes(self._machine)
        return pack_rows(outputs[self._output]) if self._output in outputs else b""

    def _between(self, name: StreamId, parts: Sequence[bytes], lo: int, hi: int) -> pl.DataFrame:
        """The elements of an input that start in [lo, hi), of the epochs that reach into it."""
        frames = [unpack_rows(part, self._columns[name]) for part in parts]
        whole = concatenated([self._empty[name], *(frame for frame in frames if frame is not None)])
        return whole.filter(pl.col(FROM).is_between(lo, hi, closed="left"))

    def snapshot(self) -> bytes:
        return packed({}, machine_frames(self._machine))

    def restore(self, state: bytes) -> None:
        restore_machine(self._machine, unpacked(state)[1])

    def take_problems(self) -> list[Diagnostic]:
        return []


def row_task(
    text: str, sources: Mapping[StreamId, Source], functions: Iterable[UserFunction] = ()
) -> RowTask:
    """The task of a query over the streams that it names."""
    several = list(sources.values())
    return RowTask(bound(text, several, functions), several)
