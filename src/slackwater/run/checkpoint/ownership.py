"""Ownership of a checkpoint: one run at a time. On this machine and what is mounted; elsewhere see `leases`.

    checkpoint/
      lock                     locked by the operating system while the owner's process runs
      owners/000000007.json    the owner: host, process, since when; its date is renewed while it runs
      owners/000000007.ended   the same, once it has stopped

The lock refuses a second start at once, and is released when the process ends, even if it is killed. Not
every filesystem has locks, and few share them between machines. So each start also gets a term, one more
than the last, in a file that only one process can create. A run whose term is not the newest delivers and
commits nothing any more. An owner on another machine counts as ended when it has not renewed its file for
`LEASE` seconds, by the filesystem's clock.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO

from slackwater.base.diagnostic import EngineError
from slackwater.base.places import Place
from slackwater.run.checkpoint import holders, leases
from slackwater.run.checkpoint.files import LOCK, OWNERS, make_folder, unwritable_checkpoint
from slackwater.run.checkpoint.holders import LEASE, RENEWAL, UNKNOWN, Held, Holder
from slackwater.run.checkpoint.leases import Lease
from slackwater.storage.local import Local
from slackwater.storage.locate import location
from slackwater.storage.location import Location

_TERM = re.compile(r"(\d{9})\.(json|ended)")
_held = Held()
"""By their resolved paths: for filesystems without locks."""


@dataclass(slots=True)
class Ownership:
    """The right to change a checkpoint, from `claim` until it is released or a later term ends it."""

    folder: Path
    term: int
    _lock: IO[bytes]
    _ended: threading.Event = field(default_factory=threading.Event)

    def check(self) -> None:
        """Raise EngineError unless this is still the owner."""
        newest = _newest(self.folder)
        if self._ended.is_set() or newest != self._path:
            raise EngineError(holders.lost_checkpoint(self.folder, _read(newest)))

    def release(self) -> None:
        """Stop owning the checkpoint."""
        if not self._ended.is_set():
            with contextlib.suppress(OSError):
                self._path.rename(self._path.with_suffix(".ended"))
        self.abandon()

    def abandon(self) -> None:
        """Release the lock as the end of a process does: the owner's file stays."""
        self._ended.set()
        _held.discard(str(self.folder.resolve()))
        self._lock.close()

    @property
    def _path(self) -> Path:
        return self.folder / OWNERS / f"{self.term:09d}.json"

    def renew(self) -> None:
        """Renew the date of the owner's file for other machines, until released."""
        while not self._ended.wait(RENEWAL):
            with contextlib.suppress(OSError):
                os.utime(self._path)


def claim(place: Place | Location) -> Ownership | Lease:
    """Own the checkpoint; raises EngineError, without a change, where another run owns it."""
    where = location(place)
    return _claim(where.path) if isinstance(where, Local) else leases.claim(where)


def _claim(folder: Path) -> Ownership:
    make_folder(Local(folder / OWNERS))
    place = str(folder.resolve())
    if not _held.add(place):
        raise EngineError(holders.checkpoint_in_use(folder, _read(_newest(folder))))
    try:
        return _own(folder)
    except BaseException:
        _held.discard(place)
        raise


def _own(folder: Path) -> Ownership:
    with _reported(folder / LOCK):
        lock, is_locking = _lock_file(folder)
    try:
        newest = _newest(folder)
        if newest is not None and newest.suffix != ".ended":
            with _reported(newest):
                _refuse_unless_ended(folder, newest, is_locking)
        owned = Ownership(folder, 1 if newest is None else int(newest.stem) + 1, lock)
        _write(folder, owned._path)
        _clean(folder, owned.term)
    except BaseException:
        lock.close()
        raise
    threading.Thread(target=owned.renew, name="slackwater owner", daemon=True).start()
    return owned


def _lock_file(folder: Path) -> tuple[IO[bytes], bool]:
    """The lock file, and whether it is locked; raises EngineError where another process has locked it."""
    file = open(folder / LOCK, "ab")  # noqa: SIM115
    try:
        return file, _flock(file) and not _is_lockable(folder / LOCK)
    except BlockingIOError:
        file.close()
        raise EngineError(holders.checkpoint_in_use(folder, _read(_newest(folder)))) from None


def _is_lockable(path: Path) -> bool:
    """Whether a locked file can be locked again: some filesystems only pretend to lock."""
    with open(path, "rb") as again:
        try:
            return _flock(again)
        except BlockingIOError:
            return False


def _flock(file: IO[bytes]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise
    except OSError:
        return False
    return True


def _refuse_unless_ended(folder: Path, path: Path, is_locking: bool) -> None:
    """Raise EngineError where the owner may still be running.

    An owner on this machine is not, if its process has ended or its lock could be acquired. Of another
    machine only the date of its file is known.
    """
    holder = _read(path)
    if holder.machine == holders.machine():
        is_ended = is_locking or holder.pid == os.getpid() or holder.begun != holders.begun(holder.pid)
    else:
        is_ended = _is_silent(folder, path)
    if not is_ended:
        raise EngineError(holders.checkpoint_in_use(folder, holder))


def _is_silent(folder: Path, path: Path) -> bool:
    """Whether the file was not renewed for as long as a lease lasts; waits until that is known."""
    until, first = time.monotonic() + LEASE, _date(path)
    while time.monotonic() < until:
        os.utime(folder / LOCK)
        if _date(path) != first:
            return False
        if _date(folder / LOCK) - first > LEASE:
            return True
        time.sleep(min(0.2, LEASE / 10))
    return True


def _date(path: Path) -> float:
    """When the file was last renewed: opened, because network filesystems may cache an old date."""
    try:
        with open(path, "rb") as file:
            return os.fstat(file.fileno()).st_mtime
    except FileNotFoundError:  # its owner has just ended, or another start has replaced it
        return 0.0


def _write(folder: Path, path: Path) -> None:
    with _reported(path):
        try:
            with open(path, "xb") as file:
                file.write(json.dumps(asdict(Holder.here())).encode())
                file.flush()
                os.fsync(file.fileno())
        except FileExistsError:
            raise EngineError(holders.checkpoint_in_use(folder, _read(path))) from None
        except OSError:
            path.unlink(missing_ok=True)
            raise


def _read(path: Path | None) -> Holder:
    try:
        return UNKNOWN if path is None else Holder(**json.loads(path.read_bytes()))
    except (OSError, ValueError, TypeError):
        return UNKNOWN


def _newest(folder: Path) -> Path | None:
    with _reported(folder / OWNERS):
        try:
            terms = [path for path in (folder / OWNERS).iterdir() if _TERM.fullmatch(path.name)]
        except FileNotFoundError:
            return None
    return max(terms, default=None, key=lambda path: path.name)


def _clean(folder: Path, term: int) -> None:
    for path in (folder / OWNERS).iterdir():
        if _TERM.fullmatch(path.name) and int(path.stem) < term:
            with contextlib.suppress(OSError):
                path.unlink()


@contextlib.contextmanager
def _reported(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise EngineError(unwritable_checkpoint(path, error)) from error
