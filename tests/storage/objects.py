"""An object store in memory, of which every operation may fail."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote

import pytest
from pyarrow import fs

from run.faults import Killed
from slackwater.storage import remote
from slackwater.storage.remote import Remote

WRITES = ("open_output_stream", "delete_file")


class Objects:
    """PyArrow's filesystem in memory; `check` is called before each operation, and may raise."""

    def __init__(self) -> None:
        self.files: Any = fs._MockFileSystem()
        self.check: Callable[[str, str], None] = lambda name, path: None
        self.tried: list[tuple[str, str]] = []

    def __getattr__(self, name: str) -> Callable[[Any], Any]:
        def act(what: Any) -> Any:
            path = str(getattr(what, "base_dir", what))
            self.tried.append((name, path))
            self.check(name, path)
            if name == "open_output_stream":
                self.files.create_dir(path.rpartition("/")[0], recursive=True)
            return getattr(self.files, name)(what)

        return act

    @contextmanager
    def failing(self, at: int, error: BaseException, *names: str) -> Iterator[list[tuple[str, str]]]:
        """Fail the operation of that number, counted from 0; gives the list of those tried."""
        tried: list[tuple[str, str]] = []

        def check(name: str, path: str) -> None:
            if not names or name in names:
                tried.append((name, path))
                if len(tried) == at + 1:
                    raise error

        self.check = check
        try:
            yield tried
        finally:
            self.check = lambda name, path: None


def store_in_memory(monkeypatch: pytest.MonkeyPatch) -> Objects:
    """From now on, s3://memory is an object store in memory."""
    objects, opened = Objects(), remote.opened

    def open_it(root: str) -> tuple[Any, str]:
        return (objects, "memory") if root.startswith("s3://memory") else opened(root)

    monkeypatch.setattr(remote, "opened", open_it)
    return objects


def in_memory(path: str) -> Remote:
    location = remote.remote(f"s3://memory/{quote(path)}")
    assert location is not None
    return location


def killed() -> BaseException:
    return Killed("here")
