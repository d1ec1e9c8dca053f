"""Files that are there whole or not at all: written under another name, made to last, then moved."""

from __future__ import annotations

import contextlib
import errno
import os
from pathlib import Path


def write_whole(
    path: Path, content: bytes | memoryview, mark: str = "", mode: int = 0o666, *, is_new: bool = False
) -> int:
    """Put the content there in one move; how many bytes. Raises OSError, and then leaves nothing behind.

    A mark keeps apart those who may write the same file at the same time. A file that has to be new is never
    replaced: FileExistsError.
    """
    draft = path.with_name(f".{path.name}{mark}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(draft, "wb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        (_put if is_new else os.replace)(draft, path)
    except OSError:
        with contextlib.suppress(OSError):
            draft.unlink(missing_ok=True)
        raise
    return len(content)


def _put(draft: Path, path: Path) -> None:
    """Move a draft to a name that nothing has."""
    try:
        os.link(draft, path)
    except FileExistsError:
        raise
    except OSError:  # a filesystem without links: the best that is left
        if path.exists():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path)) from None
        draft.replace(path)
    draft.unlink(missing_ok=True)
