"""The manifests of a checkpoint: which epochs are committed.

    epochs/000000012.json       where creating a file is exclusive: epoch 12 is committed
    epochs/000000012-8.json     elsewhere, as on object stores: epoch 12 is committed by owner 8

In the second case a former owner that was paused may still write a manifest. So only those of the latest term
count, and an owner begins with a copy of the manifest that it resumes from:

    owner 7     10-7   11-7          12-7      late, and ignored: a later term has begun
    owner 8            11-8   12-8

Before the first epoch the copy is `begin-8.json`, without content that counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from slackwater.base.diagnostic import EngineError
from slackwater.run.checkpoint.files import MANIFEST, listed, read_json, reported, write_json
from slackwater.run.checkpoint.holders import lost_checkpoint
from slackwater.storage.location import Location

_BEGIN = "begin"


@dataclass(frozen=True, slots=True)
class Manifests:
    """The manifests in a folder, as the owner of that term reads and writes them."""

    folder: Location
    term: int

    def newest(self) -> int:
        """The number of the newest epoch; -1 before the first."""
        return max(self._committed(), default=-1)

    def read(self, number: int) -> Any:
        """The content of a manifest; None where the epoch is not committed."""
        if number < 0:
            return None
        path = self.path(number)
        with reported(path):
            is_committed = path.exists()
        return read_json(path) if is_committed else None

    def path(self, number: int) -> Location:
        """The manifest that commits the epoch, if it is committed."""
        return (
            self.own(number) if self.folder.is_exclusive else self._committed().get(number, self.own(number))
        )

    def own(self, number: int) -> Location:
        """The manifest by which this owner commits the epoch, or has resumed from it."""
        epoch = _BEGIN if number < 0 else f"{number:09d}"
        return self.folder / (f"{epoch}.json" if self.folder.is_exclusive else f"{epoch}-{self.term}.json")

    def begin(self) -> None:
        """Let no manifest of an earlier term count that is written from now on."""
        if not self.folder.is_exclusive:
            newest = self.newest()
            write_json(self.own(newest), self.read(newest) or {})

    def commit(self, number: int, content: object) -> None:
        """Write the manifest of an epoch; raises EngineError where another owner has done so."""
        try:
            write_json(self.own(number), content, mark=f".{self.term}", is_new=self.folder.is_exclusive)
        except FileExistsError as error:
            raise EngineError(lost_checkpoint(self.folder)) from error

    def all(self) -> list[Location]:
        """The manifests of this term and earlier ones, whether they count or not."""
        return [self.folder / name for _, term, name in self._names() if term <= self.term]

    def _committed(self) -> dict[int, Location]:
        names = self._names()
        latest = max((term for _, term, _ in names), default=0)
        return {number: self.folder / name for number, term, name in names if term == latest and number >= 0}

    def _names(self) -> list[tuple[int, int, str]]:
        """Epoch, term and name of each."""
        matches = [match for name in listed(self.folder) if (match := MANIFEST.fullmatch(name))]
        return [
            (-1 if match[1] == _BEGIN else int(match[1]), int(match[2] or 0), match[0]) for match in matches
        ]
