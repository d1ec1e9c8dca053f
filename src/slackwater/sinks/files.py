"""Files that answers are written to: one for each epoch, written whole or not at all.

out/000000012.csv      the answer of epoch 12; written again, it is the same file
out/000000012-3.csv    the part of it that partition 3 wrote, visible once the epoch is committed
"""

from __future__ import annotations

import os
import re
import uuid
from collections.abc import Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from slackwater.base.diagnostic import EngineError
from slackwater.base.places import local_path
from slackwater.language.sinks import KEYED_MODE, OUTPUT_FORMATS
from slackwater.sinks import folders, problems
from slackwater.sinks.formats import content_of
from slackwater.storage.whole import write_whole

_PART = ".part"
"""The end of a draft's name, written by a task before the epoch is committed."""
_DRAFT = re.compile(r"\.{1,2}(\d{9})-.*\.part(\.tmp)?")
"""A draft, or the file that becomes one."""


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
    key: tuple[str, ...] = field(default=(), repr=False)
    """The columns by which the mode `tagged` identifies a row; by default a key that the query shows."""

    def __post_init__(self) -> None:
        if self.format not in OUTPUT_FORMATS:
            formats = ", ".join(OUTPUT_FORMATS)
            raise EngineError(problems.UNKNOWN_OUTPUT.at(format=self.format, formats=formats))
        if self.key and self.mode != KEYED_MODE:
            raise EngineError(problems.KEY_WITHOUT_EFFECT.at(mode=self.mode))
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
            for path in folders.ours_from(self.folder, first):
                path.unlink(missing_ok=True)
        self.discard()

    def put(self, number: int, frame: pl.DataFrame) -> None:
        if frame.height:
            write_frame(self._path(number), frame, self.format)

    def write_part(self, number: int, partition: int, frame: pl.DataFrame) -> str | None:
        """In a task: write the rows of a partition to a draft; the name of it, if there are rows."""
        if not frame.height:
            return None
        name = f".{number:09d}-{partition}-{uuid.uuid4().hex[:8]}.{self.format}{_PART}"
        try:
            write_whole(self.folder / name, content_of(frame, self.format))
        except OSError as error:
            raise EngineError(folders.unwritable(self.folder / name, error)) from error
        return name

    def announce(self, names: Sequence[str]) -> None:
        """List the files that drafts will become, before the epoch is committed.

        Raises EngineError for a draft that is not there: a task wrote it to a folder of another machine.
        """
        if missing := [name for name in names if not (self.folder / name).exists()]:
            why = OSError("a worker wrote it, but the driver does not see it: the folder must be shared")
            raise EngineError(folders.unwritable(self.folder / missing[0], why))
        folders.claim_all([self.folder / _published(name) for name in names])

    def discard(self, last: int | None = None) -> None:
        """Delete drafts of epochs up to the last one that is published, or of all: no report names them."""
        with suppress(OSError):
            for path in self.folder.glob(".*"):
                draft = _DRAFT.fullmatch(path.name)
                if draft and (last is None or int(draft[1]) <= last):
                    path.unlink(missing_ok=True)

    def _path(self, number: int) -> Path:
        return self.folder / f"{number:09d}.{self.format}"

    def replace(self, number: int, frame: pl.DataFrame) -> None:
        """Replace the file with the current table."""
        write_frame(self.folder / f"table.{self.format}", frame, self.format)


def publish(folder: Path, names: Sequence[str]) -> None:
    """Give drafts of a committed epoch the names of answers; those that have them already stay."""
    for name in names:
        try:
            (folder / name).rename(folder / _published(name))
        except FileNotFoundError as error:
            if not (folder / _published(name)).exists():
                raise EngineError(folders.unwritable(folder / name, error)) from error
        except OSError as error:
            raise EngineError(folders.unwritable(folder / name, error)) from error


def _published(draft: str) -> str:
    """000000012-3.csv, of a draft .000000012-3-5f1e1d4c.csv.part"""
    number, partition, rest = draft.removeprefix(".").removesuffix(_PART).split("-", 2)
    return f"{number}-{partition}.{rest.rpartition('.')[2]}"


def write_frame(path: Path, frame: pl.DataFrame, kind: str) -> None:
    """Write a frame to a file, whole or not at all; raises EngineError."""
    folders.claim(path)
    try:
        write_whole(path, content_of(frame, kind))
    except OSError as error:
        raise EngineError(folders.unwritable(path, error)) from error
