"""XML files as rows: Spark hands whole files to its workers, which cut them into records there.

A record that does not fit its columns, and a document that breaks off, come as raw text like bad rows of CSV:
with the file, and for a document with line and column.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Context, Decimal, InvalidOperation
from functools import partial
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
from slackwater.flux.run import compile_once
from slackwater.sources.readers import RecordQuery
from slackwater.sources.xml.records import Cut, Values, cut, documents, in_utf8, source_text
from slackwater.sources.zones import zone_named

Reader = Callable[[str], Any]
_FILES = "path STRING, modificationTime TIMESTAMP, length BIGINT, content BINARY"
"""What Spark tells of a file."""


@dataclass(frozen=True, slots=True)
class XmlRows:
    """What is wanted of XML files."""

    path: tuple[str, ...]
    wanted: StructType
    raw: str
    file: str
    query: RecordQuery | None = None
    zone: str | None = None
    """The zone of times that have none of their own; None is UTC."""

    @property
    def answers(self) -> int:
        """How many columns the query fills, behind those that are read."""
        return self.query.columns if self.query else 0

    @property
    def is_item(self) -> bool:
        """Whether the answer is one text, rather than numbers for the aggregates of a window."""
        return isinstance(self.wanted.fields[-1].dataType, StringType)

    @property
    def schema(self) -> StructType:
        texts = [StructField(self.raw, StringType()), StructField(self.file, StringType())]
        return StructType([*self.wanted.fields, *texts])


def xml_frame(
    rows: XmlRows,
    reader: DataFrameReader | DataStreamReader,
    path: str | list[str],
    *,
    is_marked: bool = False,
) -> DataFrame:
    """The records of files that are there or come; marked, each with its file."""
    files = reader.format("binaryFile").schema(_FILES).load(path)  # type: ignore[arg-type]
    return files.select("path", "content").mapInArrow(partial(_rows, rows, is_marked), rows.schema)


def _rows(rows: XmlRows, is_marked: bool, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    schema = to_arrow_schema(rows.schema, timezone="UTC")
    for batch in batches:
        for file in batch.to_pylist():
            columns = typed(rows, in_utf8(file["content"]), file["path"])
            if is_marked:
                columns[-1] = [file["path"]] * len(columns[-1])
            arrays = [pa.array(column, each.type) for column, each in zip(columns, schema, strict=True)]
            yield pa.RecordBatch.from_arrays(arrays, schema=schema)


def typed(rows: XmlRows, content: bytes, name: str) -> list[list[Any]]:
    """The columns of a document's records, and behind them raw texts and file of what does not fit."""
    width = len(rows.wanted.fields) - rows.answers
    found = cut(content, rows.path, rows.wanted.names[:width], name)
    readers = [reader_of(each.dataType, rows.zone) for each in rows.wanted.fields]
    good: list[list[Any]] = []
    bad = [source_text(content, span).decode(errors="replace") for span in found.misfits]
    for values, span, answers in zip(found.values, found.spans, _answers(rows, found, content), strict=True):
        try:
            good.append(_read([*values, *answers], readers))
        except (ValueError, ArithmeticError, OSError):
            bad.append(source_text(content, span).decode(errors="replace"))
    bad += _broken(found)
    columns = [[row[place] for row in good] + [None] * len(bad) for place in range(len(readers))]
    return [*columns, [None] * len(good) + bad, [None] * len(good) + [name] * len(bad)]


def _answers(rows: XmlRows, found: Cut, content: bytes) -> Iterator[Values]:
    """What each record answers to the query: whether, and what; as many as there are records."""
    if rows.query is None:
        yield from ([] for _ in found.spans)
        return
    ask = compile_once(rows.query.text)
    for document in documents(found, content):
        told = ask(document)
        if not told:
            yield ["false", *[None] * (rows.answers - 1)]
        elif rows.is_item:
            yield ["true", told]
        else:
            yield ["true", *(value or None for value in told.split(SEPARATOR)[1:])]


def _read(values: Values, readers: list[Reader]) -> list[Any]:
    return [
        None if value is None else read(value) for value, read in zip(values, readers, strict=True)
    ]  # fmt: skip


def _broken(found: Cut) -> list[str]:
    if found.error is None:
        return []
    told = found.error.diagnostics[0]
    place = f"line {told.span.line}, column {told.span.column}: " if told.span else ""
    return [f"{place}{told.message}"]


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
    found = int(text) if "_" not in text else _refuse(text)
    return found if -(1 << bits - 1) <= found < 1 << bits - 1 else _refuse(text)


def _decimal(text: str, kind: DecimalType) -> Decimal:
    found = Decimal(text.strip()).quantize(Decimal(1).scaleb(-kind.scale), context=_DIGITS)
    fits = found.is_finite() and (not found or found.adjusted() < kind.precision - kind.scale)
    return found if fits else _refuse(text)


_DIGITS = Context(prec=60)
_BITS: dict[type[DataType], int] = {ByteType: 8, ShortType: 16, IntegerType: 32, LongType: 64}
_BOOLEANS = {"true": True, "1": True, "false": False, "0": False}


def _refuse(text: str) -> Any:
    raise ValueError(text)


def wall_moment(text: str) -> datetime:
    """A date and time of day without a zone."""
    found = datetime.fromisoformat(text.strip())
    return found if found.tzinfo is None else _refuse(text)


def moment(text: str, zone: str | None = None) -> datetime:
    """A timestamp as XML writes it, or a number of seconds since 1970; without a zone it is of that one.

    >>> str(moment("2024-02-29T12:00:00Z")), str(moment("1.25"))
    ('2024-02-29 12:00:00+00:00', '1970-01-01 00:00:01.250000+00:00')
    """
    try:
        seconds = Decimal(text.strip())
    except InvalidOperation:
        found = datetime.fromisoformat(text.strip())
        return found if found.tzinfo else found.replace(tzinfo=zone_named(zone or "UTC"))
    whole = int(seconds.scaleb(6).to_integral_value())
    return datetime.fromtimestamp(whole // 1_000_000, UTC).replace(microsecond=whole % 1_000_000)
