"""Which batches had late rows, and the instant before which rows of them were late.

A row is late by the epoch in which it is read. Who reads the same files again has to leave out the same rows:

    entries   0 1 2 3 4 …        of the log of a source: `offsets`
    late            └─ [3, 3, 17, 2]    two rows of entry 3 were before 17, where its epoch began

Batches without late rows are not listed. The manifest of an epoch has the last of these records; earlier ones
are in files, which are written once the epoch that listed them is committed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from slackwater.run.checkpoint.files import LATENESS, make_folder, read_json, write_json
from slackwater.storage.location import Location

MOST_RECENT = 200
"""How many records a manifest has before they are moved to a file."""
Entries = Mapping[str, tuple[int, int]]
"""The first and the last entry of the log that a batch reads of each source of files."""


@dataclass(slots=True)
class Lateness:
    """The records of batches with late rows: source, first entry, last entry, begin of the epoch, rows."""

    files: int = 0
    """How many files of records there are."""
    recent: list[tuple[str, int, int, int, int]] = field(default_factory=list)

    @classmethod
    def of(cls, facts: Mapping[str, Any]) -> Lateness:
        """From the facts of a manifest; those of slackwater 0.2 have none."""
        content = facts.get(LATENESS, {"files": 0, "recent": []})
        return cls(content["files"], [tuple(record) for record in content["recent"]])

    @property
    def facts(self) -> dict[str, Any]:
        return {"files": self.files, "recent": list(self.recent)}

    def note(self, lo: int, late: Mapping[str, int], entries: Entries) -> None:
        """Note the late rows of an epoch that begins at lo; those of sources without a log are not noted."""
        self.recent += [(name, *entries[name], lo, rows) for name, rows in late.items() if name in entries]

    def move(self, folder: Location) -> None:
        """Once an epoch is committed: move records to a file where they are many."""
        if len(self.recent) >= MOST_RECENT:
            make_folder(folder / LATENESS)
            write_json(_path(folder, self.files), self.recent)
            self.files, self.recent = self.files + 1, []

    def bounds(self, folder: Location, source: str, rows: int) -> dict[int, int] | None:
        """By entry, the instant before which rows were late; None where not all late rows are noted."""
        before = [record for number in range(self.files) for record in read_json(_path(folder, number))]
        records = [record for record in [*before, *self.recent] if record[0] == source]
        if sum(count for *_, count in records) != rows:
            return None
        return {entry: lo for _, first, last, lo, _ in records for entry in range(first, last + 1)}


def _path(folder: Location, number: int) -> Location:
    return folder / LATENESS / f"{number:09d}.json"
