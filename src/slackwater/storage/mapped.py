"""Frames in files of this machine, mapped into memory: the system decides which of their pages are in it.

A file is deleted as soon as it is mapped. Its pages are used as long as the frame, or another one with its
columns, is; after that, or when the process ends in whatever way, the system frees the space on disk.
"""

from __future__ import annotations

import contextlib
import os
import tempfile

import polars as pl
import pyarrow as pa

from slackwater.base.diagnostic import EngineError
from slackwater.storage import problems

_FOLDERS = ("SPARK_LOCAL_DIRS", "LOCAL_DIRS")
"""Where Spark has its own local files, by its cluster managers; a list with commas."""


def local_folder() -> str:
    """The folder for local files: that of Spark, or the temporary folder."""
    places = [place for name in _FOLDERS if (place := os.environ.get(name, "").split(",")[0])]
    return (places or [tempfile.gettempdir()])[0]


def mapped(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame in one chunk, in a mapped file; in memory if it has a type that Arrow has not.

    Raises EngineError where the file cannot be written.
    """
    folder = local_folder()
    try:
        number, path = tempfile.mkstemp(".arrow", "slackwater-", folder)
        os.close(number)
        try:
            return _mapped(frame, path)
        finally:
            os.unlink(path)
    except OSError as error:
        why = error.strerror or str(error)
        raise EngineError(problems.UNWRITABLE_SPILL.at(where=folder, why=why)) from error


def _mapped(frame: pl.DataFrame, path: str) -> pl.DataFrame:
    frame.write_ipc(
        path,
        compression="uncompressed",
        compat_level=pl.CompatLevel.newest(),
        record_batch_size=max(frame.height, 1),
    )
    with contextlib.suppress(pa.ArrowNotImplementedError):
        frame = pl.DataFrame(pa.ipc.open_file(pa.memory_map(path)).read_all())
    return frame
