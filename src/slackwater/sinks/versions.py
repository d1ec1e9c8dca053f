"""The current table of a target, in versions so that an epoch can be repeated.

    versions/000000012.parquet      rows and the copies of each, after epoch 12; sealed

An epoch starts from the version of the last committed one, so that repeating it gives the same table. The
manifest has that number: a missing version is not mistaken for a table without rows.
"""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Iterator

import polars as pl

from slackwater.base.diagnostic import EngineError
from slackwater.base.places import Place
from slackwater.sinks.folders import unwritable
from slackwater.storage.locate import location
from slackwater.storage.location import Location
from slackwater.storage.whole import broken_checkpoint, sealed, unsealed

_VERSION = re.compile(r"\d{9}\.parquet")
COPIES = "@copies"


class Versions:
    def __init__(self, place: Place | Location) -> None:
        self.folder = location(place)
        self.last: int | None = None
        """The epoch of the newest version; None where the table has none yet."""

    @property
    def name(self) -> str:
        return self.folder.name

    def resume(self, last: int | None) -> None:
        """Resume from the version of that epoch; raises EngineError where it is missing or damaged."""
        self.last = last
        self._before()

    def forget(self, number: int) -> None:
        """Delete the version of an epoch that was never committed."""
        with _reported(self._path(number)):
            self._path(number).delete()

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
        _write(self._path(number), table)
        self.last = number
        self._clean(number)
        return table

    def _path(self, number: int) -> Location:
        return self.folder / f"{number:09d}.parquet"

    def _numbers(self) -> list[int]:
        with _reported(self.folder):
            return sorted(int(name[:9]) for name in self.folder.files() if _VERSION.fullmatch(name))

    def _before(self) -> pl.DataFrame | None:
        return None if self.last is None else _read(self._path(self.last))

    def _clean(self, number: int) -> None:
        """Keep this version and the one before it: the epoch may have to be repeated."""
        for version in [version for version in self._numbers() if version < number][:-1]:
            with contextlib.suppress(OSError):
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
