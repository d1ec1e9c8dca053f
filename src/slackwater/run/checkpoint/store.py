"""The store: the state after an epoch, on disk, from which a run resumes.

    checkpoint/
      query.json                 what this checkpoint belongs to
      epochs/000000012.json      the manifest of epoch 12: its times, and the files that are alive
      state/000000012-7.arrow    what changed in epoch 12, or everything, if it is a snapshot; by owner 7

A manifest is written last and in one step: an epoch is committed whole or not at all. It is never replaced,
and two owners never write the same state file: if two runs believe they own the checkpoint, one commits.
"""

from __future__ import annotations

import contextlib
import io
import json
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from slackwater.base.diagnostic import EngineError
from slackwater.base.time import INFINITY
from slackwater.kernels.state import State
from slackwater.run.checkpoint.files import (
    CLAIM,
    EPOCHS,
    STATE,
    foreign_checkpoint,
    make_folder,
    numbered,
    read_json,
    reading,
    write_json,
    write_state,
)
from slackwater.run.checkpoint.ownership import Ownership, lost_checkpoint
from slackwater.storage.whole import broken_checkpoint, checksum

FORMAT = 2
"""The version of this layout; another one is refused. The first had no checksums."""
_LEAST_SNAPSHOT = 4_000_000
"""Changes below this many bytes are not worth a snapshot."""


@dataclass(frozen=True, slots=True)
class Piece:
    """The place of one frame's change in a state file."""

    owner: str
    frame: str
    replaced: bool
    offset: int
    length: int


@dataclass(frozen=True, slots=True)
class StateFile:
    name: str
    pieces: tuple[Piece, ...]
    snapshot: bool
    bytes: int
    crc: str


@dataclass(slots=True)
class Manifest:
    """An epoch: its number, its times, and the state files that are in use after it."""

    number: int
    lo: int
    hi: int
    files: list[StateFile] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)
    """Further facts from which the runtime resumes: watermarks, counts."""


class Store:
    """The checkpoint of one query, in its own folder; with an ownership, of one run at a time."""

    def __init__(self, folder: Path, identity: Mapping[str, Any], ownership: Ownership | None = None) -> None:
        self.folder = folder
        self._epochs, self._state = folder / EPOCHS, folder / STATE
        self._ownership = ownership
        for subfolder in (self._epochs, self._state):
            make_folder(subfolder)
        self._claim(identity)
        if ownership is not None:
            self._clean_drafts()

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
        expected = json.loads(json.dumps({"format": FORMAT, **identity}))
        path = self.folder / CLAIM
        if not path.exists():
            write_json(path, expected)
            return
        if _is_first_format(path):
            raise EngineError(foreign_checkpoint(self.folder, ["format"]))
        content = read_json(path)
        differing = [key for key in sorted({*expected, *content}) if expected.get(key) != content.get(key)]
        if differing:
            raise EngineError(foreign_checkpoint(self.folder, differing))

    def last(self) -> Manifest | None:
        """The newest committed epoch."""
        return self.manifest(self.done)

    @property
    def done(self) -> int:
        """The number of the newest epoch; -1 before the first."""
        return max(numbered(self._epochs, ".json"), default=-1)

    @property
    def is_ended(self) -> bool:
        """Whether the newest epoch ends with time."""
        last = self.last()
        return last is not None and last.hi >= INFINITY

    def manifest(self, number: int) -> Manifest | None:
        path = self._epochs / f"{number:09d}.json"
        if not path.exists():
            return None
        content = read_json(path)
        try:
            files = [
                StateFile(**{**file, "pieces": tuple(Piece(**piece) for piece in file["pieces"])})
                for file in content["files"]
            ]
            return Manifest(content["number"], content["lo"], content["hi"], files, content["facts"])
        except (KeyError, TypeError) as error:
            raise EngineError(broken_checkpoint(path)) from error

    def load(self, manifest: Manifest, states: Mapping[str, State]) -> None:
        """Fill the states from the files of the manifest."""
        for file in manifest.files:
            if not file.pieces:
                continue
            with reading(self._state / file.name, file.crc) as content:
                for piece in file.pieces:
                    frame = pl.read_ipc(io.BytesIO(content[piece.offset : piece.offset + piece.length]))
                    states[piece.owner].restore(piece.frame, frame, piece.replaced)
        for state in states.values():
            state.expire(manifest.hi)

    def save(self, manifest: Manifest, before: Manifest | None, states: Mapping[str, State]) -> None:
        """Write what changed, then the manifest, then delete files that are no longer in use."""
        old = before.files if before else []
        since = sum(file.bytes for file in old if not file.snapshot)
        whole = sum(state.bytes for state in states.values())
        snapshot = not old or since > max(_LEAST_SNAPSHOT, 2 * whole)
        file = self._write_state(manifest.number, states, snapshot)
        former = [] if snapshot else old
        manifest.files = [*former, file] if file.pieces or snapshot else list(former)
        self.check()
        self._write_manifest(manifest)
        for state in states.values():
            state.changes.clear()
        self._clean(manifest)

    def _write_manifest(self, manifest: Manifest) -> None:
        path = self._epochs / f"{manifest.number:09d}.json"
        try:
            write_json(path, asdict(manifest), mark=f".{self._term}", is_new=True)
        except FileExistsError as error:
            raise EngineError(lost_checkpoint(self.folder)) from error

    def _write_state(self, number: int, states: Mapping[str, State], snapshot: bool) -> StateFile:
        buffer = io.BytesIO()
        pieces: list[Piece] = []
        for owner, state in states.items():
            for name, replaced, frames in _parts(state, snapshot):
                offset = buffer.tell()
                pl.concat(frames, how="diagonal").write_ipc(buffer)
                pieces.append(Piece(owner, name, replaced, offset, buffer.tell() - offset))
        name = f"{number:09d}-{self._term}.arrow"
        if pieces:
            write_state(self._state / name, buffer.getbuffer())
        return StateFile(name, tuple(pieces), snapshot, buffer.tell(), checksum(buffer.getbuffer()))

    def _clean(self, manifest: Manifest) -> None:
        """Keep this epoch and the one before it, and what they need."""
        manifests = numbered(self._epochs, ".json").items()
        old = [path for number, path in manifests if number < manifest.number - 1]
        before = self.manifest(manifest.number - 1)
        alive = {file.name for file in [*manifest.files, *(before.files if before else [])]}
        _delete(
            [*old, *(path for path in self._state.glob("[0-9]" * 9 + "-*.arrow") if path.name not in alive)]
        )

    def _clean_drafts(self) -> None:
        """Delete drafts of an owner that was killed: no run uses them."""
        _delete(path for folder in (self._epochs, self._state) for path in folder.glob(".[0-9]*.tmp"))

    def forget(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


def _is_first_format(path: Path) -> bool:
    try:
        return bool(json.loads(path.read_bytes())["format"] == 1)
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _parts(state: State, snapshot: bool) -> Iterable[tuple[str, bool, list[pl.DataFrame]]]:
    if snapshot:
        return [(name, True, [frame]) for name, frame in state.frames.items()]
    return [(name, change.replaced, change.rows) for name, change in state.changes.items()]


def _delete(paths: Iterable[Path]) -> None:
    """Delete unused files; one that cannot be deleted now is tried again after the next epoch."""
    for path in paths:
        with contextlib.suppress(OSError):
            path.unlink()
