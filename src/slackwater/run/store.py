"""The store: what has been computed up to an epoch, on disk, so that it can be gone on from.

    checkpoint/
      query.json            what this checkpoint belongs to
      epochs/000012.json    the manifest of epoch 12: its times, and the files that are alive
      state/000012.arrow    what changed in epoch 12, or everything, if it is a snapshot

A manifest is written last and in one move: an epoch is there whole or not at all. A retried epoch
writes the same files again.
"""

from __future__ import annotations

import contextlib
import io
import json
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from slackwater.base.diagnostic import Diagnostic, EngineError
from slackwater.kernels.state import State
from slackwater.sinks.whole import write_whole

CLAIM = "query.json"
FORMAT = 1
"""The version of this layout; another one is refused."""
_LEAST_SNAPSHOT = 4_000_000
"""Changes below this many bytes are not worth a snapshot."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Where one frame's change stands in a state file."""

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


@dataclass(slots=True)
class Manifest:
    """An epoch: which it is, from when to when, and what is alive after it."""

    number: int
    lo: int
    hi: int
    files: list[StateFile] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)
    """What else the runtime wants to know again: heartbeats, counts."""


class Store:
    """The checkpoint of one query, in a folder of its own."""

    def __init__(self, folder: Path, identity: Mapping[str, Any]) -> None:
        self.folder = folder
        self._epochs, self._state = folder / "epochs", folder / "state"
        for each in (self._epochs, self._state):
            make_folder(each)
        self._claim(identity)

    def _claim(self, identity: Mapping[str, Any]) -> None:
        mine = json.loads(json.dumps({"format": FORMAT, **identity}))
        path = self.folder / CLAIM
        if not path.exists():
            write_state(path, json.dumps(mine, indent=1).encode())
            return
        found = _json(path)
        differing = [key for key in sorted({*mine, *found}) if mine.get(key) != found.get(key)]
        if differing:
            raise EngineError(foreign_checkpoint(self.folder, differing))

    def last(self) -> Manifest | None:
        """The newest epoch that is there whole."""
        names = sorted(path.stem for path in self._epochs.glob("*.json"))
        return self.manifest(int(names[-1])) if names else None

    def manifest(self, number: int) -> Manifest | None:
        path = self._epochs / f"{number:09d}.json"
        if not path.exists():
            return None
        found = _json(path)
        try:
            files = [
                StateFile(
                    each["name"], tuple(Piece(**p) for p in each["pieces"]), each["snapshot"], each["bytes"]
                )
                for each in found["files"]
            ]
            return Manifest(found["number"], found["lo"], found["hi"], files, found["facts"])
        except (KeyError, TypeError) as error:
            raise EngineError(broken_checkpoint(path)) from error

    def load(self, manifest: Manifest, states: Mapping[str, State]) -> None:
        """Fill the states with what the manifest names."""
        for file in (each for each in manifest.files if each.pieces):
            with reading(self._state / file.name) as content:
                for piece in file.pieces:
                    frame = pl.read_ipc(io.BytesIO(content[piece.offset : piece.offset + piece.length]))
                    states[piece.owner].restore(piece.frame, frame, piece.replaced)
        for state in states.values():
            state.expire(manifest.hi)

    def save(self, manifest: Manifest, before: Manifest | None, states: Mapping[str, State]) -> None:
        """Write what changed, then the manifest, then clean up what is no longer alive."""
        old = before.files if before else []
        since = sum(file.bytes for file in old if not file.snapshot)
        whole = sum(state.bytes for state in states.values())
        snapshot = not old or since > max(_LEAST_SNAPSHOT, 2 * whole)
        file = self._write_state(manifest.number, states, snapshot)
        kept = [] if snapshot else old
        manifest.files = [*kept, file] if file.pieces or snapshot else list(kept)
        body = json.dumps(asdict(manifest)).encode()
        write_state(self._epochs / f"{manifest.number:09d}.json", body)
        for state in states.values():
            state.changes.clear()
        self._clean(manifest)

    def _write_state(self, number: int, states: Mapping[str, State], snapshot: bool) -> StateFile:
        buffer = io.BytesIO()
        pieces: list[Piece] = []
        for owner, state in states.items():
            for name, replaced, frames in _parts(state, snapshot):
                offset = buffer.tell()
                pl.concat(frames, how="diagonal").write_ipc(buffer)
                pieces.append(Piece(owner, name, replaced, offset, buffer.tell() - offset))
        name = f"{number:09d}.arrow"
        if pieces:
            write_state(self._state / name, buffer.getbuffer())
        return StateFile(name, tuple(pieces), snapshot, buffer.tell())

    def _clean(self, manifest: Manifest) -> None:
        """Keep this epoch and the one before it, and what they need."""
        old = [path for path in self._epochs.glob("*.json") if int(path.stem) < manifest.number - 1]
        before = self.manifest(manifest.number - 1)
        alive = {file.name for each in (manifest, before) if each for file in each.files}
        dead = [path for path in self._state.glob("*.arrow") if path.name not in alive]
        for path in [*old, *dead]:
            # The epoch is committed; what cannot be deleted now is tried again after the next one.
            with contextlib.suppress(OSError):
                path.unlink()

    def forget(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


def _parts(state: State, snapshot: bool) -> Iterable[tuple[str, bool, list[pl.DataFrame]]]:
    if snapshot:
        return [(name, True, [frame]) for name, frame in state.frames.items()]
    return [(name, change.replaced, change.rows) for name, change in state.changes.items()]


def is_claimed(folder: Path) -> bool:
    """Whether a query has been started with this checkpoint."""
    return (folder / CLAIM).exists()


def make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise EngineError(unwritable_checkpoint(folder, error)) from error


def write_state(path: Path, content: bytes | memoryview, mark: str = "") -> int:
    """Write a file of a checkpoint so that it is there whole or not at all; raises EngineError."""
    try:
        return write_whole(path, content, mark)
    except OSError as error:
        raise EngineError(unwritable_checkpoint(path, error)) from error


@contextlib.contextmanager
def reading(path: Path) -> Iterator[memoryview]:
    """The content of a file of a checkpoint; what is wrong with it is told as damage to that file."""
    try:
        yield memoryview(path.read_bytes())
    except (OSError, ValueError, pl.exceptions.PolarsError) as error:
        raise EngineError(broken_checkpoint(path)) from error


def _json(path: Path) -> Any:
    with reading(path) as content:
        return json.loads(bytes(content))


def foreign_checkpoint(folder: Path, differing: list[str]) -> Diagnostic:
    return Diagnostic(
        "foreign-checkpoint",
        "this checkpoint belongs to another query or version",
        where=str(folder),
        detail=f"What differs: {', '.join(differing)}.",
        hint="Use another checkpoint folder, or delete this one to start over.",
    )


def unwritable_checkpoint(path: Path, error: OSError) -> Diagnostic:
    return Diagnostic(
        "unwritable-checkpoint",
        "the state cannot be written",
        where=str(path),
        detail=f"{error.strerror or error}.",
        hint="Nothing that was committed is lost: mend the cause and start again.",
    )


def broken_checkpoint(path: Path) -> Diagnostic:
    return Diagnostic(
        "broken-checkpoint",
        "a file of the checkpoint is missing or damaged",
        where=str(path),
        hint="Bring the checkpoint back from a copy, or use another folder to start over.",
    )
