"""From the elements of an epoch to the rows that its targets get."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import polars as pl

from slackwater.algebra import Kind, Schema
from slackwater.base.diagnostic import EngineError, SlackwaterError
from slackwater.base.filenames import file_name_of
from slackwater.base.places import Place
from slackwater.base.time import Clock
from slackwater.kernels.frames import N, columns_of
from slackwater.physical.lower import changes_of
from slackwater.run import problems
from slackwater.run.answers import as_changes, as_elements, as_stream, as_tagged, presented, repeated
from slackwater.sinks.problems import VIEW_OF_STREAM
from slackwater.sinks.targets import MODES, Target, View, wrong_mode
from slackwater.sinks.versions import COPIES, Versions
from slackwater.storage.locate import location
from slackwater.storage.location import Location

_OF_STREAMS = ("stream",)
_OF_CHANGES = ("changes", "table", "tagged")


@dataclass(frozen=True, slots=True)
class Delivery:
    """Gives a target each epoch in the mode of the target. A sink of the runtime."""

    target: Target
    mode: str
    clock: Clock
    schema: Schema
    key: tuple[str, ...] = ()
    versions: Versions | None = None

    def prepare(self, first: int | None) -> None:
        """Before the first epoch: discard what was delivered of it and never committed."""
        with self._reported():
            self.target.prepare(first)
        if first is not None and self.versions is not None:
            self.versions.forget(first)

    def write(self, number: int, lo: int, hi: int, elements: pl.DataFrame) -> None:
        if self.mode == "table":
            self._replace(number, elements)
            return
        elements = presented(elements, self.schema)
        match self.mode:
            case "elements":
                self._put(number, as_elements(elements, self.clock))
            case "stream":
                self._put(number, as_stream(elements, self.clock))
            case "changes":
                self._put(number, as_changes(elements, self.clock))
            case "tagged":
                self._put(number, as_tagged(elements, self.key, self.clock))

    def _put(self, number: int, frame: pl.DataFrame) -> None:
        with self._reported():
            self.target.put(number, frame)

    def _replace(self, number: int, changes: pl.DataFrame) -> None:
        assert self.versions is not None
        row = columns_of(changes)
        table = self.versions.advance(number, changes.select(*row, pl.col(N).alias(COPIES)))
        rows = repeated(table.rename({COPIES: N})).select(row)
        with self._reported():
            self.target.replace(number, presented(rows, self.schema))

    @contextmanager
    def _reported(self) -> Iterator[None]:
        """What a target raises is reported as its failure; a pipe that was closed is none."""
        try:
            yield
        except (SlackwaterError, BrokenPipeError):
            raise
        except Exception as why:
            where, kind = repr(self.target), type(why).__name__
            raise EngineError(problems.TARGET_FAILED.at(where=where, kind=kind, why=why)) from why


def mode_of(target: Target, kind: Kind) -> str:
    """The mode in which a target gets an answer of that kind; raises EngineError."""
    mode = target.mode or ("stream" if kind is Kind.STREAM else "changes")
    fitting = (
        _OF_STREAMS if kind is Kind.STREAM else tuple(other for other in MODES if other not in _OF_STREAMS)
    )
    if kind is Kind.STREAM and isinstance(target, View):
        raise EngineError(VIEW_OF_STREAM.at())
    if mode not in fitting:
        raise EngineError(wrong_mode(f"a {kind}", mode, " or ".join(fitting)))
    return mode


def output_of(name: str, mode: str) -> str:
    """The name of the output that a mode reads."""
    return changes_of(name) if mode in _OF_CHANGES else name


def versions_in(folder: Place | Location, name: str, place: int) -> Versions:
    return Versions(location(folder) / "tables" / f"{file_name_of(name)} {place}")
