"""XML files as rows: Spark lists the files, its workers read them in pieces and cut them into records.

A record that does not fit its columns, and a document that breaks off, come as raw text like bad rows of CSV:
with the file, and for a document with line and column.

Workers open files of this machine, or of a mounted filesystem, themselves. The others are read by Spark,
which has the connectors and credentials for them, and come whole, as binary values.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, DataFrameReader
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.streaming.readwriter import DataStreamReader
from pyspark.sql.types import StringType, StructField, StructType

from slackwater.flux.across import SEPARATOR
from slackwater.flux.records import RecordQueries, parse_once
from slackwater.sources.readers import RecordQuery
from slackwater.sources.xml.documents import RecordSource
from slackwater.sources.xml.records import Misfit, Read, Row, Values, read_records
from slackwater.sources.xml.values import parser_of

_FILES = "path STRING, modificationTime TIMESTAMP, length BIGINT, content BINARY"
"""The columns of Spark's binary files."""
_SCHEME = re.compile("^file:(//)?(?=/)")
_MOST_ROWS = 1 << 13
"""About how many rows a batch has that goes back to Spark."""


@dataclass(frozen=True, slots=True)
class XmlRows:
    """Which rows are read from XML files."""

    path: tuple[str, ...]
    columns: StructType
    raw: str
    file: str
    query: RecordQuery | None = None
    zone: str | None = None
    """The zone of times that have none of their own; None is UTC."""
    is_mounted: bool = False
    """Whether workers can open the files by their paths."""

    @property
    def answers(self) -> int:
        """How many columns the query fills, behind those that are read."""
        return self.query.columns if self.query else 0

    @property
    def is_item(self) -> bool:
        """Whether the answer is one text, rather than numbers for the aggregates of a window."""
        return isinstance(self.columns.fields[-1].dataType, StringType)

    @property
    def schema(self) -> StructType:
        texts = [StructField(self.raw, StringType()), StructField(self.file, StringType())]
        return StructType([*self.columns.fields, *texts])


def xml_frame(
    rows: XmlRows,
    reader: DataFrameReader | DataStreamReader,
    path: str | list[str],
    *,
    is_marked: bool = False,
) -> DataFrame:
    """The records of files, those that exist or those that arrive; marked, each with its file."""
    files = reader.format("binaryFile").schema(_FILES).load(path)  # type: ignore[arg-type]
    # Spark reads the content only where it is selected.
    columns = ["path"] if rows.is_mounted else ["path", "content"]
    return files.select(*columns).mapInArrow(partial(_rows, rows, is_marked), rows.schema)


def _rows(rows: XmlRows, is_marked: bool, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    schema = to_arrow_schema(rows.schema, timezone="UTC")
    query = RecordQueries(parse_once(rows.query.text), dict(rows.query.documents)) if rows.query else None
    for batch in batches:
        for file in batch.to_pylist():
            for part in _parts(rows, _opened(file), query):
                yield _batch(part, file["path"], is_marked, schema)


def _opened(file: dict[str, Any]) -> RecordSource:
    """A file as a stream: opened here where workers can open it, else what Spark has read of it."""
    name = file["path"]
    if "content" in file:
        return RecordSource(BytesIO(file["content"]), name)
    return RecordSource(Path(_SCHEME.sub("", name)).open("rb", buffering=0), name)


def _parts(rows: XmlRows, source: RecordSource, query: RecordQueries | None) -> Iterator[list[Row | Misfit]]:
    """The records of a file, so many at a time."""
    width = len(rows.columns.fields) - rows.answers
    part: list[Row | Misfit] = []
    for more in read_records(source, rows.path, rows.columns.names[:width], _reading(rows), query):
        part += more
        if len(part) >= _MOST_ROWS:
            yield part
            part = []
    if part:
        yield part


def _batch(part: Sequence[Row | Misfit], name: str, is_marked: bool, schema: pa.Schema) -> pa.RecordBatch:
    """Rows as columns, followed by the raw text and the file of malformed ones."""
    nothing = [None] * (len(schema) - 2)
    lines = [
        [*nothing, row.text, name] if isinstance(row, Misfit) else [*row, None, name if is_marked else None]
        for row in part
    ]
    columns = zip(*lines, strict=True)
    arrays = [pa.array(values, field.type) for values, field in zip(columns, schema, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _reading(rows: XmlRows) -> Read:
    """How texts become values: those of the columns, then those of the query's answer."""
    parsers = [parser_of(field.dataType, rows.zone) for field in rows.columns.fields]

    def read(values: Values, answer: str | None) -> Row:
        texts = [*values, *_answers(rows, answer)] if rows.query else values
        return [None if text is None else parse(text) for text, parse in zip(texts, parsers, strict=True)]

    return read


def _answers(rows: XmlRows, answer: str | None) -> Values:
    """The columns of a record's answer: whether there is one, and what it is."""
    if not answer:
        return ["false", *[None] * (rows.answers - 1)]
    if rows.is_item:
        return ["true", answer]
    return ["true", *(value or None for value in answer.split(SEPARATOR)[1:])]
