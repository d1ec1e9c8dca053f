"""The file of a command, opened: by its name, or stdin."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from slackwater.xml.errors import unreadable_input


@contextmanager
def opened(name: str) -> Iterator[tuple[BinaryIO, str]]:
    """The file and the name that messages have for it; raises EngineError."""
    if name == "-":
        yield sys.stdin.buffer, "<stdin>"
        return
    try:
        file = open(name, "rb")  # noqa: SIM115
    except OSError as error:
        raise unreadable_input(name, error) from error
    with file:
        yield file, name


def read_bytes(name: str) -> bytes:
    """The whole file; raises EngineError."""
    with opened(name) as (file, _):
        return file.read()
