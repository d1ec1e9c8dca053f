"""From what a user writes to a location."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

import pyarrow as pa

from slackwater.base.diagnostic import Diagnostic, EngineError
from slackwater.base.places import Place, is_remote, local_path, not_a_path
from slackwater.storage import problems
from slackwater.storage.local import Local
from slackwater.storage.location import Location
from slackwater.storage.remote import Remote, described, remote

_AT_ONCE = 8


def location(place: Place | Location, what: str = "a checkpoint") -> Location:
    """The location that a path or URI names; raises EngineError where `what` cannot be written there.

    >>> location("state/today"), str(location("s3://bucket/state?region=eu-central-1"))
    (Local(path=PosixPath('state/today')), 's3://bucket/state')
    """
    if isinstance(place, Location):
        return place
    if not isinstance(place, str | os.PathLike):
        raise EngineError(not_a_path(place, what))
    if not is_remote(place):
        return Local(local_path(place, what))
    elsewhere = remote(os.fspath(place))
    if elsewhere is None:
        raise EngineError(unknown_storage(os.fspath(place), what))
    _open(elsewhere, what)
    return elsewhere


def _open(place: Remote, what: str) -> None:
    """Open the filesystem, once in a process: settings that PyArrow does not know are refused here."""
    try:
        place.open()
    except (OSError, pa.ArrowException) as error:
        raise EngineError(unusable_storage(place, what, error)) from error


def delete_all(files: Iterable[Location]) -> set[Location]:
    """Delete the files, several at once where each takes several requests; returns those that are deleted."""
    some = list(files)
    if all(isinstance(file, Local) for file in some):
        return {file for file in some if _is_deleted(file)}
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        return {
            file for file, is_deleted in zip(some, pool.map(_is_deleted, some), strict=True) if is_deleted
        }


def _is_deleted(file: Location) -> bool:
    with contextlib.suppress(OSError):
        file.delete()
        return True
    return False


def unknown_storage(place: str, what: str) -> Diagnostic:
    scheme = place.partition(":")[0]
    return problems.UNKNOWN_STORAGE.at(scheme=scheme, what=what)


def unusable_storage(place: Remote, what: str, error: BaseException) -> Diagnostic:
    return problems.UNUSABLE_STORAGE.at(where=str(place), what=what, why=described(error, place.root))
