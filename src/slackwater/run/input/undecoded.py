"""Texts that are not UTF-8: Spark passes on the bytes of Parquet, ORC and its own columns as they are.

t | s                          t | s        | @undecoded
1 | 6f 6b            ─►        1 | ok       | NULL
2 | 6e f6 72 64                2 | n\ufffdrd     | s
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc

from slackwater.run.input.tags import UNDECODED


def decoded(batch: pa.Table) -> pa.Table:
    """The batch with texts that are Unicode; where some are not, with the column that was wrong in a row."""
    try:
        batch.validate(full=True)
    except pa.ArrowInvalid:
        return _marked(batch)
    return batch


def _marked(batch: pa.Table) -> pa.Table:
    wrong: list[str | None] = [None] * batch.num_rows
    for place, name in enumerate(batch.column_names):
        column = batch.column(place).combine_chunks()
        rows = list(_undecodable(column, 0))
        if rows:
            batch = batch.set_column(place, name, _replaced(column, rows))
        for row in rows:
            wrong[row] = wrong[row] or name
    return batch.append_column(UNDECODED, pa.array(wrong, pa.string()))


def _undecodable(column: pa.Array, first: int) -> Iterator[int]:
    """The rows whose texts are not UTF-8, by halves."""
    if _is_valid(column):
        return
    if len(column) == 1:
        yield first
        return
    half = len(column) // 2
    yield from _undecodable(column.take(pa.array(range(half))), first)
    yield from _undecodable(column.take(pa.array(range(half, len(column)))), first + half)


def _is_valid(column: pa.Array) -> bool:
    try:
        column.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def _replaced(column: pa.Array, rows: list[int]) -> pa.Array:
    """The column with U+FFFD for bytes that are no text; inside of lists and structs, with NULL."""
    bad = set(rows)
    mask = pa.array([row in bad for row in range(len(column))])
    if not pa.types.is_string(column.type) and not pa.types.is_large_string(column.type):
        return pc.if_else(mask, pa.scalar(None, column.type), column)
    binary = pa.large_binary() if pa.types.is_large_string(column.type) else pa.binary()
    texts = [column[row].cast(binary).as_py().decode("utf-8", errors="replace") for row in rows]
    return pc.replace_with_mask(column, mask, pa.array(texts, column.type))
