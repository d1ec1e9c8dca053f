"""XML files as rows: Spark lists the files, its workers read them in pieces and cut them into records.

A record that does not fit its columns, and a document that breaks off, come as raw text like bad rows of CSV:
with the file, and for a document with line and column.

Workers open files of this machine, or of a mounted filesystem, themselves. The others are read by Spark,
which has the connectors and credentials for them, and come whole, as binary values.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Context, Decimal, InvalidOperation
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, DataFrameReader
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.streaming.readwriter import DataStreamReader
from pyspark.sql.types import (
    BooleanType,
    ByteType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    IntegerType,
    IntegralType,
    LongType,
    ShortType,
    StringType,
    StructField,
    StructType,
    TimestampNTZType,
    TimestampType,
)  # fmt: skip

from slackwater.flux.across import SEPARATOR
from slackwater.flux.records import RecordQueries, parse_once
from slackwater.sources.readers import RecordQuery
from slackwater.sources.xml.documents import RecordSource
from slackwater.sources.xml.records import Misfit, Read, Row, Values, read_records
from slackwater.sources.zones import zone_named

Reader = Callable[[str], Any]
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
    query = RecordQueries(parse_once(rows.query.text)) if rows.query else None
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
    """Rows as columns, and behind them raw text and file of what is none."""
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
    readers = [reader_of(field.dataType, rows.zone) for field in rows.columns.fields]

    def read(values: Values, answer: str | None) -> Row:
        texts = [*values, *_answers(rows, answer)] if rows.query else values
        return [None if text is None else reader(text) for text, reader in zip(texts, readers, strict=True)]

    return read


def _answers(rows: XmlRows, answer: str | None) -> Values:
    """The columns of a record's answer: whether there is one, and what it is."""
    if not answer:
        return ["false", *[None] * (rows.answers - 1)]
    if rows.is_item:
        return ["true", answer]
    return ["true", *(value or None for value in answer.split(SEPARATOR)[1:])]


def reader_of(kind: DataType, zone: str | None = None) -> Reader:
    """How a text becomes a value of the type; raises ValueError where it is none."""
    match kind:
        case StringType():
            return str
        case BooleanType():
            return lambda text: _BOOLEANS[text.strip()] if text.strip() in _BOOLEANS else _refuse(text)
        case IntegralType():
            return partial(_whole, bits=_BITS[type(kind)])
        case DoubleType():
            return lambda text: (
                float(text.strip().replace("INF", "inf")) if "_" not in text else _refuse(text)
            )
        case DecimalType():
            return partial(_decimal, kind=kind)
        case DateType():
            return lambda text: datetime.fromisoformat(text.strip()).date()
        case TimestampType():
            return partial(moment, zone=zone)
        case TimestampNTZType():
            return wall_moment
    raise ValueError(f"no {kind.simpleString()} can be read from XML")


def _whole(text: str, bits: int) -> int:
    number = int(text) if "_" not in text else _refuse(text)
    return number if -(1 << bits - 1) <= number < 1 << bits - 1 else _refuse(text)


def _decimal(text: str, kind: DecimalType) -> Decimal:
    number = Decimal(text.strip()).quantize(Decimal(1).scaleb(-kind.scale), context=_DIGITS)
    fits = number.is_finite() and (not number or number.adjusted() < kind.precision - kind.scale)
    return number if fits else _refuse(text)


_DIGITS = Context(prec=60)
_BITS: dict[type[DataType], int] = {ByteType: 8, ShortType: 16, IntegerType: 32, LongType: 64}
_BOOLEANS = {"true": True, "1": True, "false": False, "0": False}


def _refuse(text: str) -> Any:
    raise ValueError(text)


def wall_moment(text: str) -> datetime:
    """A date and time of day without a zone."""
    time = datetime.fromisoformat(text.strip())
    return time if time.tzinfo is None else _refuse(text)


def moment(text: str, zone: str | None = None) -> datetime:
    """A timestamp as XML writes it, or a number of seconds since 1970; without a zone it is of that one.

    >>> str(moment("2024-02-29T12:00:00Z")), str(moment("1.25"))
    ('2024-02-29 12:00:00+00:00', '1970-01-01 00:00:01.250000+00:00')
    """
    try:
        seconds = Decimal(text.strip())
    except InvalidOperation:
        instant = datetime.fromisoformat(text.strip())
        return instant if instant.tzinfo else instant.replace(tzinfo=zone_named(zone or "UTC"))
    whole = int(seconds.scaleb(6).to_integral_value())
    return datetime.fromtimestamp(whole // 1_000_000, UTC).replace(microsecond=whole % 1_000_000)
