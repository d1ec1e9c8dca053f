"""Sinks of answers other than files: the console, a Python function, memory, a view for Spark SQL."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol, TextIO

import polars as pl
from pyspark.sql import SparkSession

from slackwater.base.diagnostic import Diagnostic, EngineError
from slackwater.language.sinks import MODES
from slackwater.sinks import problems
from slackwater.sinks.folders import unwritable
from slackwater.sinks.values import format_value
from slackwater.sources.frames import spark_frame

__all__ = ["MODES", "Callback", "Console", "Memory", "Sink", "View", "wrong_mode"]


class Sink(Protocol):
    """Gets the rows of each epoch. After a failure an epoch may be repeated, with the same number.

    A sink for a single answer also has a `place`, which no other sink of the run may share.
    `hold()`, if it exists, is a context manager that locks the place against other runs.
    """

    @property
    def mode(self) -> str | None: ...

    def prepare(self, first: int | None) -> None:
        """Called once, before the first epoch, with its number.

        That epoch, and later ones, may have been delivered before without being committed. None for a new
        run.
        """

    def put(self, number: int, frame: pl.DataFrame) -> None:
        """Add the rows of the epoch."""

    def replace(self, number: int, frame: pl.DataFrame) -> None:
        """Replace the table by that after the epoch."""


@dataclass(slots=True)
class Console:
    """Prints each row on its own line."""

    mode: str | None = None
    stream: TextIO | None = None
    heading: bool = True
    _begun: bool = field(default=False, repr=False)

    def prepare(self, first: int | None) -> None:
        self._begun = False

    def put(self, number: int, frame: pl.DataFrame) -> None:
        out = self.stream or sys.stdout
        heading = [frame.columns] if frame.height and self.heading and not self._begun else []
        self._begun = self._begun or bool(heading)
        try:
            for row in (*heading, *frame.iter_rows()):
                out.write(" | ".join(map(format_value, row)) + "\n")
            out.flush()
        except BrokenPipeError:
            raise
        except (OSError, ValueError) as why:
            raise EngineError(unwritable(getattr(out, "name", "the console"), why)) from why

    def replace(self, number: int, frame: pl.DataFrame) -> None:
        self._begun = False
        self.put(number, frame)


@dataclass(slots=True)
class Callback:
    """Calls a function with a Polars DataFrame and the number of the epoch, for each epoch that has rows."""

    function: Callable[[pl.DataFrame, int], object]
    mode: str | None = None

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise EngineError(problems.NOT_A_FUNCTION.at(value=self.function))

    def prepare(self, first: int | None) -> None: ...

    def put(self, number: int, frame: pl.DataFrame) -> None:
        if frame.height:
            self._call(frame, number)

    def replace(self, number: int, frame: pl.DataFrame) -> None:
        self._call(frame, number)

    def _call(self, frame: pl.DataFrame, number: int) -> None:
        try:
            self.function(frame, number)
        except (Exception, SystemExit) as why:
            raise EngineError(callback_failed(self.function, why)) from why


@dataclass(slots=True)
class Memory:
    """Keeps the rows in this process: `frames` by epoch, or the current table."""

    mode: str | None = None
    frames: dict[int, pl.DataFrame] = field(default_factory=dict, repr=False)

    @property
    def place(self) -> str:
        return f"memory {id(self)}"

    def prepare(self, first: int | None) -> None:
        """Drop the rows of another run, and of epochs that will be repeated."""
        if self.mode != "table" or first is None:
            self.frames = {number: self.frames[number] for number in self.frames if number < (first or 0)}

    def put(self, number: int, frame: pl.DataFrame) -> None:
        if frame.height:
            self.frames[number] = frame

    def replace(self, number: int, frame: pl.DataFrame) -> None:
        self.frames = {number: frame}

    @property
    def rows(self) -> list[tuple[object, ...]]:
        return [row for number in sorted(self.frames) for row in self.frames[number].rows()]


@dataclass(slots=True)
class View:
    """A temporary view for Spark SQL: the current relation."""

    name: str
    mode: str | None = "table"
    spark: SparkSession | None = None

    @property
    def place(self) -> str:
        return f"view {self.name.lower()}"

    def prepare(self, first: int | None) -> None: ...

    def put(self, number: int, frame: pl.DataFrame) -> None:
        raise EngineError(wrong_mode("a view", str(self.mode), "table"))

    def replace(self, number: int, frame: pl.DataFrame) -> None:
        spark = self.spark or SparkSession.active()
        spark_frame(spark, frame.to_arrow()).createOrReplaceTempView(self.name)


def callback_failed(function: object, why: BaseException) -> Diagnostic:
    name = getattr(function, "__name__", type(function).__name__)
    return problems.CALLBACK_FAILED.at(name=name, kind=type(why).__name__, why=why)


def wrong_mode(what: str, mode: str, fitting: str) -> Diagnostic:
    return problems.WRONG_MODE.at(what=what, mode=mode, fitting=fitting)
