"""A disk that fails, or a process that dies, just before a file is opened, moved, linked, made or removed."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

_WATCHED = ("open", "os.mkdir", "os.rename", "os.link", "os.remove")
_active: list[Callable[[str, str], None]] = []


class Killed(BaseException):
    """Stands for the end of the process: nothing of ours may catch it."""


def killed(path: str) -> BaseException:
    return Killed(path)


def full(path: str) -> BaseException:
    return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)


def _hook(event: str, arguments: tuple[object, ...]) -> None:
    if _active and event in _WATCHED and isinstance(arguments[0], str | os.PathLike):
        path = os.fspath(arguments[0])
        is_idle = event == "os.mkdir" and os.path.isdir(path)
        if is_idle or (event == "open" and not set(str(arguments[1])) & set("wax+")):
            return
        _active[-1](event, path)


@cache
def _watch() -> None:
    """Only where it is needed: a hook stays for good, and is called for every `id()`, too."""
    sys.addaudithook(_hook)


@contextmanager
def failing(folder: Path, at: int, how: Callable[[str], BaseException], *events: str) -> Iterator[list[str]]:
    """Fail the operation of that number below the folder, counted from 0; gives the list of those tried."""
    tried: list[str] = []

    def check(event: str, path: str) -> None:
        if path.startswith(str(folder)) and event in (events or _WATCHED):
            tried.append(path)
            if len(tried) == at + 1:
                raise how(path)

    _watch()
    _active.append(check)
    try:
        yield tried
    finally:
        _active.remove(check)
