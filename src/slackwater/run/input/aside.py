"""Rows that cannot enter an answer: set aside in a readable place and counted, or refused.

checkpoint/late/readings/000000012.jsonl         rows that came after their epoch
checkpoint/malformed/readings/000000012.jsonl    rows that do not fit their columns
checkpoint/ahead/readings/000000012.jsonl        rows that are too far ahead of the clock
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from slackwater.base.diagnostic import Diagnostic, EngineError
from slackwater.base.filenames import file_name_of
from slackwater.base.places import Place
from slackwater.base.time import Clock
from slackwater.kernels.frames import FROM, columns_of
from slackwater.run.input import problems
from slackwater.run.input.misfits import Misfits, format_row
from slackwater.run.input.tags import TIME
from slackwater.sources.options import Options
from slackwater.storage.locate import location
from slackwater.storage.location import Location

LATE, MALFORMED, AHEAD = "late", "malformed", "ahead"


@dataclass(slots=True)
class Aside:
    """Handles late and malformed rows, by the options of each source."""

    options: Mapping[str, Options]
    clock: Clock
    folder: Place | Location
    number: int = 0
    """The epoch whose rows are being checked."""
    part: str = ""
    """Part of a file's name, where several tasks write the rows of an epoch."""
    malformed: dict[str, int] = field(default_factory=dict)
    ahead: dict[str, int] = field(default_factory=dict)
    read: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The columns of each source that were read."""

    def set_aside(self, number: int, source: str, rows: pl.DataFrame) -> None:
        """Write the late rows of an epoch, or refuse them."""
        rows = rows.select(*self.read.get(source, columns_of(rows)), FROM)
        if self.options[source].late == "fail":
            raise EngineError(_late_row(source, rows, self.clock))
        names = columns_of(rows)
        records = [
            {"time": self.clock.format(row[FROM]), **{name: row[name] for name in names}}
            for row in rows.iter_rows(named=True)
        ]
        self._write(LATE, number, source, records)

    def malformed_rows(self, misfits: Misfits) -> None:
        """Write rows that cannot enter with their reasons and files, or refuse them."""
        source = misfits.expected.name
        if self.options[source].malformed == "fail":
            raise EngineError(misfits.diagnostic)
        self._write(MALFORMED, self.number, source, misfits.records())
        self.malformed[source] = self.malformed.get(source, 0) + misfits.rows.height

    def ahead_rows(self, source: str, rows: pl.DataFrame) -> None:
        """Write rows that are further ahead of the clock than `max_ahead` allows."""
        names = [name for name in columns_of(rows) if name in self.read.get(source, ())]
        records = [
            {"time": self.clock.format(row[TIME]), **{name: row[name] for name in names}}
            for row in rows.iter_rows(named=True)
        ]
        self._write(AHEAD, self.number, source, records)
        self.ahead[source] = self.ahead.get(source, 0) + rows.height

    def _write(self, kind: str, number: int, source: str, records: list[dict[str, Any]]) -> None:
        path = self._folder(kind, source) / f"{number:09d}{self.part}.jsonl"
        text = "".join(json.dumps(record, default=str, ensure_ascii=False) + "\n" for record in records)
        try:
            # A task may run twice at once: each attempt has a draft of its own.
            path.write(text.encode(), mark=f".{uuid.uuid4().hex[:8]}" if self.part else "")
        except OSError as error:
            raise EngineError(unwritable_aside(path, source, error)) from error

    def rows(self, kind: str, source: str) -> list[dict[str, Any]]:
        """The rows of a source that were set aside, in the order of arrival."""
        folder = self._folder(kind, source)
        files = [folder / name for name in folder.files() if name.endswith(".jsonl")]
        return [json.loads(line) for path in files for line in path.read().decode().splitlines()]

    def forget(self, number: int) -> None:
        """Delete the rows of an epoch that was never committed: its batch may be planned or divided anew."""
        for kind in (LATE, MALFORMED, AHEAD):
            for source in self.options:
                folder = self._folder(kind, source)
                try:
                    for name in folder.files():
                        if name.startswith(f"{number:09d}"):
                            (folder / name).delete()
                except OSError as error:
                    raise EngineError(unwritable_aside(folder, source, error)) from error

    def _folder(self, kind: str, source: str) -> Location:
        return location(self.folder) / kind / file_name_of(source)


def _late_row(source: str, rows: pl.DataFrame, clock: Clock) -> Diagnostic:
    row = rows.row(0, named=True)
    values = {name: row[name] for name in columns_of(rows)}
    more = f" It is one of {rows.height} such rows in this batch." if rows.height > 1 else ""
    return problems.LATE_ROW.at(
        where=f'source "{source}"',
        source=source,
        row=format_row(values),
        time=clock.format(row[FROM]),
        more=more,
    )


def unwritable_aside(path: object, source: str, error: OSError) -> Diagnostic:
    return problems.UNWRITABLE_ASIDE.at(where=str(path), source=source, why=error.strerror or error)
