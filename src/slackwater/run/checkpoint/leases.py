"""Ownership of a checkpoint on other filesystems, where objects are read, replaced and listed, and no more.

    checkpoint/
      owners/000000007-5f1e1d4c.json    a claim to term 7: host, process, since when; renewed while it runs
      lock                              written to learn the time of the storage

A start claims the next term under a name of its own, then lists the claims. It owns the checkpoint if no
other claim has its term or a later one. Otherwise it withdraws, waits for a random time and tries again:

    A   write 8-a                   list: 8-a, 8-b     withdraw      list: 8-b, an owner
    B              write 8-b                                list: 8-b       own it

The second of two claims lists the first one, too, so two claims to a term never both succeed. A later claim
to the same term is withdrawn and does not end its owner; a claim to a later term does. The last owner has
ended if its claim says so, if its process on this machine has ended, or if its claim is `LEASE` seconds old.
"""

from __future__ import annotations

import contextlib
import json
import random
import re
import threading
import time
import uuid
from dataclasses import asdict, dataclass, field
from typing import Any

from slackwater.base.diagnostic import EngineError
from slackwater.run.checkpoint import holders
from slackwater.run.checkpoint.files import LOCK, OWNERS, reported
from slackwater.run.checkpoint.holders import LEASE, RENEWAL, UNKNOWN, Held, Holder
from slackwater.storage.location import Location

_ATTEMPTS = 5
_CLAIM = re.compile(r"(\d{9})-[0-9a-f]+\.json")
_held = Held()
"""By their URIs, without settings."""


@dataclass(slots=True)
class Lease:
    """The right to change a checkpoint on an object store, until it is released or a later term begins."""

    folder: Location
    term: int
    name: str
    holder: Holder = field(default_factory=Holder.here)
    _renewals: int = 0
    _ended: threading.Event = field(default_factory=threading.Event)
    _writing: threading.Lock = field(default_factory=threading.Lock)

    def check(self) -> None:
        """Raise EngineError unless this is still the owner."""
        with reported(self.folder / OWNERS):
            claims = _claims(self.folder)
        later = [name for name in claims if _term(name) > self.term]
        if self._ended.is_set() or later or self.name not in claims:
            raise EngineError(
                holders.lost_checkpoint(self.folder, _read(self.folder, max(later, default=None)))
            )

    def release(self) -> None:
        """Stop owning the checkpoint."""
        with self._writing, contextlib.suppress(OSError):
            if not self._ended.is_set() and self._path.exists():
                self.write(is_ended=True)
        self.abandon()

    def abandon(self) -> None:
        """Stop renewing as the end of a process does: the claim stays."""
        with self._writing:
            self._ended.set()
        _held.discard(str(self.folder))

    def renew(self) -> None:
        """Write the claim again from time to time, until released."""
        while not self._ended.wait(RENEWAL):
            with self._writing, contextlib.suppress(OSError):
                if not self._ended.is_set() and self._path.exists():
                    self.write()

    @property
    def _path(self) -> Location:
        return self.folder / OWNERS / self.name

    def write(self, *, is_ended: bool = False) -> None:
        self._renewals += 1
        content = {**asdict(self.holder), "renewals": self._renewals, "ended": is_ended}
        self._path.write(json.dumps(content).encode())


def claim(folder: Location) -> Lease:
    """Own the checkpoint; raises EngineError, without a change, where another run owns it."""
    if not _held.add(str(folder)):
        raise EngineError(
            holders.checkpoint_in_use(folder, _read(folder, max(_claims(folder), default=None)))
        )
    try:
        with reported(folder / OWNERS):
            lease = _own(folder)
    except BaseException:
        _held.discard(str(folder))
        raise
    threading.Thread(target=lease.renew, name="slackwater owner", daemon=True).start()
    return lease


def _own(folder: Location) -> Lease:
    for attempt in range(_ATTEMPTS):
        claims = _claims(folder)
        newest = max(map(_term, claims), default=0)
        for name in claims:
            if _term(name) == newest:
                _refuse_unless_ended(folder, name)
        lease = Lease(folder, newest + 1, f"{newest + 1:09d}-{uuid.uuid4().hex[:8]}.json")
        if _wins(lease):
            _clean(folder, claims)
            return lease
        _withdraw(lease)
        time.sleep(random.uniform(0, RENEWAL / 10) * (attempt + 1))
    raise EngineError(holders.checkpoint_in_use(folder, _read(folder, max(_claims(folder), default=None))))


def _wins(lease: Lease) -> bool:
    """Write the claim; whether it is the only one to its term, and there is no later one."""
    try:
        lease.write()
        return {name for name in _claims(lease.folder) if _term(name) >= lease.term} == {lease.name}
    except OSError:
        _withdraw(lease)
        raise


def _withdraw(lease: Lease) -> None:
    with contextlib.suppress(OSError):
        (lease.folder / OWNERS / lease.name).delete()


def _refuse_unless_ended(folder: Location, name: str) -> None:
    """Raise EngineError where the owner may still be running; waits until that is known."""
    content, holder = _content(folder, name), _read(folder, name)
    if content.get("ended") or holder.is_gone:
        return
    if holder.machine == holders.machine() or not _is_silent(folder, name):
        raise EngineError(holders.checkpoint_in_use(folder, holder))


def _is_silent(folder: Location, name: str) -> bool:
    """Whether the claim was not written for as long as a lease lasts, by the clock of the storage."""
    path, lock = folder / OWNERS / name, folder / LOCK
    until, first, date = time.monotonic() + LEASE, _content(folder, name), path.modified()
    while time.monotonic() < until:
        lock.write(b"lock")
        if (content := _content(folder, name)) != first:
            return not content or bool(content.get("ended"))
        if lock.modified() - date > LEASE:
            return True
        time.sleep(min(1.0, LEASE / 10))
    return True


def _claims(folder: Location) -> list[str]:
    return [name for name in (folder / OWNERS).files() if _CLAIM.fullmatch(name)]


def _term(name: str) -> int:
    return int(name[:9])


def _content(folder: Location, name: str) -> dict[str, Any]:
    """What a claim says; empty where it has been withdrawn, or cannot be read."""
    try:
        content = json.loads((folder / OWNERS / name).read())
    except (FileNotFoundError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def _read(folder: Location, name: str | None) -> Holder:
    with contextlib.suppress(OSError, TypeError):
        content = {} if name is None else _content(folder, name)
        return Holder(**{key: value for key, value in content.items() if key not in ("renewals", "ended")})
    return UNKNOWN


def _clean(folder: Location, claims: list[str]) -> None:
    """Delete the claims to earlier terms."""
    for name in claims:
        with contextlib.suppress(OSError):
            (folder / OWNERS / name).delete()
