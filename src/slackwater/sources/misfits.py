"""Why a row of text does not fit its columns: the cell, its column, the type that was expected."""

from __future__ import annotations

import contextlib
import csv
import json
import re
from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from pyspark.sql import types as spark

from slackwater.sources.spark_types import BITS
from slackwater.sources.texts import FILE, RAW, REPLACEMENT

_FORMATS: dict[type[spark.DataType], str] = {
    spark.TimestampType: "timestampFormat",
    spark.TimestampNTZType: "timestampNTZFormat",
    spark.DateType: "dateFormat",
}
"""The options with formats of times; their patterns are those of Java, and are not parsed here."""
_MOMENT = re.compile(
    r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2})(?:[ T](?:(\d{1,2}):(\d{1,2})(?::(\d{1,2}))?(?:[^:\d].*)?)?)?)?)?"
)
"""How Spark reads a time without a format: digits may be left out, and any zone may follow."""


def why(raw: str, kind: str, schema: spark.StructType, options: Mapping[str, str]) -> str | None:
    """What is wrong with the row of a file of that format, in a sentence; None where it is not known."""
    columns = spark.StructType([field for field in schema.fields if field.name not in (RAW, FILE)])
    settings = {key.lower(): value for key, value in options.items()}
    if REPLACEMENT in raw:
        return "It has bytes that are not in the encoding; name another, for example encoding = 'ISO-8859-1'."
    if kind != "csv":
        return _of_json(raw, columns, settings) if kind == "json" else None
    sep, quote = settings.get("sep", settings.get("delimiter", ",")), settings.get("quote", '"')
    if len(sep) != 1 or len(quote) != 1:
        return None
    if raw.count(quote) % 2:
        return "A quote in it is not closed; fields with line breaks in them need multiLine = TRUE."
    return _of_csv(next(csv.reader([raw], delimiter=sep, quotechar=quote), []), raw, columns, settings)


def _of_csv(cells: list[str], raw: str, columns: spark.StructType, settings: Mapping[str, str]) -> str | None:
    if len(cells) != len(columns):
        return f"It has {len(cells)} field{'s' * (len(cells) != 1)}, and there are {len(columns)} columns."
    for cell, field in zip(cells, columns.fields, strict=True):
        if cell and cell != settings.get("nullvalue") and not _fits(cell, field.dataType, settings):
            return _misfit(cell, field.name, field.dataType)
        if not cell and '""' in raw and not isinstance(field.dataType, spark.StringType):
            return (
                f'Column "{field.name}" is {field.dataType.simpleString()}, and "" is the empty text; '
                "nullValue = '' reads it as NULL."
            )
    return _other_format(dict(zip(columns.names, cells, strict=True)), columns, settings)


def _of_json(raw: str, columns: spark.StructType, settings: Mapping[str, str]) -> str | None:
    try:
        row = json.loads(raw)
    except ValueError as error:
        return f"It is not JSON: {str(error)[:1].lower()}{str(error)[1:]}."
    if not isinstance(row, dict):
        return "It is not an object of JSON."
    for field in columns.fields:
        value = row.get(field.name)
        if value is not None and not _fits(_as_text(value), field.dataType, settings):
            return _misfit(_as_text(value), field.name, field.dataType)
    return _other_format(row, columns, settings)


def _other_format(
    row: Mapping[str, Any], columns: spark.StructType, settings: Mapping[str, str]
) -> str | None:
    """Where everything else fits: a time that does not have the format of an option."""
    for field in columns.fields:
        option, cell = _FORMATS.get(type(field.dataType), ""), row.get(field.name)
        if cell and option.lower() in settings:
            misfit = _misfit(_as_text(cell), field.name, field.dataType)
            return f"{misfit[:-1]}, by {option} = '{settings[option.lower()]}'."
    return None


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _misfit(cell: str, column: str, kind: spark.DataType) -> str:
    shown = cell if len(cell) <= 40 else f"{cell[:40]}…"
    return f'Column "{column}" is {kind.simpleString()}, and "{shown}" is not.'


def _fits(cell: str, kind: spark.DataType, settings: Mapping[str, str]) -> bool:
    """Whether Spark reads the text as a value of the type; in doubt it does."""
    if _FORMATS.get(type(kind), "").lower() in settings:
        return True
    try:
        match kind:
            case spark.ByteType() | spark.ShortType() | spark.IntegerType() | spark.LongType():
                bound = 1 << (BITS[type(kind)] - 1)
                return cell.strip() == cell and "_" not in cell and -bound <= int(cell) < bound
            case spark.DoubleType() | spark.FloatType():
                return "_" not in cell and float(cell) is not None
            case spark.DecimalType():
                return abs(Decimal(cell).adjusted()) < kind.precision
            case spark.BooleanType():
                return cell.lower() in ("true", "false")
            case spark.DateType() | spark.TimestampType() | spark.TimestampNTZType():
                moment = _MOMENT.fullmatch(cell.strip())
                return moment is not None and _is_moment(*(int(part or 1) for part in moment.groups()))
    except (ValueError, InvalidOperation):
        return False
    return True


def _is_moment(*parts: int) -> bool:
    return datetime(*parts) is not None  # type: ignore[arg-type]


def line_of(file: str, raw: str) -> str:
    """The file, and the number of the line there if the row is found in it."""
    if Path(file).is_file():
        with open(file, "rb") as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip(b"\r\n").decode(errors="replace") == raw:
                    return f"{file}:{number}"
    return file


def line_with(file: str, cells: Mapping[str, Any], names: list[str], options: Mapping[str, str]) -> str:
    """The file of CSV, and the number of the first line there that has these values."""
    settings = {key.lower(): value for key, value in options.items()}
    encoding = settings.get("encoding", settings.get("charset", "utf-8-sig"))
    sep, quote = settings.get("sep", settings.get("delimiter", ",")), settings.get("quote", '"')
    if not Path(file).is_file() or len(sep) != 1 or len(quote) != 1:
        return file
    null = ("", settings.get("nullvalue", ""))
    with (
        contextlib.suppress(csv.Error, LookupError, UnicodeError),
        open(file, encoding=encoding, errors="replace", newline="") as lines,
    ):
        rows = csv.reader(lines, delimiter=sep, quotechar=quote)
        if settings.get("header", "true").lower() == "true":
            names = [name.strip() for name in next(rows, [])]
        for row in rows:
            record = dict(zip([name.lower() for name in names], row, strict=False))
            if all(_is_same(record.get(name.lower(), ""), value, null) for name, value in cells.items()):
                return f"{file}:{rows.line_num}"
    return file


def _is_same(cell: str, value: Any, null: tuple[str, ...]) -> bool:
    """Whether the text may be the value; for types with several spellings the answer is yes."""
    if value is None:
        return cell in null
    is_plain = isinstance(value, int | str) and not isinstance(value, bool)
    return cell.strip() == str(value).strip() or not is_plain
