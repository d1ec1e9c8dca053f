"""The store: the manifests of epochs, from which a run resumes.

    checkpoint/
      query.json                        what this checkpoint belongs to
      epochs/000000012.json             the manifest of epoch 12: its times, and the files that are in use
      state/000000012-1-0-5f1e.arrow    states: `cluster.states`

A manifest is written last and in one step: an epoch is committed whole or not at all. It is never replaced,
and two owners never write the same state file: if two runs believe they own the checkpoint, one commits.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Protocol

from slackwater.base.diagnostic import EngineError
from slackwater.base.places import Place
from slackwater.base.time import INFINITY
from slackwater.run.checkpoint.files import (
    CLAIM,
    EPOCHS,
    SPARK,
    STATE,
    foreign_checkpoint,
    listed,
    make_folder,
    read_json,
    reported,
    write_json,
)
from slackwater.run.checkpoint.manifests import Manifests
from slackwater.run.checkpoint.mirror import Mirror
from slackwater.run.checkpoint.offsets import missing_manifest
from slackwater.storage.locate import delete_all, location
from slackwater.storage.location import Location
from slackwater.storage.whole import broken_checkpoint

FORMAT = 3
"""The version of this layout; another one is refused. The first had no checksums, the second one format of
states for the driver and another for workers."""
LIST_EVERY = 20
"""After so many epochs, files of task attempts that were lost are looked for."""
_STATE_FILE = re.compile(r"\d{9}-.*\.arrow|\.\d{9}-.*\.tmp")
"""A file of a task, or its draft."""
_DRAFT = re.compile(r"\.\d.*\.tmp")
LOG = "log"
"""The fact that lists the copies of Spark's log."""


class Owner(Protocol):
    """An ownership of the checkpoint: `ownership.Ownership` or `leases.Lease`."""

    term: int

    def check(self) -> None: ...

    def release(self) -> None: ...


@dataclass(slots=True)
class Manifest:
    """An epoch: its number, its times, and the state after it."""

    number: int
    lo: int
    hi: int
    state: dict[str, Any] = field(default_factory=dict)
    """The facts of the placement, with the logs of state files."""
    facts: dict[str, Any] = field(default_factory=dict)
    """Further facts from which the runtime resumes: watermarks, counts."""

    @property
    def files(self) -> set[str]:
        """The names of the state files in use."""
        return {name for log in self.state.get("logs", {}).values() for name, *_ in log}


class Store:
    """The checkpoint of one query, in its own folder; with an ownership, of one run at a time."""

    def __init__(
        self, place: Place | Location, identity: Mapping[str, Any], ownership: Owner | None = None
    ) -> None:
        self.folder = location(place)
        self.mirror: Mirror | None = None
        """Copies Spark's log with each epoch, where the checkpoint is not on this machine."""
        self.state = self.folder / STATE
        self._ownership = ownership
        self._present: set[Location] | None = None
        """The files that this and earlier owners wrote; None before the first epoch."""
        self._manifests = Manifests(self.folder / EPOCHS, self._term)
        for subfolder in (self.folder / EPOCHS, self.state):
            make_folder(subfolder)
        self._claim(identity)
        if ownership is not None:
            self._manifests.begin()
            self._clean_drafts()

    def mirror_log(self, log: Path) -> None:
        """Restore Spark's log in a folder of this machine, and copy it with each epoch from now on."""
        last = self.last()
        self.mirror = Mirror(self.folder, log, self._term)
        if self.mirror.newest > self.done + 1:
            raise EngineError(missing_manifest(self.folder / EPOCHS, self.done, self.mirror.newest - 1))
        self.mirror.restore(last.facts.get(LOG, []) if last else [])

    def check(self) -> None:
        """Raise EngineError where another run owns the checkpoint by now."""
        if self._ownership is not None:
            self._ownership.check()

    def close(self) -> None:
        """Release the checkpoint for another run."""
        if self._ownership is not None:
            self._ownership.release()

    @property
    def _term(self) -> int:
        return 0 if self._ownership is None else self._ownership.term

    def _claim(self, identity: Mapping[str, Any]) -> None:
        expected = json.loads(json.dumps(identity))
        content = stored_identity(self.folder)
        if content is None:
            write_json(self.folder / CLAIM, {"format": FORMAT, **expected})
            return
        differing = [key for key in sorted({*expected, *content}) if expected.get(key) != content.get(key)]
        if differing:
            raise EngineError(foreign_checkpoint(self.folder, differing))

    def last(self) -> Manifest | None:
        """The newest committed epoch."""
        return self.manifest(self.done)

    @property
    def done(self) -> int:
        """The number of the newest epoch; -1 before the first."""
        return self._manifests.newest()

    @property
    def is_ended(self) -> bool:
        """Whether the newest epoch ends with time."""
        last = self.last()
        return last is not None and last.hi >= INFINITY

    def manifest(self, number: int) -> Manifest | None:
        content = self._manifests.read(number)
        if content is None:
            return None
        try:
            return Manifest(**content)
        except TypeError as error:
            raise EngineError(broken_checkpoint(self._manifests.path(number))) from error

    def save(self, manifest: Manifest, before: Manifest | None) -> None:
        """Write the manifest, then delete files that are no longer in use."""
        if self.mirror is not None:
            manifest.facts[LOG] = self.mirror.copy(manifest.number)
        self.check()
        self._manifests.commit(manifest.number, asdict(manifest))
        self._clean(manifest, before)

    def _clean(self, manifest: Manifest, before: Manifest | None) -> None:
        """Keep this epoch and the one before it, and what they need.

        Between two epochs no task runs that could need another file: what is listed and not needed is of
        epochs before, or of an attempt that was lost. An owner that has been replaced must not delete: its
        successor may have begun with files that it would delete. So it looks again after files are
        listed, and where manifests do not tell.
        """
        is_due = self._present is None or is_time_to_list(manifest.number, manifest.hi)
        # What cannot be listed or deleted now is tried again after a later epoch.
        if is_due:
            with contextlib.suppress(EngineError):
                self._present = self._all()
        if is_due or not self.folder.is_exclusive:
            self.check()
        if self._present is not None:
            alive = self._needed(manifest) | (set() if before is None else self._needed(before))
            self._present |= alive
            self._present -= delete_all(self._present - alive)

    def _needed(self, manifest: Manifest) -> set[Location]:
        return {
            self._manifests.own(manifest.number),
            *(self.state / name for name in manifest.files),
            *(self.folder / SPARK / name for name in manifest.facts.get(LOG, [])),
        }

    def _all(self) -> set[Location]:
        """All that owners up to this one wrote."""
        files = [self.state / name for name in filter(_STATE_FILE.fullmatch, listed(self.state))]
        return {*self._manifests.all(), *files, *(self.mirror.all() if self.mirror else ())}

    def _clean_drafts(self) -> None:
        """Delete drafts of an owner that was killed: no run uses them."""
        for folder in (self.folder / EPOCHS, self.state):
            for name in filter(_DRAFT.fullmatch, listed(folder)):
                with contextlib.suppress(OSError):
                    (folder / name).delete()


def is_time_to_list(number: int, hi: int) -> bool:
    """Whether files of lost attempts are looked for after an epoch: after every few, and after the last."""
    return number % LIST_EVERY == LIST_EVERY - 1 or hi >= INFINITY


def stored_identity(place: Place | Location) -> dict[str, Any] | None:
    """What a checkpoint belongs to, None for a new one; raises EngineError for one of another format."""
    folder = location(place)
    path = folder / CLAIM
    with reported(path):
        is_claimed = path.exists()
    if not is_claimed:
        return None
    content: dict[str, Any] = {} if _is_first_format(path) else read_json(path)
    if content.pop("format", None) != FORMAT:
        raise EngineError(foreign_checkpoint(folder, ["format"]))
    return content


def _is_first_format(path: Location) -> bool:
    try:
        return bool(json.loads(path.read())["format"] == 1)
    except (OSError, ValueError, KeyError, TypeError):
        return False
