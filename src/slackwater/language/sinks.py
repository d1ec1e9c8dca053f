"""What a sink of files takes: formats, modes and options, in SQL and in Python."""

from __future__ import annotations

OUTPUT_FORMATS = ("csv", "json", "parquet")
MODES = ("changes", "stream", "table", "elements", "tagged")
"""The forms in which an answer is written."""
STREAM_MODES = ("stream",)
RELATION_MODES = tuple(mode for mode in MODES if mode not in STREAM_MODES)
KEYED_MODE = "tagged"
"""The mode in which a row is identified by its key."""
SINK_OPTIONS = {"overwrite": "Replace the answers of an earlier run: TRUE or FALSE."}


def modes_of(kind: str) -> tuple[str, ...]:
    """The modes of a stream, or of a relation."""
    return STREAM_MODES if kind == "stream" else RELATION_MODES
