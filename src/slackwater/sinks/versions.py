"""The current table of a sink, in versions so that an epoch can be repeated.

    tables/congested 0/000000012-5f1e1d4c.parquet    rows and the copies of each, after epoch 12; sealed

An epoch starts from the version of the last committed one, so that repeating it gives the same table. The
manifest has its name: a missing version is not mistaken for a table without rows, and one that a former
owner of the checkpoint writes, with another name, is not read.
"""

from __future__ import annotations

import contextlib
import io
import re
import uuid
from collections.abc import Iterator

import polars as pl

from slackwater.base.diagnostic import EngineError
from slackwater.base.places import Place
from slackwater.sinks.folders import unwritable
from slackwater.storage.locate import location
from slackwater.storage.location import Location
from slackwater.storage.whole import broken_checkpoint, sealed, unsealed

_VERSION = re.compile(r"\d{9}(-[0-9a-f]{8})?\.parquet")
COPIES = "@copies"


class Versions:
    def __init__(self, place: Place | Location) -> None:
        self.folder = location(place)
        self.last: str | int | None = None
        """The newest version, None where there is none yet; of slackwater 0.2, the number of its epoch."""
        self._token = uuid.uuid4().hex[:8]

    @property
    def name(self) -> str:
        return self.folder.name

    def resume(self, last: str | int | None) -> None:
        """Resume from that version; raises EngineError where it is missing or damaged."""
        self.last = f"{last:09d}" if isinstance(last, int) else last
        self._before()

    def forget(self, number: int) -> None:
        """Delete the versions of epochs that were never committed: of this one, and of later ones."""
        with _reported(self.folder):
            for version in self._versions():
                if int(version[:9]) >= number:
                    self._path(version).delete()

    def remove(self, last: int) -> None:
        """Delete the versions up to that epoch, of a query that has left."""
        with contextlib.suppress(OSError):
            for version in self._versions():
                if int(version[:9]) <= last:
                    self._path(version).delete()

    def advance(self, number: int, changes: pl.DataFrame) -> pl.DataFrame:
        """The table after the epoch: rows with their copies; `changes` are rows with the copies they add."""
        before = self._before()
        row = [name for name in changes.columns if name != COPIES]
        both = changes if before is None else pl.concat([before.select(changes.columns), changes])
        if row:
            table = both.group_by(row, maintain_order=True).agg(pl.col(COPIES).sum())
        else:
            table = both.select(pl.col(COPIES).sum())
        table = table.filter(pl.col(COPIES) > 0)
        version, former = f"{number:09d}-{self._token}", self.last
        _write(self._path(version), table)
        self.last = version
        self._clean(number, former)
        return table

    def _path(self, version: str | int) -> Location:
        return self.folder / f"{version}.parquet"

    def _versions(self) -> list[str]:
        names = self.folder.files()
        return [name.removesuffix(".parquet") for name in names if _VERSION.fullmatch(name)]

    def _before(self) -> pl.DataFrame | None:
        return None if self.last is None else _read(self._path(self.last))

    def _clean(self, number: int, former: str | int | None) -> None:
        """Keep this version and the one before it: the epoch may have to be repeated."""
        with contextlib.suppress(OSError):
            for version in self._versions():
                if int(version[:9]) < number and version != former:
                    self._path(version).delete()


def _write(path: Location, table: pl.DataFrame) -> None:
    buffer = io.BytesIO()
    table.write_parquet(buffer)
    with _reported(path):
        path.write(sealed(buffer.getvalue()))


@contextlib.contextmanager
def _reported(path: Location) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise EngineError(unwritable(path, error)) from error


def _read(path: Location) -> pl.DataFrame:
    try:
        return pl.read_parquet(io.BytesIO(unsealed(path.read())))
    except (OSError, ValueError, pl.exceptions.PolarsError) as error:
        raise EngineError(broken_checkpoint(path)) from error
