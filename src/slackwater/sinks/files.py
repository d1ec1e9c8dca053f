"""Files that answers are written to: one for each epoch, there whole or not at all.

out/000000012.csv      what epoch 12 gave; written again, it is the same file
"""

from __future__ import annotations

import os
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from slackwater.base.diagnostic import Diagnostic, EngineError
from slackwater.base.places import local_path
from slackwater.sinks import folders, problems
from slackwater.sinks.formats import content_of
from slackwater.sinks.whole import write_whole

FORMATS = ("csv", "json", "parquet")


@dataclass(frozen=True, slots=True)
class Files:
    """A folder with one file for each epoch that brought something.

    `mode` is what is written: the `changes` of a relation, the rows of a `stream`, the `elements` with
    their intervals, or the `table` as it stands, in one file that is replaced.
    """

    path: str | Path
    format: str = "csv"
    mode: str | None = None
    overwrite: bool = False

    def __post_init__(self) -> None:
        if self.format not in FORMATS:
            raise EngineError(unknown_output(self.format))
        local_path(self.path, "answers")

    @property
    def folder(self) -> Path:
        return local_path(self.path, "answers")

    @property
    def place(self) -> str:
        """Two answers with one place would replace each other."""
        return f"folder {os.path.realpath(self.folder)}"

    def hold(self) -> AbstractContextManager[None]:
        """Let no other run write into the folder meanwhile; raises EngineError."""
        return folders.held(self.folder)

    def prepare(self, first: int | None) -> None:
        """Refuse a folder with answers of another run; take away what was never committed, and is ours."""
        kind = f"{folders.TABLE if self.mode == 'table' else folders.EPOCHS}.{self.format}"
        if first is None and not self.overwrite:
            if folders.ours_in(self.folder):
                raise EngineError(folders.occupied(self.folder))
            if others := sorted(self.folder.glob(f"*.{self.format}")):
                raise EngineError(folders.foreign_files(self.folder, others))
        elif strangers := folders.strangers_in(self.folder, kind, first or 0):
            raise EngineError(folders.foreign_files(self.folder, strangers))
        if first is None:
            folders.cleared(self.folder)
        else:
            self._path(first).unlink(missing_ok=True)

    def put(self, number: int, frame: pl.DataFrame) -> None:
        if frame.height:
            write_frame(self._path(number), frame, self.format)

    def _path(self, number: int) -> Path:
        return self.folder / f"{number:09d}.{self.format}"

    def replace(self, number: int, frame: pl.DataFrame) -> None:
        """The table as it stands, in place of what was there."""
        write_frame(self.folder / f"table.{self.format}", frame, self.format)


def write_frame(path: Path, frame: pl.DataFrame, kind: str) -> None:
    """Write a frame so that the file is there whole or not at all; raises EngineError."""
    folders.claim(path)
    try:
        write_whole(path, content_of(frame, kind))
    except OSError as error:
        raise EngineError(folders.unwritable(path, error)) from error


def unknown_output(given: str) -> Diagnostic:
    return problems.UNKNOWN_OUTPUT.at(given=given, formats=", ".join(FORMATS))
