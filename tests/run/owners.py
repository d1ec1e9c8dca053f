"""Owners of checkpoints in other processes and on other machines, for tests on every kind of store."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import pytest

from slackwater.base.diagnostic import EngineError
from slackwater.run.checkpoint.ownership import claim
from slackwater.storage.location import Location

CHILD = """
import sys
from slackwater.run.checkpoint.ownership import claim
owned = claim(sys.argv[1])
print(owned.term, flush=True)
sys.stdin.readline()
if sys.argv[2] == "release":
    owned.release()
"""


class Owner(Protocol):
    def check(self) -> None: ...

    def release(self) -> None: ...


@contextmanager
def another_process(place: str, end: str) -> Iterator[subprocess.Popen[str]]:
    """A process that owns the checkpoint, and releases it in the end or not."""
    command = [sys.executable, "-c", CHILD, place, end]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "1\n"
        yield process
    finally:
        process.stdin.close()
        process.wait()
        process.stdout.close()


def assert_known_by_renewals(place: Path | Location, owner: Callable[[], Owner]) -> None:
    """An owner that renews its claim keeps others out, until it releases it."""
    owned = owner()
    with pytest.raises(EngineError, match="checkpoint-in-use"):
        claim(place)
    owned.check()
    owned.release()
    claim(place).release()


def assert_ended_by_silence(place: Path | Location, owner: Callable[[], Owner]) -> None:
    """An owner that does not renew its claim loses it to the next."""
    silent = owner()
    owned = claim(place)
    assert owned.term == 2
    with pytest.raises(EngineError, match="lost-checkpoint"):
        silent.check()
    silent.release()
    owned.check()
    owned.release()
