"""The folders of a run: its checkpoint, wherever that is, and what stays on this machine."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from slackwater.run.checkpoint.files import SPARK
from slackwater.storage.local import Local
from slackwater.storage.location import Location


@dataclass(frozen=True, slots=True)
class Folders:
    """Where the files of a run are."""

    state: Location
    local: Path
    """For Spark's log, and for rows of a large batch; the checkpoint itself, if it is on this machine."""

    @classmethod
    def at(cls, path: Path) -> Folders:
        return cls(Local(path), path)

    @property
    def log(self) -> Path:
        """Where Spark writes its log."""
        return self.local / SPARK

    @property
    def is_mirrored(self) -> bool:
        """Whether Spark's log has to be copied to the checkpoint."""
        return not isinstance(self.state, Local)
