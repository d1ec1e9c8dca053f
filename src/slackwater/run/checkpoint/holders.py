"""Who owns a checkpoint: the process, as the file of its owner describes it."""

from __future__ import annotations

import contextlib
import os
import socket
import threading
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from slackwater.base.diagnostic import Diagnostic
from slackwater.run.checkpoint import problems

LEASE = 30.0
"""After so many seconds without renewal an owner on another machine counts as ended."""
RENEWAL = 5.0


@dataclass(frozen=True, slots=True)
class Holder:
    """The owner as its file describes it; empty where the file cannot be read."""

    host: str = ""
    machine: str = ""
    pid: int = 0
    begun: str = ""
    since: str = ""

    @property
    def is_gone(self) -> bool:
        """Whether it was a process of this machine that has ended, or this one."""
        return self.machine == machine() and (self.pid == os.getpid() or self.begun != begun(self.pid))

    @classmethod
    def here(cls) -> Holder:
        pid, now = os.getpid(), datetime.now(UTC)
        return cls(socket.gethostname(), machine(), pid, begun(pid), f"{now:%Y-%m-%d %H:%M:%S} UTC")


UNKNOWN = Holder()


class Held:
    """The checkpoints that this process owns, by their names: not every store has locks."""

    def __init__(self) -> None:
        self._names: set[str] = set()
        self._lock = threading.Lock()

    def add(self, name: str) -> bool:
        """Add a checkpoint; whether it was not owned before."""
        with self._lock:
            is_new = name not in self._names
            self._names.add(name)
        return is_new

    def discard(self, name: str) -> None:
        self._names.discard(name)


def machine() -> str:
    """This machine since it was started, and the numbering of processes in it: containers have their own."""
    parts = [socket.gethostname()]
    with contextlib.suppress(OSError):
        parts.append(Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip())
        parts.append(os.readlink("/proc/self/ns/pid"))
    return " ".join(parts)


def begun(pid: int) -> str:
    """When a process of this machine was started, where /proc has it; empty where there is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[19]
    except OSError:
        pass
    try:
        os.kill(pid, 0)
    except OSError:
        return ""
    return "running"


def _describe(holder: Holder) -> str | None:
    if not holder.pid:
        return None
    who = (
        "This process" if holder == _this_process(holder) else f'Process {holder.pid} on host "{holder.host}"'
    )
    return f"{who} has owned it since {holder.since}."


def _this_process(holder: Holder) -> Holder:
    here = Holder.here()
    return Holder(here.host, here.machine, here.pid, here.begun, holder.since)


def checkpoint_in_use(folder: object, holder: Holder) -> Diagnostic:
    return problems.CHECKPOINT_IN_USE.at(where=str(folder), detail=_describe(holder))


def lost_checkpoint(folder: object, holder: Holder = UNKNOWN) -> Diagnostic:
    return problems.LOST_CHECKPOINT.at(where=str(folder), detail=_describe(holder))
