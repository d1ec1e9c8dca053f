"""Files of rows, read one row after the other: each with its time, or with what is wrong with it."""

from __future__ import annotations

import csv
import io
import json
from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any, BinaryIO

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from slackwater.algebra.types import BIGINT, TIMESTAMP, Type
from slackwater.base.diagnostic import EngineError
from slackwater.globe.feed.cells import csv_value, json_value
from slackwater.globe.feed.declare import Declared
from slackwater.kernels.expressions.values import dtype, values_of
from slackwater.sources.frame_errors import missing_column, wrong_type
from slackwater.texts.cells import NotAValue
from slackwater.texts.problems import UNREADABLE_FILE

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LONGEST_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Row:
    """A row and where it is in its file."""

    place: str
    time: int
    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Misfit:
    """What is no row, and why."""

    place: str
    why: str


class _Columns:
    """The columns of a stream, and that of its time, which may be one of them."""

    def __init__(self, declared: Declared) -> None:
        source = declared.source
        assert source.time is not None
        self.name = source.name
        self.time = source.time
        self.types: dict[str, Type] = dict(source.plan.schema)
        self._moment = TIMESTAMP if declared.clock.calendar else BIGINT
        self.needed = {**self.types}
        self._key = next((name for name in self.types if name.lower() == self.time.lower()), self.time)
        self.needed.setdefault(self._key, self._moment)

    def places(self, header: Sequence[str]) -> dict[str, str]:
        """The name in the file of each column that is needed; raises EngineError."""
        known = {name.lower(): name for name in reversed(header)} | {name: name for name in header}
        record: dict[str, str] = {}
        for name in self.needed:
            place = known.get(name, known.get(name.lower()))
            if place is None:
                role = "the time" if name == self._key and name not in self.types else "a column"
                raise EngineError(missing_column(self.name, name, role, header))
            record[name] = place
        return record

    def row(self, place: str, values: dict[str, Any]) -> Row | Misfit:
        """The row of these values."""
        time = values[self._key]
        if time is None:
            return Misfit(place, f'it has no time in column "{self._key}"')
        instant = (time.replace(tzinfo=UTC) - _EPOCH) // timedelta(microseconds=1) \
            if isinstance(time, datetime) else int(time)  # fmt: skip
        return Row(place, instant, tuple(values[name] for name in self.types))


def rows_of(file: BinaryIO, name: str, format: str, declared: Declared) -> Iterator[Row | Misfit]:
    """The rows of a file as it is read; raises EngineError where it is no such file."""
    columns = _Columns(declared)
    match format:
        case "csv":
            return _csv_rows(file, name, columns, declared)
        case "json":
            return _json_rows(file, name, columns)
        case _:
            return _parquet_rows(file, name, columns)


def _csv_rows(file: BinaryIO, name: str, columns: _Columns, declared: Declared) -> Iterator[Row | Misfit]:
    reader = csv.reader(_lines(file), delimiter=declared.settings.separator)
    header = next(reader, []) if declared.settings.has_header else list(columns.needed)
    if declared.settings.has_header and not header:
        return
    places = {column: header.index(place) for column, place in columns.places(header).items()}
    while True:
        place = f"line {reader.line_num + 1} of {name}"
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield Misfit(place, str(error))
            continue
        if cells:
            yield _csv_row(cells, place, len(header), places, columns)


def _lines(file: BinaryIO) -> Iterator[str]:
    """The lines of a file, without its byte order mark; bytes that are not UTF-8 stay as they are."""
    for number, line in enumerate(file):
        yield (line if number else line.removeprefix(BOM_UTF8)).decode("utf-8", "surrogateescape")


def _csv_row(
    cells: list[str], place: str, width: int, places: dict[str, int], columns: _Columns
) -> Row | Misfit:
    if len(cells) != width:
        return Misfit(place, f"it has {len(cells)} cells instead of {width}")
    values: dict[str, Any] = {}
    for column, type_ in columns.needed.items():
        cell = cells[places[column]]
        try:
            values[column] = csv_value(cell, type_)
        except NotAValue as why:
            return Misfit(place, f'column "{column}" has "{_shown(cell)}", {why}')
    return columns.row(place, values)


def _json_rows(file: BinaryIO, name: str, columns: _Columns) -> Iterator[Row | Misfit]:
    for number, line in enumerate(file, start=1):
        if line.strip():
            yield _json_row(line, f"line {number} of {name}", columns)


def _json_row(line: bytes, place: str, columns: _Columns) -> Row | Misfit:
    try:
        record = json.loads(line, parse_float=Decimal)
    except (ValueError, RecursionError):
        return Misfit(place, "it is not JSON")
    if not isinstance(record, dict):
        return Misfit(place, "it is not an object")
    lowered = {key.lower(): value for key, value in record.items()} | record
    values: dict[str, Any] = {}
    for column, type_ in columns.needed.items():
        value = lowered.get(column, lowered.get(column.lower()))
        try:
            values[column] = json_value(value, type_)
        except (NotAValue, RecursionError) as why:
            return Misfit(place, f'column "{column}" has {_shown(json.dumps(value, default=str))}, {why}')
    return columns.row(place, values)


def _parquet_rows(file: BinaryIO, name: str, columns: _Columns) -> Iterator[Row | Misfit]:
    try:
        content = pq.ParquetFile(file if file.seekable() else io.BytesIO(file.read()))
    except (pa.ArrowException, OSError) as error:
        raise EngineError(UNREADABLE_FILE.at(name=name, why=f"{str(error).splitlines()[0]}")) from error
    places, number = columns.places(content.schema_arrow.names), 0
    for batch in content.iter_batches(columns=list(dict.fromkeys(places.values()))):
        frame = pl.from_arrow(batch)
        assert isinstance(frame, pl.DataFrame)
        several = [
            _converted(frame[places[name]], name, type_, columns) for name, type_ in columns.needed.items()
        ]
        for values in zip(*several, strict=True):
            number += 1
            yield columns.row(f"row {number} of {name}", dict(zip(columns.needed, values, strict=True)))


def _converted(column: pl.Series, name: str, type_: Type, columns: _Columns) -> list[Any]:
    """The values of a column of a file; raises EngineError where they are of another type."""
    try:
        if isinstance(column.dtype, pl.Datetime) and column.dtype.time_zone is not None:
            column = column.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
        return values_of(column.cast(dtype(type_), strict=True), type_)
    except pl.exceptions.PolarsError:
        raise EngineError(wrong_type(columns.name, name, Type(str(column.dtype).lower()), type_)) from None


def _shown(text: str) -> str:
    clean = text.encode("utf-8", "replace").decode()
    return clean if len(clean) <= _LONGEST_SHOWN else f"{clean[:_LONGEST_SHOWN]}…"
