"""From the elements of an epoch to the rows that its sinks get."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeGuard

import polars as pl

from slackwater.algebra import Kind, Schema
from slackwater.base.diagnostic import EngineError, SlackwaterError
from slackwater.base.filenames import file_name_of
from slackwater.base.places import Place
from slackwater.base.time import Clock
from slackwater.kernels.frames import N, columns_of
from slackwater.kernels.stacked import FEW
from slackwater.language.sinks import modes_of
from slackwater.physical.lower import changes_of
from slackwater.run import problems
from slackwater.run.answers import (
    all_as_changes,
    as_changes,
    as_elements,
    as_stream,
    as_tagged,
    presented,
    repeated,
    up_to,
)
from slackwater.run.receivers import ElementSink
from slackwater.sinks.driver import Sink, View, wrong_mode
from slackwater.sinks.files import Files
from slackwater.sinks.problems import VIEW_OF_STREAM
from slackwater.sinks.versions import COPIES, Versions
from slackwater.storage.locate import location
from slackwater.storage.location import Location

_OF_CHANGES = ("changes", "table", "tagged")


@dataclass(frozen=True, slots=True)
class Delivery:
    """Gives a sink each epoch in the mode of the sink. A sink of the runtime."""

    sink: Sink
    mode: str
    clock: Clock
    schema: Schema
    key: tuple[str, ...] = ()
    versions: Versions | None = None
    last: int | None = None
    """The last instant that is answered; None is the end of time."""

    def prepare(self, first: int | None) -> None:
        """Before the first epoch: discard what was delivered of it and never committed."""
        with self._reported():
            self.sink.prepare(first)
        if first is not None and self.versions is not None:
            self.versions.forget(first)

    def write(self, number: int, lo: int, hi: int, elements: pl.DataFrame) -> None:
        if self.mode == "table":
            self._replace(number, self._answered(elements))
        else:
            self.put(number, self._rows(elements))

    def _answered(self, elements: pl.DataFrame) -> pl.DataFrame:
        """The elements up to the last instant that is answered."""
        return elements if self.last is None else up_to(elements, self.last)

    def shown(self, elements: pl.DataFrame) -> pl.DataFrame:
        """The elements that are answered, in the types that readers get."""
        return presented(self._answered(elements), self.schema)

    def _rows(self, elements: pl.DataFrame) -> pl.DataFrame:
        """The rows that the sink gets of the elements of an epoch."""
        elements = self.shown(elements)
        match self.mode:
            case "elements":
                return as_elements(elements, self.clock)
            case "stream":
                return as_stream(elements, self.clock)
            case "changes":
                return as_changes(elements, self.clock)
            case _:
                return as_tagged(elements, self.key, self.clock)

    @property
    def has_parts(self) -> bool:
        """Whether tasks can write it, each the rows of its partition: not a table, nor rows by a key."""
        return isinstance(self.sink, Files) and self.mode in ("elements", "stream", "changes")

    def for_tasks(self) -> Delivery:
        """The same for tasks, whose working folder is another."""
        assert isinstance(self.sink, Files)
        return replace(self, sink=replace(self.sink, path=self.sink.folder.absolute()))

    @property
    def folder(self) -> Path:
        """The folder that parts are written to."""
        assert isinstance(self.sink, Files)
        return self.sink.folder

    def announce(self, names: Sequence[str]) -> None:
        """Before an epoch is committed: list the files that drafts of it become."""
        assert isinstance(self.sink, Files)
        self.sink.announce(names)

    def discard(self, last: int) -> None:
        """After an epoch is published: delete drafts of lost attempts at it, and at those before."""
        assert isinstance(self.sink, Files)
        self.sink.discard(last)

    def write_part(self, number: int, partition: int, elements: pl.DataFrame) -> str | None:
        """In a task: write the rows of a partition; the name of the draft, if there are rows."""
        assert isinstance(self.sink, Files)
        return self.sink.write_part(number, partition, self._rows(elements))

    def put(self, number: int, frame: pl.DataFrame) -> None:
        """Give the sink its rows of an epoch."""
        with self._reported():
            self.sink.put(number, frame)

    def _replace(self, number: int, changes: pl.DataFrame) -> None:
        assert self.versions is not None
        row = columns_of(changes)
        table = self.versions.advance(number, changes.select(*row, pl.col(N).alias(COPIES)))
        rows = repeated(table.rename({COPIES: N})).select(row)
        with self._reported():
            self.sink.replace(number, presented(rows, self.schema))

    @contextmanager
    def _reported(self) -> Iterator[None]:
        """What a sink raises is reported as its failure; a pipe that was closed is none."""
        try:
            yield
        except (SlackwaterError, BrokenPipeError):
            raise
        except Exception as why:
            where, kind = repr(self.sink), type(why).__name__
            raise EngineError(problems.SINK_FAILED.at(where=where, kind=kind, why=why)) from why


def write_all(number: int, lo: int, hi: int, answers: Sequence[tuple[ElementSink, pl.DataFrame]]) -> None:
    """Give the sinks of a session an epoch; changes of few rows are brought into their form together."""
    few = {at: sink for at, (sink, rows) in enumerate(answers) if _has_few_changes(sink, rows)}
    shown = [sink.shown(answers[at][1]) for at, sink in few.items()]
    clocks = [sink.clock for sink in few.values()]  # All of them are the session's.
    forms = dict(zip(few, all_as_changes(shown, clocks[0]), strict=True)) if few else {}
    for at, (sink, rows) in enumerate(answers):
        if at in forms:
            few[at].put(number, forms[at])
        else:
            sink.write(number, lo, hi, rows)


def _has_few_changes(sink: ElementSink, elements: pl.DataFrame) -> TypeGuard[Delivery]:
    return isinstance(sink, Delivery) and sink.mode == "changes" and elements.height < FEW


def mode_of(sink: Sink, kind: Kind, natural: str = "changes") -> str:
    """The mode in which a sink gets an answer of that kind; raises EngineError.

    `natural` is that of a relation if the sink names none.
    """
    mode = sink.mode or ("stream" if kind is Kind.STREAM else natural)
    fitting = modes_of(kind)
    if kind is Kind.STREAM and isinstance(sink, View):
        raise EngineError(VIEW_OF_STREAM.at())
    if mode not in fitting:
        raise EngineError(wrong_mode(f"a {kind}", mode, " or ".join(fitting)))
    return mode


def output_of(name: str, mode: str) -> str:
    """The name of the output that a mode reads."""
    return changes_of(name) if mode in _OF_CHANGES else name


def versions_in(folder: Place | Location, name: str, place: int) -> Versions:
    return Versions(location(folder) / "tables" / f"{file_name_of(name)} {place}")
