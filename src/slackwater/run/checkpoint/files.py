"""The files of a checkpoint: their names, how they are written and read, and what can be wrong with them.

checkpoint/
  query.json                what this checkpoint belongs to
  epochs/ state/ workers/   what has been computed: `store`, `cluster.states`
  tables/ windows/          the state of targets
  late/ malformed/ ahead/   rows that were set aside
  lock owners/              which run owns it: `ownership`
  backlog.json              files that are not read yet: `backlog`
  fetched/                  rows of a large batch, while it is computed: `fetch`
  spark/                    which rows make up a batch, by Spark: `offsets`
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl

from slackwater.base.diagnostic import Diagnostic, EngineError, quoted
from slackwater.run.checkpoint import problems
from slackwater.storage.whole import broken_checkpoint, checksum, sealed, unsealed, write_whole

CLAIM = "query.json"
EPOCHS, STATE, WORKERS, SPARK, LOCK, OWNERS = "epochs", "state", "workers", "spark", "lock", "owners"
BACKLOG, FETCHED = "backlog.json", "fetched"
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
    "tables",
    "windows",
    "late",
    "malformed",
    "ahead",
    "lost+found",  # of a disk that is mounted there
}


def is_claimed(folder: Path) -> bool:
    """Whether a query has been started with this checkpoint.

    Raises EngineError for a folder that is something else, or incomplete.
    """
    if (folder / CLAIM).exists():
        return True
    done = [*numbered(folder / EPOCHS, ".json"), *numbered(folder / SPARK / "commits")]
    if done:
        raise EngineError(broken_checkpoint(folder / CLAIM))
    with contextlib.suppress(OSError):  # a folder that cannot be read is reported when it is written
        names = sorted(path.name for path in folder.iterdir())
        foreign = [name for name in names if name not in _OURS and not name.startswith(".")]
        if foreign:
            raise EngineError(not_a_checkpoint(folder, foreign))
    return False


def numbered(folder: Path, suffix: str = "") -> dict[int, Path]:
    """The files of a folder that are named by a number, in its order; other files are ignored.

    Our own have nine digits and a suffix, Spark's neither.
    """
    name = re.compile(r"(\d{9})" + re.escape(suffix) if suffix else r"(\d+)")
    try:
        files = [(match, path) for path in folder.iterdir() if (match := name.fullmatch(path.name))]
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:  # not the same as a folder with nothing in it
        raise EngineError(broken_checkpoint(folder)) from error
    return dict(sorted((int(match[1]), path) for match, path in files if path.is_file()))


def make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise EngineError(unwritable_checkpoint(folder, error)) from error


def write_state(path: Path, content: bytes | memoryview, mark: str = "", *, is_new: bool = False) -> int:
    """Write a file of a checkpoint in one step, whole or not at all; raises EngineError.

    Where it has to be new and is not, raises FileExistsError.
    """
    try:
        return write_whole(path, content, mark, is_new=is_new)
    except FileExistsError:
        raise
    except OSError as error:
        raise EngineError(unwritable_checkpoint(path, error)) from error


@contextlib.contextmanager
def reading(path: Path, crc: str | None = None) -> Iterator[memoryview]:
    """The content of a file of a checkpoint; errors while reading are reported as damage to that file.

    Without a checksum to compare with, the file must be sealed.
    """
    try:
        whole = path.read_bytes()
        if crc is not None and checksum(whole) != crc:
            raise ValueError("its checksum does not fit")
        yield memoryview(unsealed(whole) if crc is None else whole)
    except (OSError, ValueError, pl.exceptions.PolarsError) as error:
        raise EngineError(broken_checkpoint(path)) from error


def write_json(path: Path, content: object, mark: str = "", *, is_new: bool = False) -> None:
    """Write content for `read_json`, sealed."""
    write_state(path, sealed(json.dumps(content).encode()), mark, is_new=is_new)


def read_json(path: Path) -> Any:
    with reading(path) as content:
        return json.loads(bytes(content))


def foreign_checkpoint(folder: Path, differing: list[str]) -> Diagnostic:
    return problems.FOREIGN_CHECKPOINT.at(where=str(folder), differing=", ".join(differing))


def unwritable_checkpoint(path: Path, error: OSError) -> Diagnostic:
    return problems.UNWRITABLE_CHECKPOINT.at(where=str(path), why=error.strerror or error)


def not_a_checkpoint(folder: Path, names: list[str]) -> Diagnostic:
    few = ", ".join(f'"{name}"' for name in names[:3])
    shown = quoted(names) if len(names) < 4 else f"{few} and {len(names) - 3} more"
    return problems.NOT_A_CHECKPOINT.at(where=str(folder), shown=shown)
