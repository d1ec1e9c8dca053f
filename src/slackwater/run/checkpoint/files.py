"""The files of a checkpoint: their names, how they are written and read, and what can be wrong with them.

checkpoint/
  query.json                what this checkpoint belongs to
  epochs/ state/            what has been computed: `manifests`, `store`, `cluster.states`
  tables/ windows/          the state of sinks
  late/ malformed/ ahead/   rows that were set aside
  lock owners/              which run owns it: `ownership`, `leases`
  backlog.json              files that are not read yet: `backlog`
  lateness/                 which batches had late rows: `lateness`
  fetched/                  rows of a large batch, while it is computed: `fetch`
  spark/                    which rows make up a batch, by Spark: `offsets`; elsewhere copies of it: `mirror`

It is in a folder of this machine, or elsewhere: `storage`.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator
from typing import Any

import polars as pl

from slackwater.base.diagnostic import Diagnostic, EngineError, quoted
from slackwater.base.places import Place
from slackwater.run.checkpoint import problems
from slackwater.storage.locate import location
from slackwater.storage.location import Location
from slackwater.storage.whole import broken_checkpoint, checksum, sealed, unsealed

CLAIM = "query.json"
EPOCHS, STATE, WORKERS, SPARK, LOCK, OWNERS = "epochs", "state", "workers", "spark", "lock", "owners"
BACKLOG, FETCHED, LATENESS = "backlog.json", "fetched", "lateness"
MANIFEST = re.compile(r"(\d{9}|begin)(?:-(\d+))?\.json")
"""An epoch, and the term of its owner where storage is not exclusive."""
_OURS = {
    CLAIM,
    EPOCHS,
    STATE,
    WORKERS,
    SPARK,
    LOCK,
    OWNERS,
    BACKLOG,
    FETCHED,
    LATENESS,
    "tables",
    "windows",
    "late",
    "malformed",
    "ahead",
    "lost+found",  # of a disk that is mounted there
}


def is_claimed(place: Place | Location) -> bool:
    """Whether a query has been started with this checkpoint.

    Raises EngineError for a folder that is something else, or incomplete.
    """
    folder = location(place)
    with reported(folder):
        if (folder / CLAIM).exists():
            return True
        if any(map(MANIFEST.fullmatch, listed(folder / EPOCHS))) or numbered(folder / SPARK / "commits"):
            raise EngineError(broken_checkpoint(folder / CLAIM))
    with contextlib.suppress(OSError):  # a folder that cannot be read is reported when it is written
        names = folder.names()
        foreign = [name for name in names if name not in _OURS and not name.startswith(".")]
        if foreign:
            raise EngineError(not_a_checkpoint(folder, foreign))
    return False


def numbered(folder: Location, suffix: str = "") -> dict[int, Location]:
    """The files of a folder that are named by a number, in its order; other files are ignored.

    Our own have nine digits and a suffix, Spark's neither.
    """
    name = re.compile(r"(\d{9})" + re.escape(suffix) if suffix else r"(\d+)")
    files = {int(match[1]): folder / file for file in listed(folder) if (match := name.fullmatch(file))}
    return dict(sorted(files.items()))


def listed(folder: Location) -> list[str]:
    """The files of a folder of a checkpoint; raises EngineError."""
    try:
        return folder.files()
    except OSError as error:  # not the same as a folder with nothing in it
        raise EngineError(broken_checkpoint(folder)) from error


def make_folder(folder: Location) -> None:
    with reported(folder):
        folder.make()


def write_state(
    place: Place | Location, content: bytes | memoryview, mark: str = "", *, is_new: bool = False
) -> int:
    """Write a file of a checkpoint in one step, whole or not at all; raises EngineError.

    Where it has to be new and is not, raises FileExistsError.
    """
    path = location(place)
    with reported(path):
        return path.write(content, mark, is_new=is_new)


@contextlib.contextmanager
def reading(place: Place | Location, crc: str | None = None) -> Iterator[memoryview]:
    """The content of a file of a checkpoint; errors while reading are reported as damage to that file.

    Without a checksum to compare with, the file must be sealed.
    """
    path = location(place)
    try:
        whole = path.read()
        if crc is not None and checksum(whole) != crc:
            raise ValueError("its checksum does not fit")
        yield memoryview(unsealed(whole) if crc is None else whole)
    except (OSError, ValueError, pl.exceptions.PolarsError) as error:
        raise EngineError(broken_checkpoint(path)) from error


@contextlib.contextmanager
def reported(place: Location) -> Iterator[None]:
    """Errors of storage are reported as those of that place, but not that a file exists."""
    try:
        yield
    except FileExistsError:
        raise
    except OSError as error:
        raise EngineError(unwritable_checkpoint(place, error)) from error


def write_json(path: Location, content: object, mark: str = "", *, is_new: bool = False) -> None:
    """Write content for `read_json`, sealed."""
    write_state(path, sealed(json.dumps(content).encode()), mark, is_new=is_new)


def read_json(path: Location) -> Any:
    with reading(path) as content:
        return json.loads(bytes(content))


def foreign_checkpoint(folder: object, differing: list[str]) -> Diagnostic:
    return problems.FOREIGN_CHECKPOINT.at(where=str(folder), differing=", ".join(differing))


def unwritable_checkpoint(path: object, error: OSError) -> Diagnostic:
    return problems.UNWRITABLE_CHECKPOINT.at(where=str(path), why=error.strerror or error)


def not_a_checkpoint(folder: object, names: list[str]) -> Diagnostic:
    few = ", ".join(f'"{name}"' for name in names[:3])
    shown = quoted(names) if len(names) < 4 else f"{few} and {len(names) - 3} more"
    return problems.NOT_A_CHECKPOINT.at(where=str(folder), shown=shown)
