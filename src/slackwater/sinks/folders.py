"""A folder that answers are written to: which of its files are ours, and that one run at a time writes them.

out/.slackwater      the names of the files written here, a line each; locked while a run writes
out/000000012.csv    ours, as .slackwater says
out/000000099.csv    not ours where .slackwater has no such line: never touched, as everything else
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from slackwater.base.diagnostic import Diagnostic, EngineError, quoted
from slackwater.sinks import problems

MARK = ".slackwater"
EPOCHS, TABLE = "epochs", "table"
_OURS = re.compile(r"(?P<number>\d{9})\.(?P<ending>\w+)|table\.(?P<table>\w+)")
_DRAFT = re.compile(r"\.(.*)\.tmp")


@contextlib.contextmanager
def held(folder: Path) -> Iterator[None]:
    """Let no other run write into the folder meanwhile; raises EngineError where one does.

    A mark that lists nothing is not left behind: a start that is refused leaves a folder as it was.
    """
    with _locked(folder) as mark:
        try:
            yield
        finally:
            with contextlib.suppress(OSError):
                if not os.fstat(mark.fileno()).st_size and _is_at(mark, folder / MARK):
                    (folder / MARK).unlink()


def _locked(folder: Path) -> BinaryIO:
    """The mark of the folder, locked; another run may have taken it away between opening and locking."""
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
            raise EngineError(folder_in_use(folder)) from None
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
    """The answers in a folder that were written by us, as its mark says, and drafts of them."""
    wrote = _wrote(folder)
    return [path for path in _files(folder) if _DRAFT.sub(r"\1", path.name) in wrote]


def strangers_in(folder: Path, kind: str, first: int = 0) -> list[Path]:
    """Files that are not ours, and have names that answers of that kind get, from epoch `first` on."""
    ours = set(ours_in(folder))
    found = [path for path in _files(folder) if _kind(path.name) == kind and path not in ours]
    return [path for path in found if kind.startswith(TABLE) or int(path.stem) >= first]


def claim(path: Path) -> None:
    """Write down that a file is ours, before it is written; raises EngineError where another's is there."""
    try:
        if not path.exists():
            _note(path)
        elif path.name not in _wrote(path.parent):
            raise EngineError(foreign_files(path.parent, [path]))
    except OSError as error:
        raise EngineError(unwritable(path, error)) from error


def cleared(folder: Path) -> None:
    """Delete what is ours."""
    try:
        for path in ours_in(folder):
            path.unlink(missing_ok=True)
        # In place: a file that was moved there would not be the one that is locked.
        if (folder / MARK).exists():
            os.truncate(folder / MARK, 0)
    except OSError as error:
        raise EngineError(unwritable(folder, error)) from error


def _note(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path.parent / MARK, "ab") as mark:
        # The line break comes first, so that a line which a crash has cut off spoils no other.
        mark.write(f"\n{path.name}".encode())
        mark.flush()
        os.fsync(mark.fileno())


def _wrote(folder: Path) -> set[str]:
    try:
        return set((folder / MARK).read_text(encoding="utf-8", errors="replace").split("\n"))
    except FileNotFoundError:
        return set()


def _kind(name: str) -> str | None:
    """`epochs.csv` of 000000012.csv, `table.csv` of table.csv, nothing of names that we do not give."""
    found = _OURS.fullmatch(name)
    if found is None:
        return None
    return f"{EPOCHS}.{found['ending']}" if found["number"] else f"{TABLE}.{found['table']}"


def _files(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if path.is_file())
    except OSError:
        return []


def unwritable(place: Path | str, error: Exception) -> Diagnostic:
    said = getattr(error, "strerror", None) or str(error)
    return problems.UNWRITABLE_SINK.at(where=str(place), why=said[:1].upper() + said[1:].rstrip("."))


def occupied(folder: Path) -> Diagnostic:
    return problems.OCCUPIED_FOLDER.at(where=str(folder))


def foreign_files(folder: Path, strangers: list[Path]) -> Diagnostic:
    return problems.FOREIGN_FILES.at(
        where=str(folder), are="is" if len(strangers) == 1 else "are", files=_listed(strangers)
    )


def _listed(paths: list[Path]) -> str:
    names = quoted(path.name for path in paths[:3])
    return names if len(paths) <= 3 else f"{names}, and {len(paths) - 3} more"


def folder_in_use(folder: Path) -> Diagnostic:
    return problems.FOLDER_IN_USE.at(where=str(folder))
