"""How much data there is, by the sizes of files."""

from __future__ import annotations

import glob
from collections.abc import Iterable, Iterator
from pathlib import Path

from slackwater.base.places import is_remote, plain

LITTLE = 8_000_000
"""Bytes that are read in a second or two, less than Java takes to compile Spark's code."""


def is_little(paths: Iterable[str | None]) -> bool:
    """Whether the files at all the paths together are small; files of unknown size are not.

    >>> is_little(["s3a://bucket/data"]), is_little([None])
    (False, False)
    """
    left = LITTLE
    for path in paths:
        files = None if path is None or is_remote(path) else list(_files(plain(path)))
        if not files:
            return False
        left -= sum(files)
    return left >= 0


def _files(path: str) -> Iterator[int]:
    """The sizes of the files of a path, a folder or a pattern, until they exceed LITTLE."""
    total = 0
    for match in map(Path, glob.glob(path) or [path]):
        for file in match.rglob("*") if match.is_dir() else [match]:
            if file.is_file():
                yield file.stat().st_size
                total += file.stat().st_size
            if total > LITTLE:
                return
