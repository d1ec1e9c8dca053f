"""A folder that answers are written to: which of its files are ours, and that one run at a time writes them.

out/.slackwater      the names of the files written here, a line each; locked while a run writes
out/000000012.csv    ours, as .slackwater says; 000000012-3.csv is the part of partition 3
out/000000099.csv    not ours where .slackwater has no such line: never touched, like every other file
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from slackwater.base.diagnostic import Diagnostic, EngineError, quoted
from slackwater.sinks import problems

MARK = ".slackwater"
EPOCHS, TABLE = "epochs", "table"
_OURS = re.compile(r"(?P<number>\d{9})(-\d+)?\.(?P<ending>\w+)|table\.(?P<table>\w+)")
_DRAFT = re.compile(r"\.(.*)\.tmp")


@contextlib.contextmanager
def held(folder: Path) -> Iterator[None]:
    """Lock the folder against other runs; raises EngineError where another run writes into it.

    An empty mark is deleted at the end: a start that is refused leaves the folder unchanged.
    """
    with _lock(folder) as mark:
        try:
            yield
        finally:
            with contextlib.suppress(OSError):
                if not os.fstat(mark.fileno()).st_size and _is_at(mark, folder / MARK):
                    (folder / MARK).unlink()


def _lock(folder: Path) -> BinaryIO:
    """The mark of the folder, locked; another run may have deleted it between opening and locking."""
    while True:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            mark = open(folder / MARK, "ab")  # noqa: SIM115
        except OSError as error:
            raise EngineError(unwritable(folder, error)) from error
        try:
            fcntl.flock(mark, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            mark.close()
            raise EngineError(problems.FOLDER_IN_USE.at(where=str(folder))) from None
        except OSError:  # a filesystem without locks
            return mark
        if _is_at(mark, folder / MARK):
            return mark
        mark.close()


def _is_at(mark: BinaryIO, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(mark.fileno()), path.stat())
    except FileNotFoundError:
        return False


def ours_in(folder: Path) -> list[Path]:
    """The answers in a folder that its mark lists as ours, and drafts of them."""
    ours = _names_in(folder)
    return [path for path in _files(folder) if _DRAFT.sub(r"\1", path.name) in ours]


def ours_from(folder: Path, first: int) -> list[Path]:
    """Those of epochs from `first` on."""
    matches = {path: _OURS.fullmatch(_DRAFT.sub(r"\1", path.name)) for path in ours_in(folder)}
    numbers = {path: match["number"] for path, match in matches.items() if match is not None}
    return [path for path, number in numbers.items() if number is not None and int(number) >= first]


def foreign_in(folder: Path, kind: str, first: int = 0) -> list[Path]:
    """Files that are not ours, and have names that answers of that kind get, from epoch `first` on."""
    ours = set(ours_in(folder))
    files = [path for path in _files(folder) if _kind(path.name) == kind and path not in ours]
    return [path for path in files if kind.startswith(TABLE) or int(path.name[:9]) >= first]


def claim(path: Path) -> None:
    """List a file as ours, before it is written; raises EngineError where a foreign one exists."""
    try:
        if not path.exists():
            _note([path])
        elif path.name not in _names_in(path.parent):
            raise EngineError(foreign_files(path.parent, [path]))
    except OSError as error:
        raise EngineError(unwritable(path, error)) from error


def claim_all(paths: Sequence[Path]) -> None:
    """List new files as ours, in one step; raises EngineError where a foreign one exists."""
    if not paths:
        return
    folder = paths[0].parent
    try:
        known = _names_in(folder) if any(path.exists() for path in paths) else set()
        if foreign := [path for path in paths if path.exists() and path.name not in known]:
            raise EngineError(foreign_files(folder, foreign))
        _note(paths)
    except OSError as error:
        raise EngineError(unwritable(paths[0], error)) from error


def clear(folder: Path) -> None:
    """Delete our files."""
    try:
        for path in ours_in(folder):
            path.unlink(missing_ok=True)
        # In place: a file that was moved there would not be the one that is locked.
        if (folder / MARK).exists():
            os.truncate(folder / MARK, 0)
    except OSError as error:
        raise EngineError(unwritable(folder, error)) from error


def _note(paths: Sequence[Path]) -> None:
    folder = paths[0].parent
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / MARK, "ab") as mark:
        # The line break comes first, so that a line cut off by a crash does not damage the next one.
        mark.write("".join(f"\n{path.name}" for path in paths).encode())
        mark.flush()
        os.fsync(mark.fileno())


def _names_in(folder: Path) -> set[str]:
    try:
        return set((folder / MARK).read_text(encoding="utf-8", errors="replace").split("\n"))
    except FileNotFoundError:
        return set()


def _kind(name: str) -> str | None:
    """`epochs.csv` of 000000012.csv, `table.csv` of table.csv, None for other names."""
    match = _OURS.fullmatch(name)
    if match is None:
        return None
    return f"{EPOCHS}.{match['ending']}" if match["number"] else f"{TABLE}.{match['table']}"


def _files(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if path.is_file())
    except OSError:
        return []


def unwritable(place: object, error: Exception) -> Diagnostic:
    reason = getattr(error, "strerror", None) or str(error)
    return problems.UNWRITABLE_SINK.at(where=str(place), why=reason[:1].upper() + reason[1:].rstrip("."))


def foreign_files(folder: Path, foreign: list[Path]) -> Diagnostic:
    return problems.FOREIGN_FILES.at(
        where=str(folder), are="is" if len(foreign) == 1 else "are", files=_listed(foreign)
    )


def _listed(paths: list[Path]) -> str:
    names = quoted(path.name for path in paths[:3])
    return names if len(paths) <= 3 else f"{names}, and {len(paths) - 3} more"
