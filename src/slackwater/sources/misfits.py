"""Why a row of text does not fit its columns: the cell, its column, the type that was expected."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from pyspark.sql.types import (
    BooleanType,
    ByteType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    ShortType,
    StringType,
    StructType,
    TimestampNTZType,
    TimestampType,
)  # fmt: skip

from slackwater.sources.texts import FILE, RAW, REPLACEMENT

_BITS: dict[type[DataType], int] = {ByteType: 8, ShortType: 16, IntegerType: 32, LongType: 64}


def why(raw: str, schema: StructType, options: Mapping[str, str]) -> str | None:
    """A sentence that says what is wrong with the row; None where it cannot be said."""
    columns = StructType([field for field in schema.fields if field.name not in (RAW, FILE)])
    if REPLACEMENT in raw:
        return "It has bytes that are not in the encoding; name another, for example encoding = 'ISO-8859-1'."
    if raw.lstrip().startswith(("{", "[")):
        return _of_json(raw, columns)
    said = {key.lower(): value for key, value in options.items()}
    sep, quote = said.get("sep", said.get("delimiter", ",")), said.get("quote", '"')
    if len(sep) != 1 or len(quote) != 1:
        return None
    if raw.count(quote) % 2:
        return "A quote in it is not closed; fields with line breaks in them need multiLine = TRUE."
    return _of_csv(next(csv.reader([raw], delimiter=sep, quotechar=quote), []), raw, columns)


def _of_csv(cells: list[str], raw: str, columns: StructType) -> str | None:
    if len(cells) != len(columns):
        return f"It has {len(cells)} field{'s' * (len(cells) != 1)}, and there are {len(columns)} columns."
    for cell, field in zip(cells, columns.fields, strict=True):
        if cell and not _fits(cell, field.dataType):
            return _misfit(cell, field.name, field.dataType)
        if not cell and '""' in raw and not isinstance(field.dataType, StringType):
            return (
                f'Column "{field.name}" is {field.dataType.simpleString()}, and "" is the empty text; '
                "nullValue = '' reads it as NULL."
            )
    return None


def _of_json(raw: str, columns: StructType) -> str | None:
    try:
        found = json.loads(raw)
    except ValueError as error:
        return f"It is not JSON: {str(error)[:1].lower()}{str(error)[1:]}."
    if not isinstance(found, dict):
        return "It is not an object of JSON."
    for field in columns.fields:
        value = found.get(field.name)
        if value is not None and not _fits(_written(value), field.dataType):
            return _misfit(_written(value), field.name, field.dataType)
    return None


def _written(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _misfit(cell: str, column: str, kind: DataType) -> str:
    shown = cell if len(cell) <= 40 else f"{cell[:40]}…"
    return f'Column "{column}" is {kind.simpleString()}, and "{shown}" is not.'


def _fits(cell: str, kind: DataType) -> bool:
    """Whether Spark reads the text as a value of the type; in doubt it does."""
    try:
        match kind:
            case ByteType() | ShortType() | IntegerType() | LongType():
                bound = 1 << (_BITS[type(kind)] - 1)
                return cell.strip() == cell and "_" not in cell and -bound <= int(cell) < bound
            case DoubleType() | FloatType():
                return "_" not in cell and float(cell) is not None
            case DecimalType():
                return abs(Decimal(cell).adjusted()) < kind.precision
            case BooleanType():
                return cell.lower() in ("true", "false")
            case DateType():
                return date.fromisoformat(cell[:10]) is not None
            case TimestampType() | TimestampNTZType():
                return datetime.fromisoformat(cell) is not None
    except (ValueError, InvalidOperation):
        return False
    return True


def line_of(file: str, raw: str) -> str:
    """The file, and the number of the line there if the row is found in it."""
    if Path(file).is_file():
        with open(file, "rb") as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip(b"\r\n") == raw.encode():
                    return f"{file}:{number}"
    return file
