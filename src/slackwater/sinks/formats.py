"""Frames as files: CSV and JSON that are read back equal, and Parquet.

type        CSV                           JSON
NULL        nothing                       null
string      RFC 4180; "" has no text      "…"
double      the shortest that reads back equal; NaN, Infinity and -Infinity, in JSON as texts
decimal     1.50                          "1.50"
timestamp   2024-01-01T08:00:00.000000    "2024-01-01 08:00:00.000000"
binary      0x00ff                        "AP8=", as Spark writes it
nested      its JSON                      [1, 2], {"a": 1}, a map as an object
"""

from __future__ import annotations

import base64
import io
import json
import math
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import polars as pl

from slackwater.sinks.parquet import parquet_of

_ZULU = "%Y-%m-%dT%H:%M:%S%.6fZ"


def content_of(frame: pl.DataFrame, kind: str) -> memoryview:
    """The bytes of a file: `csv`, `json` (a line for each row) or `parquet`."""
    buffer = io.BytesIO()
    match kind:
        case "csv":
            frame.select([_csv(column) for column in frame]).write_csv(buffer)
        case "json" if _is_plain(frame):
            frame.select([_base64(_zulu(column)) for column in frame]).write_ndjson(buffer)
        case "json":
            for row in frame.iter_rows(named=True):
                buffer.write(_json(row).encode() + b"\n")
        case _:
            return parquet_of(frame)
    return buffer.getbuffer()


def _csv(column: pl.Series) -> pl.Series:
    kind = column.dtype
    if kind.is_nested():
        texts = [None if value is None else _json(value) for value in column.to_list()]
        return pl.Series(column.name, texts, pl.String)
    if kind == pl.Binary:
        return ("0x" + column.bin.encode("hex")).alias(column.name)
    if kind.is_float() and column.is_infinite().any():
        names = {"inf": "Infinity", "-inf": "-Infinity"}
        return column.cast(pl.String).replace(names)
    return _zulu(column)


def _zulu(column: pl.Series) -> pl.Series:
    """Instants as texts that end in Z; other columns as they are."""
    if isinstance(column.dtype, pl.Datetime) and column.dtype.time_zone is not None:
        return column.dt.convert_time_zone("UTC").dt.to_string(_ZULU)
    return column


def _is_plain(frame: pl.DataFrame) -> bool:
    """Whether Polars writes all its values as JSON: it would write infinities and NaN as null."""
    return not any(
        column.dtype.is_nested() or (column.dtype.is_float() and not column.is_finite().all())
        for column in frame
    )


def _base64(column: pl.Series) -> pl.Series:
    return column.bin.encode("base64") if column.dtype == pl.Binary else column


def _json(value: Any) -> str:
    return json.dumps(_jsonable(value), ensure_ascii=False, separators=(",", ":"))


def _name(key: Any) -> str:
    """A key of an object: of a map whose keys are no texts, as their JSON."""
    return key if isinstance(key, str) else json.dumps(_jsonable(key)).strip('"')


def _jsonable(value: Any) -> Any:
    match value:
        case dict():
            return {_name(name): _jsonable(member) for name, member in value.items()}
        case list():
            return [_jsonable(element) for element in value]
        case float() if not math.isfinite(value):
            return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"
        case bytes():
            return base64.b64encode(value).decode()
        case datetime() if value.tzinfo is not None:
            return value.astimezone(UTC).strftime(_ZULU.replace("%.6f", ".%f"))
        case datetime():
            return value.isoformat(sep=" ", timespec="microseconds")
        case date() | Decimal():
            return str(value)
    return value
