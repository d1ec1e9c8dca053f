"""The items of an epoch as bytes: XML records in frames, or elements as Arrow; both compressed.

    records   z( length, bytes, length, bytes, … )      a length has four bytes
    rows      Arrow's stream format, its buffers compressed

No items are no bytes.
"""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Iterable, Sequence

import polars as pl
import pyarrow as pa

from slackwater.base.diagnostic import EngineError
from slackwater.globe.compute import problems

_LENGTH = struct.Struct(">I")
_LEVEL = 3
LARGEST = 64 << 20
"""The most bytes that the items of an epoch may have once they are decompressed."""


def pack_records(records: Iterable[bytes]) -> bytes:
    """XML records as bytes.

    >>> unpack_records(pack_records([b"<a/>", b""]))
    [b'<a/>', b'']
    """
    whole = b"".join(part for record in records for part in (_LENGTH.pack(len(record)), record))
    return zlib.compress(whole, _LEVEL) if whole else b""


def unpack_records(packed: bytes) -> list[bytes]:
    """The records in these bytes; raises EngineError where they are none."""
    whole, at, records = _inflated(packed), 0, []
    while at < len(whole):
        end = at + _LENGTH.size
        size = _LENGTH.unpack(whole[at:end])[0] if end <= len(whole) else len(whole)
        if end + size > len(whole):
            raise EngineError(problems.BROKEN_EPOCH.at(why="a record is cut off"))
        records.append(whole[end : end + size])
        at = end + size
    return records


def _inflated(packed: bytes) -> bytes:
    if not packed:
        return b""
    inflater = zlib.decompressobj()
    try:
        whole = inflater.decompress(packed, LARGEST)
    except zlib.error as error:
        raise EngineError(problems.BROKEN_EPOCH.at(why=str(error))) from error
    if inflater.unconsumed_tail:
        raise EngineError(problems.LARGE_EPOCH.at(most=LARGEST))
    if not inflater.eof:
        raise EngineError(problems.BROKEN_EPOCH.at(why="it is cut off"))
    return whole


def pack_rows(frame: pl.DataFrame) -> bytes:
    """Elements as bytes."""
    if not frame.height:
        return b""
    table, buffer = frame.to_arrow(), io.BytesIO()
    options = pa.ipc.IpcWriteOptions(compression="lz4")
    with pa.ipc.new_stream(buffer, table.schema, options=options) as writer:
        writer.write_table(table)
    return buffer.getvalue()


def unpack_rows(packed: bytes, columns: Sequence[str] | None = None) -> pl.DataFrame | None:
    """The elements in these bytes, or None where there are none; raises EngineError."""
    if not packed:
        return None
    try:
        with pa.ipc.open_stream(packed) as reader:
            table = reader.read_all()
        frame = pl.from_arrow(table)
        assert isinstance(frame, pl.DataFrame)
        return frame if columns is None else frame.select(columns)
    except (pa.ArrowException, OSError, pl.exceptions.PolarsError) as error:
        raise EngineError(problems.BROKEN_EPOCH.at(why=str(error).splitlines()[0])) from error
