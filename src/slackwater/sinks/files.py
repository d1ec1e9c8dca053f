"""Files that answers are written to: one for each epoch, written whole or not at all.

out/000000012.csv      the answer of epoch 12; written again, it is the same file
"""

from __future__ import annotations

import os
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from slackwater.base.diagnostic import EngineError
from slackwater.base.places import local_path
from slackwater.sinks import folders, problems
from slackwater.sinks.formats import content_of
from slackwater.storage.whole import write_whole

FORMATS = ("csv", "json", "parquet")


@dataclass(frozen=True, slots=True)
class Files:
    """A folder with one file for each epoch that has rows.

    `mode` is what is written: the `changes` of a relation, the rows of a `stream`, the `elements` with
    their intervals, or the current `table`, in one file that is replaced.
    """

    path: str | Path
    format: str = "csv"
    mode: str | None = None
    overwrite: bool = False

    def __post_init__(self) -> None:
        if self.format not in FORMATS:
            raise EngineError(problems.UNKNOWN_OUTPUT.at(given=self.format, formats=", ".join(FORMATS)))
        local_path(self.path, "answers")

    @property
    def folder(self) -> Path:
        return local_path(self.path, "answers")

    @property
    def place(self) -> str:
        """Two answers with one place would replace each other."""
        return f"folder {os.path.realpath(self.folder)}"

    def hold(self) -> AbstractContextManager[None]:
        """Lock the folder against other runs; raises EngineError."""
        return folders.held(self.folder)

    def prepare(self, first: int | None) -> None:
        """Refuse a folder with answers of another run; delete our files that were never committed."""
        kind = f"{folders.TABLE if self.mode == 'table' else folders.EPOCHS}.{self.format}"
        if first is None and not self.overwrite:
            if folders.ours_in(self.folder):
                raise EngineError(problems.OCCUPIED_FOLDER.at(where=str(self.folder)))
            if others := sorted(self.folder.glob(f"*.{self.format}")):
                raise EngineError(folders.foreign_files(self.folder, others))
        elif foreign := folders.foreign_in(self.folder, kind, first or 0):
            raise EngineError(folders.foreign_files(self.folder, foreign))
        if first is None:
            folders.clear(self.folder)
        else:
            self._path(first).unlink(missing_ok=True)

    def put(self, number: int, frame: pl.DataFrame) -> None:
        if frame.height:
            write_frame(self._path(number), frame, self.format)

    def _path(self, number: int) -> Path:
        return self.folder / f"{number:09d}.{self.format}"

    def replace(self, number: int, frame: pl.DataFrame) -> None:
        """Replace the file with the current table."""
        write_frame(self.folder / f"table.{self.format}", frame, self.format)


def write_frame(path: Path, frame: pl.DataFrame, kind: str) -> None:
    """Write a frame to a file, whole or not at all; raises EngineError."""
    folders.claim(path)
    try:
        write_whole(path, content_of(frame, kind))
    except OSError as error:
        raise EngineError(folders.unwritable(path, error)) from error
